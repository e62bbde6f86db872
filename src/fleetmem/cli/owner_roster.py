"""`fleetmem roster plan|sync`."""

# ruff: noqa: PLC0415 -- the owner's tools are imported by the command that needs them, so that an agent's start fast

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from fleetmem import config
from fleetmem.cli import options, show
from fleetmem.cli.options import Json, examples
from fleetmem.cli.outcome import Exit
from fleetmem.cli.owner_fleet import roster_bytes
from fleetmem.config import Settings
from fleetmem.fleet.team import OnNarrowing

if TYPE_CHECKING:
    from fleetmem.fleet.plan import RosterPlan
    from fleetmem.fleet.roster import Roster

roster = options.group("The roster: who is in the fleet, and what each may see.")


@roster.command(epilog=examples("fleetmem roster plan", "fleetmem roster plan --check"))
def plan(
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 when a sync would change something.")] = False,
    as_json: Json = False,
) -> None:
    """Say what a sync would change: who would see more and who less."""
    from fleetmem.admin import database, deployment, roster_sync

    settings = config.load()
    declared = _declared(settings)
    with deployment.reach(settings, show.note) as conninfo, database.owner(conninfo) as connection:
        difference = roster_sync.plan(connection, declared)
    _show(difference, as_json=as_json)
    raise typer.Exit(Exit.FAILED if difference.conflicts or (check and not difference.is_empty) else Exit.DONE)


@roster.command(epilog=examples("fleetmem roster sync", "FLEETMEM_ROSTER=crew.yaml fleetmem roster sync"))
def sync(as_json: Json = False) -> None:
    """Make the declared roster the one in force, in one transaction."""
    from fleetmem.admin import database, deployment, roster_sync

    settings = config.load()
    declared = _declared(settings)
    with deployment.reach(settings, show.note) as conninfo, database.owner(conninfo) as connection:
        difference = roster_sync.sync(connection, declared)
    _show(difference, as_json=as_json)
    if not as_json and difference.added:
        show.note("Mint a token for each new name with `fleetmem token issue NAME`.")
    if not as_json and any(each.how is OnNarrowing.AT_ONCE for each in difference.revocations):
        show.note(
            "The worker takes the revoked memory out of the workspaces; an agent that runs now has read it already."
        )


def _declared(settings: Settings) -> Roster:
    from fleetmem.fleet import roster as declared

    return declared.parse(roster_bytes(settings.roster), name=settings.roster.name)


def _show(difference: RosterPlan, *, as_json: bool) -> None:
    if as_json:
        show.out(show.as_json(asdict(difference)))
    else:
        show.out("\n".join(difference.sentences()) or "The roster in force is the declared one.")
