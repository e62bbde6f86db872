"""Make a backup: everything as of one moment, or nothing.

Row security can empty a dump without a word (measured: a green backup of no rows). So the rows are counted three times
within one snapshot: by the owner, by the role that dumps, and in the finished dump.
"""

import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import sql

import fleetmem
from fleetmem.admin.backup import archive, content, ledger, programs
from fleetmem.admin.backup.manifest import FORMAT, Manifest, Table
from fleetmem.admin.backup.workplace import workplace
from fleetmem.admin.database import Conninfo, owner
from fleetmem.admin.verify.rows import is_superuser
from fleetmem.errors import SetupInvalid

ROLE: Final = "fleetmem_backup"
_ONE_MOMENT: Final = "set transaction isolation level repeatable read, read only"


def backup(conninfo: Conninfo, path: Path, *, now: datetime, pg_bin: Path | None = None, role: str = ROLE) -> Manifest:
    """Write the database of `conninfo` (the owner's) to `path`, dumped as `role`; returns what the file says of itself.

    Raises:
        SetupInvalid: the role cannot see every row, or pg_dump fails; no file is left.
        Unavailable: the server does not answer.
    """
    with owner(conninfo) as connection, workplace(path.parent, ".fleetmem-backup-") as folder:
        connection.execute(_ONE_MOMENT)
        snapshot = connection.execute("select pg_export_snapshot()").fetchone()
        held = content.tables(connection)
        measured = _measure(connection, held, role)
        rows = folder / archive.ROWS
        _dump(conninfo, rows, tables=held, snapshot=str(snapshot[0] if snapshot else ""), role=role,
              program=programs.find("pg_dump", _major(connection), pg_bin))  # fmt: skip
        _compare(measured, rows, programs.find("pg_restore", _major(connection), pg_bin))
        manifest = _manifest(connection, measured, rows, now)
        archive.write(path, manifest, rows)
    return manifest


def _measure(connection: psycopg.Connection[Any], held: dict[str, tuple[str, ...]], role: str) -> dict[str, Table]:
    """Count and hash every table as the role that dumps, and count as the owner where the owner sees all."""
    sees_all = is_superuser(connection)
    with connection.transaction():
        connection.execute(content.CANONICAL)
        everything = {name: _count(connection, name) for name in held} if sees_all else {}
        try:
            connection.execute(sql.SQL("set local role {}").format(sql.Identifier(role)))
            connection.execute("set local row_security = off")  # raise instead of hiding
            measured = {name: content.measure(connection, name, columns) for name, columns in held.items()}
        except psycopg.errors.InsufficientPrivilege as error:
            raise SetupInvalid(
                f"the role {role} does not see every row ({str(error).strip().splitlines()[0]}): the backup would lack what"
                " row security hides. A superuser's `fleetmem policies apply --again` gives it its rights; where you have no"
                " superuser, use the server's own backups"
            ) from error
        except (psycopg.errors.UndefinedObject, psycopg.errors.InvalidParameterValue) as error:
            raise SetupInvalid(
                f"there is no role {role}: the database is under an older fence; run `fleetmem db migrate`"
            ) from error
        connection.execute("reset role")
        connection.execute("set local row_security = on")
    for name, rows in everything.items():
        if measured[name].rows != rows:
            raise SetupInvalid(
                f"the role {role} sees {measured[name].rows} of {rows} rows of {name}; no backup was made"
            )
    return measured


def _dump(
    conninfo: Conninfo, rows: Path, *, tables: dict[str, tuple[str, ...]], snapshot: str, role: str, program: Path
) -> None:
    where, environment = programs.connecting(conninfo)
    command = [str(program), f"--dbname={where}", "--format=custom", "--data-only", "--strict-names", "--no-password",
               f"--role={role}", f"--snapshot={snapshot}", f"--file={rows}", "--lock-wait-timeout=60000",
               *(f"--table={name}" for name in tables)]  # fmt: skip
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise SetupInvalid(f"pg_dump failed: {done.stderr.strip()}")


def _compare(measured: dict[str, Table], rows: Path, pg_restore: Path) -> None:
    """Read the dump back: it holds every row that was counted."""
    found = {name: sum(1 for _ in lines) for name, _, lines in archive.read_rows(pg_restore, rows)}
    for name, table in measured.items():
        if found.get(name, 0) != table.rows:
            raise SetupInvalid(
                f"the dump holds {found.get(name, 0)} of {table.rows} rows of {name}; no backup was made"
            )


def _manifest(connection: psycopg.Connection[Any], measured: dict[str, Table], rows: Path, now: datetime) -> Manifest:
    said = connection.execute(
        "select current_setting('server_version'), (select version_num from fence.migration), api.fence_version()"
    ).fetchone()
    if said is None:
        raise SetupInvalid("the database holds no fleet")
    return Manifest(
        format=FORMAT,
        fleetmem=fleetmem.__version__,
        postgres=str(said[0]),
        migration=str(said[1]),
        fence=str(said[2]),
        created_at=now,
        tables=measured,
        ledger_head=ledger.head(connection),
        parts={archive.ROWS: archive.part(rows)},
    )


def _count(connection: psycopg.Connection[Any], name: str) -> int:
    row = connection.execute(sql.SQL("select count(*) from {}").format(sql.Identifier(*name.split(".")))).fetchone()
    return int(row[0]) if row else 0


def _major(connection: psycopg.Connection[Any]) -> int:
    return connection.info.server_version // 10_000
