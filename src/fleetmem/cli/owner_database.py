"""`fleetmem db migrate|prepare`, `fleetmem policies plan|apply`."""

# ruff: noqa: PLC0415 -- the owner's tools are imported by the command that needs them, so that an agent's start fast

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fleetmem import config
from fleetmem.cli import options, show
from fleetmem.cli.options import Json, examples
from fleetmem.cli.outcome import Exit
from fleetmem.errors import ConfigInvalid

if TYPE_CHECKING:
    from fleetmem.admin.policies import Plan

db = options.group("The database: its tables.")
policies = options.group("The fence: roles, policies, triggers and functions, re-applied whole.")


@db.command(epilog=examples("fleetmem db migrate", "FLEETMEM_DATABASE_URL=postgresql://… fleetmem db migrate"))
def migrate(as_json: Json = False) -> None:
    """Bring tables and fence to what this version declares; running it again changes nothing."""
    from fleetmem.admin import database, deployment

    with deployment.reach(config.load(), show.note) as conninfo:
        done = database.prepare(conninfo)
    if as_json:
        show.out(show.as_json(asdict(done)))
        return
    made = [f"created the database {conninfo['dbname']}"] if done.created else []
    made += [f"migrated to {revision}" for revision in done.migrations]
    show.out("\n".join([*made, *_sentences(done.policies)]) or "Nothing to do.")


@db.command(
    epilog=examples(
        "FLEETMEM_DATABASE_URL=postgresql://… fleetmem db prepare",
        "FLEETMEM_DATABASE_URL=postgresql://… fleetmem db prepare --password-file owner.password",
    )
)
def prepare(
    password_file: Annotated[
        Path | None,
        typer.Option("--password-file", help="The owner's password, in a file: in no environment and no command line."),
    ] = None,
) -> None:
    """Make all that services on your own server need, and start none: tables, fence, roster, logins, keys, first tokens."""
    from fleetmem.admin import deployment

    settings = config.load()
    conninfo = deployment.external(settings)
    if conninfo is None:
        raise ConfigInvalid("set FLEETMEM_DATABASE_URL to the owner's database", field="FLEETMEM_DATABASE_URL")
    if password_file is not None:
        conninfo = {**conninfo, "password": password_file.read_text(encoding="utf-8").strip()}
    deployment.equip(settings, conninfo, show.out)
    show.out(f"prepared; services find what they need in {settings.home}")


@policies.command(epilog=examples("fleetmem policies plan", "fleetmem policies plan --check"))
def plan(
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 when there is something to apply.")] = False,
    as_json: Json = False,
) -> None:
    """Say which policy files differ from what the database runs under."""
    from fleetmem.admin import database, deployment
    from fleetmem.admin import policies as fence

    with deployment.reach(config.load(), show.note) as conninfo, database.owner(conninfo) as connection:
        difference = fence.plan(connection)
    _show(difference, as_json=as_json)
    raise typer.Exit(Exit.FAILED if check and not difference.is_empty else Exit.DONE)


@policies.command(epilog=examples("fleetmem policies apply", "fleetmem policies apply --again"))
def apply(
    again: Annotated[
        bool, typer.Option("--again", help="Also when nothing differs: mends what was changed by hand.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Apply the declared fence whole, in one transaction; the old one stands if anything fails."""
    from fleetmem.admin import database, deployment
    from fleetmem.admin import policies as fence

    with deployment.reach(config.load(), show.note) as conninfo, database.owner(conninfo) as connection:
        difference = fence.apply(connection, again=again)
    if again and difference.is_empty and not as_json:
        show.out("Every policy file was applied again.")
    else:
        _show(difference, as_json=as_json)
    if not as_json and not difference.is_empty:
        show.note("Restart the gateway and the console: each refuses to start under a fence that is not its own.")


def _show(difference: Plan, *, as_json: bool) -> None:
    if as_json:
        show.out(show.as_json(asdict(difference)))
    else:
        show.out("\n".join(_sentences(difference)) or "The fence in force is the declared one.")


def _sentences(difference: Plan) -> list[str]:
    kinds = (("added", difference.added), ("changed", difference.changed), ("removed", difference.removed))
    return [f"{kind}: policies/fence/{name}" for kind, names in kinds for name in names]
