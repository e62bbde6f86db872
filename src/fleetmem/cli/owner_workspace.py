"""`fleetmem workspace prepare|verify`."""

# ruff: noqa: PLC0415 -- the owner's tools are imported by the command that needs them, so that an agent's start fast

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fleetmem import config
from fleetmem.cli import options, show
from fleetmem.cli.options import Json, examples
from fleetmem.cli.outcome import Exit
from fleetmem.cli.owner_fleet import roster_bytes
from fleetmem.memory.target import Target

if TYPE_CHECKING:
    from fleetmem.landing import Workspace

workspace = options.group("The agents' workspaces: is each fit for memory, and closed to the others?")

Paths = Annotated[list[Path] | None, typer.Argument(help="Workspaces; those of the roster unless told.")]
For = Annotated[
    Target | None, typer.Option("--target", help="The runtime whose rules count; those of every runtime unless told.")
]


@workspace.command(epilog=examples("fleetmem workspace prepare", "fleetmem workspace prepare /srv/agents/health"))
def prepare(paths: Paths = None, target: For = None) -> None:
    """Make the workspaces that are missing, each a git root of its own; what exists is left as it is."""
    from fleetmem import landing

    every = _workspaces(paths or [], target)
    for path in dict.fromkeys(each.path for each in every):
        for each in every:
            if each.path == path:
                landing.prepare(each)
        show.out(f"{show.line(str(path))}: fit")


@workspace.command(
    epilog=examples("fleetmem workspace verify", "fleetmem workspace verify --target codex /srv/agents/health")
)
def verify(paths: Paths = None, target: For = None, as_json: Json = False) -> None:
    """Say what is wrong with each workspace: what would be read across its border, or could not land. Exits with 1 on any."""
    from fleetmem import landing

    every = _workspaces(paths or [], target)
    found = {each.path: dict[str, str | None]() for each in every}
    for each in every:
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


def _workspaces(paths: Sequence[Path], target: Target | None) -> list[Workspace]:
    """Return each workspace once for every target that is asked about."""
    from fleetmem.fleet import roster
    from fleetmem.landing import Workspace

    if paths:
        absolute = [path.absolute() for path in paths]
        named = [Workspace(root=path.parent, name=path.name) for path in absolute]
    else:
        settings = config.load()
        declared = roster.parse(roster_bytes(settings.roster), name=settings.roster.name)
        named = [Workspace(root=settings.workspaces, name=agent.workspace) for agent in declared.agents]
    return [replace(each, target=kind) for each in named for kind in ([target] if target else Target)]
