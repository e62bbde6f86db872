"""`fleetmem agent deactivate|reactivate`."""

# ruff: noqa: PLC0415 -- the owner's tools are imported by the command that needs them, so that an agent's start fast

from __future__ import annotations

from typing import Annotated

import typer

from fleetmem import config
from fleetmem.cli import options, show
from fleetmem.cli.options import examples

agent = options.group("Somebody's access as a whole, whatever tokens they hold.")

Name = Annotated[str, typer.Argument(help="An agent, operator or auditor of the roster.")]


@agent.command(epilog=examples("fleetmem agent deactivate maintenance"))
def deactivate(name: Name) -> None:
    """Refuse everything somebody asks from the next statement on; their records and tokens stay."""
    from fleetmem.admin import database, deployment, standing

    with deployment.reach(config.load(), show.note) as conninfo, database.owner(conninfo) as connection:
        now = standing.suspend(connection, name)
    since = show.moment(now.suspended_at)
    show.out(f"{name} is refused from now on." if now.changed else f"{name} was refused already, since {since}.")
    if now.live_tokens:
        show.out(
            f"{_tokens(now.live_tokens)} would be valid again after `fleetmem agent reactivate {name}`;"
            f" `fleetmem token revoke-all {name}` ends them for good."
        )


@agent.command(epilog=examples("fleetmem agent reactivate maintenance"))
def reactivate(name: Name) -> None:
    """Let somebody back in. A gateway that has just refused them does so for two seconds more."""
    from fleetmem.admin import database, deployment, standing

    with deployment.reach(config.load(), show.note) as conninfo, database.owner(conninfo) as connection:
        now = standing.resume(connection, name)
    if not now.changed:
        show.out(f"{name} was not deactivated.")
    elif now.live_tokens:
        show.out(f"{name} is let in again, with {_tokens(now.live_tokens)}.")
    else:
        show.out(f"{name} is let in again, and has no valid token: `fleetmem token issue {name}` mints one.")


def _tokens(count: int) -> str:
    return "one token" if count == 1 else f"{count} tokens"
