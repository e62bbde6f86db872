"""`fleetmem workspace prepare|instruct|verify`."""

# ruff: noqa: PLC0415 -- the owner's tools are imported by the command that needs them, so that an agent's start fast

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fleetmem import config
from fleetmem.cli import options, show
from fleetmem.cli.options import Json, examples
from fleetmem.cli.outcome import Exit
from fleetmem.cli.owner_fleet import roster_bytes
from fleetmem.config import Settings
from fleetmem.memory.target import Target

if TYPE_CHECKING:
    from fleetmem.fleet.agent import Agent
    from fleetmem.fleet.roster import Roster
    from fleetmem.landing import Workspace

workspace = options.group("The agents' workspaces: is each fit for memory, and closed to the others?")

Paths = Annotated[list[Path] | None, typer.Argument(help="Workspaces; those of the roster unless told.")]
For = Annotated[
    Target | None,
    typer.Option(
        "--target",
        help="The runtime whose rules count. Unless told: for an agent of the roster its own, for a path every one.",
    ),
]
Who = Annotated[list[str] | None, typer.Option("--agent", help="Only this agent; may be given again.")]


@workspace.command(epilog=examples("fleetmem workspace prepare", "fleetmem workspace prepare /srv/agents/health"))
def prepare(paths: Paths = None, target: For = None) -> None:
    """Make the workspaces that are missing, each a git root of its own, with its agent's instructions; what exists is left as it is."""
    from fleetmem.admin import workspaces

    every = _workspaces(paths or [], target)
    for path in dict.fromkeys(each.path for each, _ in every):
        for each, instructions in every:
            if each.path == path:
                workspaces.prepare(each, instructions)
        show.out(f"{show.line(str(path))}: fit")


@workspace.command(epilog=examples("fleetmem workspace instruct", "fleetmem workspace instruct --agent health"))
def instruct(agent: Who = None) -> None:
    """Write the instructions of the roster into the workspaces anew; landed memory stays, whatever else stood there goes."""
    from fleetmem.admin import workspaces

    settings = config.load()
    for each in _chosen(_declared(settings), agent or []):
        place = workspaces.of(settings.workspaces, each)
        if each.instructions:
            workspaces.instruct(place, each.instructions)
            show.out(f"{show.line(str(place.path / place.layout.instructions))}: written")
        else:
            show.note(f"{each.name} has no instructions in the roster; its workspace is left as it is")


@workspace.command(
    epilog=examples("fleetmem workspace verify", "fleetmem workspace verify --target codex /srv/agents/health")
)
def verify(paths: Paths = None, target: For = None, as_json: Json = False) -> None:
    """Say what is wrong with each workspace: what would be read across its border, or could not land. Exits with 1 on any."""
    from fleetmem import landing

    every = _workspaces(paths or [], target, needed=True)
    found = {each.path: dict[str, str | None]() for each, _ in every}
    for each, _ in every:
        found[each.path] |= {fault.detail: fault.rule for fault in landing.faults(each)}
    for inner, outer in landing.nested(list(found)):
        found[inner][f"{inner} lies inside {outer}, which is another workspace"] = "nested"
    if as_json:
        show.out(show.as_json({str(path): _listed(faults) for path, faults in found.items()}))
    else:
        show.out("\n".join(line for path, faults in found.items() for line in _told(path, list(faults))))
    raise typer.Exit(Exit.FAILED if any(found.values()) else Exit.DONE)


def _listed(faults: Mapping[str, str | None]) -> list[dict[str, str | None]]:
    return [{"rule": rule, "detail": detail} for detail, rule in faults.items()]


def _told(path: Path, faults: Sequence[str]) -> list[str]:
    return [f"{show.line(str(path))}: {'not fit' if faults else 'fit'}", *(f"  - {show.line(each)}" for each in faults)]


def _workspaces(paths: Sequence[Path], target: Target | None, *, needed: bool = False) -> list[tuple[Workspace, str]]:
    """Return each workspace once for every target that is asked about, with the instructions of the roster.

    `needed` leaves out that of an agent in no team, for whom nothing lands, unless it is there.
    """
    from fleetmem.admin import workspaces
    from fleetmem.landing import Workspace

    if paths:
        places = [(each.parent, each.name) for each in (path.absolute() for path in paths)]
        every = [target] if target else list(Target)
        return [(Workspace(root=root, name=name, target=kind), "") for root, name in places for kind in every]
    settings = config.load()
    declared = _declared(settings)
    chosen = workspaces.needed(settings.workspaces, declared) if needed else declared.agents
    return [
        (Workspace(root=settings.workspaces, name=each.workspace, target=target or each.target), each.instructions)
        for each in chosen
    ]


def _chosen(declared: Roster, names: Sequence[str]) -> list[Agent]:
    known = {agent.name: agent for agent in declared.agents}
    for name in names:
        if name not in known:
            there_are = ", ".join(sorted(known)) or "none"
            raise typer.BadParameter(f"{name} is no agent of the roster, which has {there_are}", param_hint="--agent")
    return [known[name] for name in dict.fromkeys(names)] or list(declared.agents)


def _declared(settings: Settings) -> Roster:
    from fleetmem.fleet import roster

    return roster.parse(roster_bytes(settings.roster), name=settings.roster.name)
