"""`fleetmem backup` and `fleetmem restore`."""

# ruff: noqa: PLC0415 -- the owner's tools are imported by the command that needs them, so that an agent's start fast

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import msgspec
import typer

from fleetmem import config
from fleetmem.cli import options, show
from fleetmem.cli.options import Json, examples
from fleetmem.cli.outcome import Exit
from fleetmem.errors import SetupInvalid

if TYPE_CHECKING:
    from fleetmem.admin.backup import Manifest
    from fleetmem.admin.database import Conninfo


def backup(
    file: Annotated[
        Path | None, typer.Argument(help="The file to write; a dated one in HOME/backups unless told.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write every record to one file, with a manifest of what it holds; keys and passwords are in none."""
    from fleetmem.admin import backup as backups
    from fleetmem.admin import deployment
    from fleetmem.admin.postgres.place import own_directory

    settings, now = config.load(), options.now()
    if file is None:
        file = own_directory(settings.home / "backups") / f"fleetmem-{now:%Y%m%dT%H%M%SZ}.tar"
    if file.exists():
        raise SetupInvalid(f"{file} is there already, and a backup overwrites nothing")
    with deployment.reach(settings, show.note) as conninfo:
        manifest = backups.backup(conninfo, file, now=now, pg_bin=settings.pg_bin)
    show.out(_json(file, manifest) if as_json else f"Wrote {file}.\n{_rows(manifest)}")


def restore(
    file: Annotated[Path, typer.Argument(help="A backup.")],
    into: Annotated[
        str | None, typer.Option(help="Another database of the server, to look at; it gets no keys.")
    ] = None,
    keep_tokens: Annotated[
        bool,
        typer.Option("--keep-tokens", help="Keep the bearer tokens of before valid. They are revoked unless told."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Bring a backup back into an empty database: roles, tables, rows, policies; then new keys and new tokens."""
    from fleetmem.admin import backup as backups
    from fleetmem.admin import database, deployment, verify
    from fleetmem.admin.backup import rekey

    settings = config.load()
    minted: list[str] = []
    with deployment.reach(settings, show.note, may_make=True) as own:
        conninfo = own if into is None else cast("Conninfo", {**own, "dbname": into})
        restored = backups.restore(conninfo, file, keep_tokens=keep_tokens, pg_bin=settings.pg_bin)
        if into is None:
            with database.owner(conninfo) as connection:
                rekey.rekey(connection, settings.home)
                minted = [] if keep_tokens else rekey.reissue(connection, settings.home)
        report = verify.verify(conninfo)
    is_sound = report.is_clean and not restored.ledger_faults
    if as_json:
        show.out(_json(file, restored.manifest, revoked=restored.revoked, clean=is_sound))
    else:
        show.out("\n".join([
            f"Restored {file} of {show.moment(restored.manifest.created_at)} into {conninfo['dbname']}, as its manifest says.",
            _rows(restored.manifest),
            *(f"migrated it to {revision}" for revision in restored.migrated),
            f"revoked {restored.revoked} bearer tokens of before",
            *(f"its ledger is NOT whole, as it was when the backup was made: {show.line(fault)}" for fault in restored.ledger_faults),
            *([f"minted new tokens for {', '.join(minted)} (in {settings.home / 'tokens'})"] if minted else []),
            "new signing keys are in place; `fleetmem up` gives the logins their passwords" if into is None
            else "it has no signing key: nothing can be read there until it gets one",
            "its fence is the declared one" if report.is_clean else "its fence is NOT the declared one:",
            *(f"- {show.line(finding.sentence())}" for finding in report.findings),
        ]))  # fmt: skip
    raise typer.Exit(Exit.DONE if is_sound else Exit.FAILED)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command(epilog=examples("fleetmem backup", "fleetmem backup /mnt/elsewhere/tonight.tar"))(backup)
    app.command(epilog=examples("fleetmem restore tonight.tar", "fleetmem restore tonight.tar --into look"))(restore)


def _rows(manifest: Manifest) -> str:
    rows = [(name, str(table.rows), table.sha256[:16]) for name, table in sorted(manifest.tables.items())]
    return show.table(("table", "rows", "sha256"), rows)


def _json(file: Path, manifest: Manifest, **more: object) -> str:
    return show.as_json({"file": str(file), "manifest": msgspec.to_builtins(manifest), **more})
