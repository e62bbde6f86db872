"""`fleetmem key rotate`."""

# ruff: noqa: PLC0415 -- the owner's tools are imported by the command that needs them, so that an agent's start fast

from __future__ import annotations

from typing import Annotated

import typer

from fleetmem import config
from fleetmem.cli import options, show
from fleetmem.cli.options import examples
from fleetmem.fleet.agent import Rol

key = options.group("Signing keys: what the database believes a claim by.")


@key.command(epilog=examples("fleetmem key rotate", "fleetmem key rotate agent"))
def rotate(
    which: Annotated[Rol | None, typer.Argument(help="Whose claims it signs; all three unless told.")] = None,
) -> None:
    """Make a new key and retire the old one, with no moment in which neither is valid."""
    from fleetmem.admin import database, deployment, keys

    settings = config.load()
    with deployment.reach(settings, show.note) as conninfo:
        for rol in [which] if which else list(Rol):
            # Three steps, each one safe to stop after: the new key is valid, the service gets it, the old one runs out.
            with database.owner(conninfo) as connection:
                fresh = keys.register(connection, rol)
            path = deployment.write_key(settings.home, fresh)
            with database.owner(conninfo) as connection:
                until = keys.retire_others(connection, fresh)
            ends = f"; the old key ends {show.moment(until)}" if until else ""
            show.out(f"{rol.value}: key {fresh.kid} is in {path}{ends}.")
