"""The ledger read past every service: what its owner, or an auditor of the database, verifies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

import psycopg
from psycopg.rows import class_row

from fleetmem.admin import database
from fleetmem.admin.database import Conninfo
from fleetmem.memory.ledger import Entry

_PAGE: Final = 1_000
_ROWS: Final = """
select seq, at, event, note, agent, actor, reason, detail::text as detail, prev, hash
  from fleet.ledger where seq > %s order by seq limit %s
"""
# Whoever is no superuser reads as the auditor, whom row security shows every row: an empty answer would pass for a whole one.
_AS_AUDITOR: Final = """
select set_config('role', case when rolsuper or rolbypassrls then 'none' else 'fleetmem_auditor' end, true)
  from pg_roles where rolname = session_user
"""


def entries(conninfo: Conninfo) -> Iterator[Entry]:
    """Yield every row, oldest first, from one moment's state, a page at a time.

    Raises:
        Unavailable: the server does not answer.
    """
    with database.owner(conninfo) as connection:
        connection.execute("set transaction isolation level repeatable read, read only")
        connection.execute(_AS_AUDITOR)
        yield from read(connection)


def read(connection: psycopg.Connection[tuple[object, ...]]) -> Iterator[Entry]:
    """Yield every row that the connection may read, oldest first."""
    after = -(2**63)
    with cast("psycopg.Connection[Entry]", connection).cursor(row_factory=class_row(Entry)) as cursor:
        while True:
            page = cursor.execute(_ROWS, [after, _PAGE]).fetchall()
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].seq
