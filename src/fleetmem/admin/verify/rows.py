"""The live fence as rows: what a database is fenced with, as sorted (kind, object, value)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import psycopg

CATALOG: Final = Path(__file__).resolve().parent / "catalog"
_FOR_SUPERUSERS: Final = "for_superusers.sql"


class Row(NamedTuple):
    """One fact of the fence. An object may have several values of one kind, such as the rights on a table."""

    kind: str
    object: str
    value: str


def render(connection: psycopg.Connection[Any]) -> frozenset[Row]:
    """Read every fact that `catalog/*.sql` asks for, as the connection's own transaction sees it; nothing is changed."""
    rows: set[Row] = set()
    with connection.transaction(force_rollback=True):
        connection.execute("set local search_path = pg_catalog")  # so that every name is printed with its schema
        connection.execute("set local jit = off")
        for question in _questions(connection):
            rows.update(Row(*row) for row in connection.execute(question.read_bytes()).fetchall())
    return frozenset(rows)


def is_superuser(connection: psycopg.Connection[Any]) -> bool:
    """Whether everything can be seen: a few catalogues open to superusers alone."""
    row = connection.execute("select rolsuper from pg_catalog.pg_roles where rolname = current_user").fetchone()
    return row == (True,)


def _questions(connection: psycopg.Connection[Any]) -> Iterator[Path]:
    sees_all = is_superuser(connection)
    for path in sorted(CATALOG.glob("*.sql")):
        if sees_all or path.name != _FOR_SUPERUSERS:
            yield path
