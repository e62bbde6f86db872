"""The declared fence as rows: built from migrations and policies in a scratch database, and remembered.

Roles belong to the server and not to a database, so a scratch database alone would show the live ones on both sides. The
build therefore renames the live roles aside, makes them anew from the declaration, builds, reads, and rolls all of it
back: no other session ever sees a difference.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast

import msgspec
import psycopg
from psycopg import sql
from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import NullPool

from fleetmem.admin import migrate, policies
from fleetmem.admin.database import Conninfo
from fleetmem.admin.postgres.place import own_directory, private_file
from fleetmem.admin.verify.rows import CATALOG, Row, is_superuser, render
from fleetmem.admin.verify.scratch import scratch
from fleetmem.sql.fence_files import shipped, version

_ASIDE: Final = "aside_"
_Driver = psycopg.Connection[Any]


def declared(conninfo: Conninfo, connection: _Driver, *, cache: Path | None = None) -> frozenset[Row]:
    """What this version of the code declares for this server and this login of the owner's.

    `cache` is a folder of ours (HOME/run) that keeps the answer for as long as code, server and login stay the same.
    """
    path = None if cache is None else cache / f"declared-{_key(connection)}.json"
    if path is not None:
        known = _read(path)
        if known is not None:
            return known
    rows = build(conninfo)
    if path is not None:
        _write(path, rows)
    return rows


def build(conninfo: Conninfo) -> frozenset[Row]:
    """Build the declared fence in a scratch database on the server of `conninfo` and read it; nothing of it stays."""
    with scratch(conninfo) as place, _undone(place) as (connection, driver):
        for (role,) in driver.execute(
            "select rolname from pg_roles where rolname like 'fleetmem\\_%' order by 1"
        ).fetchall():
            driver.execute(
                sql.SQL("alter role {} rename to {}").format(sql.Identifier(role), sql.Identifier(_ASIDE + role))
            )
        policies.apply_roles(driver)
        connection.exec_driver_sql("create schema if not exists fence authorization fleetmem_owner")
        migrate.upgrade(connection)
        policies.apply(driver)
        return frozenset(row for row in render(driver) if not _is_the_servers(row))


def _is_the_servers(row: Row) -> bool:
    """Whether the row says what somebody set or granted on the whole server: a scratch database shows it too, undeclared."""
    return row.kind == "parameter privilege" or (row.kind == "role setting" and row.object == "every role")


@contextmanager
def _undone(conninfo: Conninfo) -> Iterator[tuple[Connection, _Driver]]:
    """One transaction, for Alembic and for psycopg under it, that is always rolled back."""
    engine = create_engine(
        "postgresql+psycopg://", poolclass=NullPool, connect_args={**conninfo, "application_name": "fleetmem verify"}
    )
    with engine.connect() as connection:
        try:
            yield connection, cast("_Driver", connection.connection.driver_connection)
        finally:
            connection.rollback()
    engine.dispose()


def _key(connection: _Driver) -> str:
    """What the declared rows depend on: the fence, the migrations, the questions, the server, the login and its rights."""
    digest = hashlib.sha256(version().encode())
    for folder in (shipped("migrations") / "versions", CATALOG):
        for path in sorted(folder.glob("*.[ps][yq]*")):
            digest.update(path.name.encode() + path.read_bytes())
    server = connection.execute("select version(), session_user::text").fetchone()
    digest.update(repr((server, is_superuser(connection))).encode())
    return digest.hexdigest()[:32]


def _read(path: Path) -> frozenset[Row] | None:
    try:
        return frozenset(msgspec.json.decode(path.read_bytes(), type=list[Row]))
    except (OSError, msgspec.DecodeError):
        return None


def _write(path: Path, rows: frozenset[Row]) -> None:
    own_directory(path.parent)
    for old in path.parent.glob("declared-*.json"):
        old.unlink(missing_ok=True)
    private_file(path, msgspec.json.encode(sorted(rows)).decode())
