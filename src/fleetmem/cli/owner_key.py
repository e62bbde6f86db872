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


@key.command(
    epilog=examples("fleetmem key rotate", "fleetmem key rotate agent", "fleetmem key rotate --now    # it leaked")
)
def rotate(
    which: Annotated[Rol | None, typer.Argument(help="Whose claims it signs; all three unless told.")] = None,
    now: Annotated[
        bool,
        typer.Option(
            "--now", help="End the old key in two seconds: a gateway elsewhere stands still until it has the new one."
        ),
    ] = False,
) -> None:
    """Make a new key and retire the old one, with no moment in which neither is valid.

    Both are valid for 150 seconds, in which a running service takes the new file up by itself.
    """
    from fleetmem.admin import deployment, keys, rotation

    settings, overlap = config.load(), rotation.KEY_AT_ONCE if now else keys.OVERLAP
    with deployment.reach(settings, show.note) as conninfo:
        for rol in [which] if which else list(Rol):
            done = rotation.rotate_key(settings.home, conninfo, rol, overlap=overlap)
            end = "in two seconds" if now else show.moment(done.old_until)
            ends = "" if done.old_until is None else f"; the old key ends {end}"
            show.out(f"{rol.value}: key {done.kid} is in {done.path}{ends}.")
