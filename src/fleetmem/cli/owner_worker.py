"""`fleetmem worker`."""

# ruff: noqa: PLC0415 -- the worker is imported by the command that needs it, so that an agent's commands start fast

from __future__ import annotations

from typing import Annotated

import typer

from fleetmem.cli.options import examples
from fleetmem.cli.outcome import Exit

_UNAVAILABLE = 75  # what a worker ends with when its database does not answer


def worker(
    drain: Annotated[
        bool, typer.Option("--drain", help="Work off what can be done now and what follows from it, then end.")
    ] = False,
) -> None:
    """Run one worker of the memory pipeline by hand; several may run, beside the one of `fleetmem up` too."""
    from fleetmem.worker.serve import main

    ended = main(["--drain"] if drain else [])
    raise typer.Exit(Exit.UNAVAILABLE if ended == _UNAVAILABLE else ended)


def register(app: typer.Typer) -> None:
    """Hang the command on the root."""
    app.command(epilog=examples("fleetmem worker", "fleetmem worker --drain"))(worker)
