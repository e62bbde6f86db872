"""The owner's commands for a whole fleet: up, demo, init, prove, doctor, gateway, console.

Everything below `admin` is imported when a command needs it, so that an agent's commands start without it.
"""

# ruff: noqa: PLC0415 -- the owner's tools are imported by the command that needs them, so that an agent's start fast

from __future__ import annotations

from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from fleetmem import config
from fleetmem.cli import options, show
from fleetmem.cli.options import Json, examples
from fleetmem.cli.outcome import Exit
from fleetmem.errors import ConfigInvalid

_UNAVAILABLE_SERVICE = 75  # what a service process ends with when its database does not answer


def up() -> None:
    """Run the fleet: Postgres, the agents' gateway and the operators' console, until Ctrl-C."""
    from fleetmem.admin import up as supervisor

    supervisor.run(config.load())


def demo() -> None:
    """Play a household's day on a throw-away fleet, and tell what was read and what was refused."""
    from fleetmem.admin import demo as story

    raise typer.Exit(Exit.DONE if story.run(config.load(), show.out) else Exit.FAILED)


def init(
    force: Annotated[bool, typer.Option("--force", help="Replace a roster that is there already.")] = False,
) -> None:
    """Write a roster to begin with: a household of six."""
    path = config.load().roster
    if path.exists() and not force:
        raise ConfigInvalid(f"{path} is there already; edit it, or replace it with --force", field="FLEETMEM_ROSTER")
    path.write_bytes(files("fleetmem.fleet").joinpath("household.yaml").read_bytes())
    show.out(f"Wrote {path}. Edit it to your fleet, then run `fleetmem up`.")


def prove(
    throw_away: Annotated[bool, typer.Option("--throw-away", help="Attack a fleet made for this, not yours.")] = False,
    as_json: Json = False,
) -> None:
    """Attack the running fleet in every way it should refuse, and write a dated report."""
    from fleetmem.admin import prove as attacks

    held = attacks.run(config.load(), throw_away=throw_away, as_json=as_json)
    raise typer.Exit(Exit.DONE if held else Exit.FAILED)


def doctor(as_json: Json = False) -> None:
    """Look for what is wrong or open with this installation, and say what to do about each."""
    from fleetmem.admin import doctor as examination

    findings = examination.examine(config.load(), options.now())
    if as_json:
        show.out(show.as_json([asdict(finding) for finding in findings]))
    else:
        show.out(examination.report(findings))
    raise typer.Exit(Exit.DONE if examination.is_sound(findings) else Exit.FAILED)


def gateway() -> None:
    """Run the agents' gateway alone, against a database that is up."""
    _serve("agents")


def console() -> None:
    """Run the operators' console alone, against a database that is up."""
    _serve("console")


def register(app: typer.Typer) -> None:
    """Hang the commands on the root."""
    app.command(epilog=examples("fleetmem up", "FLEETMEM_HOME=/srv/fleet fleetmem up"))(up)
    app.command(epilog=examples("fleetmem demo"))(demo)
    app.command(epilog=examples("fleetmem init", "FLEETMEM_ROSTER=crew.yaml fleetmem init"))(init)
    app.command(epilog=examples("fleetmem prove", "fleetmem prove --throw-away --json"))(prove)
    app.command(epilog=examples("fleetmem doctor", "fleetmem doctor --json"))(doctor)
    app.command(epilog=examples("FLEETMEM_GATEWAY_PORT=9000 fleetmem gateway"))(gateway)
    app.command(epilog=examples("fleetmem console"))(console)


def _serve(which: str) -> None:
    from fleetmem_gateway.serve import main

    ended = main([which])
    raise typer.Exit(Exit.UNAVAILABLE if ended == _UNAVAILABLE_SERVICE else ended)


def roster_bytes(path: Path) -> bytes:
    """Read the roster's file.

    Raises:
        ConfigInvalid: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigInvalid(
            f"the roster {path} cannot be read: {error.strerror}; `fleetmem init` writes one", field="FLEETMEM_ROSTER"
        ) from error
