"""`fleetmem drill`."""

# ruff: noqa: PLC0415 -- the owner's tools are imported by the command that needs them, so that an agent's start fast

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from fleetmem import config
from fleetmem.cli import options, show
from fleetmem.cli.options import Json, examples
from fleetmem.cli.outcome import Exit


def drill(
    file: Annotated[
        Path | None, typer.Option("--from", help="A backup to drill with; one is made now unless told.")
    ] = None,
    separate_server: Annotated[
        bool,
        typer.Option("--separate-server", help="Restore into a second embedded server instead of scratch databases."),
    ] = False,
    throw_away: Annotated[
        bool, typer.Option("--throw-away", help="Drill a fleet made for this, after one day of it.")
    ] = False,
    time_limit: Annotated[float | None, typer.Option(min=1, help="Seconds after which it stops and cleans up.")] = None,
    as_json: Json = False,
) -> None:
    """Prove that a backup restores into a fenced fleet: on copies, which are removed. Safe on a production host."""
    from fleetmem.admin import deployment
    from fleetmem.admin import drill as drills
    from fleetmem.admin.postgres.place import own_directory

    settings = config.load()
    say = show.note if as_json else show.out
    with ExitStack() as undo:
        if throw_away:
            drilled, conninfo = undo.enter_context(drills.throw_away(settings, say))
        else:
            drilled, conninfo = settings, undo.enter_context(deployment.reach(settings, show.note))
        done = drills.run(
            drilled,
            conninfo,
            now=options.now(),
            say=say,
            file=file,
            separate_server=separate_server,
            time_limit_s=time_limit,
            clock=time.time,  # noqa: TID251 -- claims are minted by the wall clock; this is where it is read
        )
    report = drills.write(done, own_directory(settings.home))
    held = sum(check.held for check in done.log.checks)
    if as_json:
        show.out(report.with_suffix(".json").read_text(encoding="utf-8").strip())
    else:
        show.out(f"The drill is {'green' if done.is_green else 'RED'}: {held} of {len(done.log.checks)} held; {report}")
    raise typer.Exit(Exit.DONE if done.is_green else Exit.FAILED)


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(
        epilog=examples(
            "fleetmem drill", "fleetmem drill --from tonight.tar --time-limit 600", "fleetmem drill --throw-away"
        )
    )(drill)
