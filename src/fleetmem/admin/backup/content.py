"""Which tables a backup holds, and what is in each: a count and a hash that does not depend on the order of rows."""

import hashlib
from typing import Any, Final

import psycopg
from psycopg import sql

from fleetmem.admin.backup.manifest import Table
from fleetmem.errors import SetupInvalid

# Left out on purpose: keys, what is built from the code, and the queue, which the worker's sweep fills again.
_LEFT_OUT: Final = frozenset({"vault.signing_key", "fence.applied", "fence.casefold", "fence.migration"})
_QUEUE: Final = "queue.procrastinate_"
_TABLES: Final = """
select n.nspname || '.' || c.relname,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '')
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'
 order by 1
"""
# How values are printed must not depend on the session or the server they are printed by.
CANONICAL: Final = """
set local timezone = 'UTC'; set local datestyle = 'ISO, MDY'; set local intervalstyle = 'iso_8601';
set local bytea_output = 'hex'; set local extra_float_digits = 1; set local xmlbinary = 'base64'; set local search_path = ''
"""


def tables(connection: psycopg.Connection[Any]) -> dict[str, tuple[str, ...]]:
    """Every table whose rows a backup holds, and its columns.

    Raises:
        SetupInvalid: there is a table that is neither held nor left out on purpose.
    """
    found = {name: tuple(columns) for name, columns in connection.execute(_TABLES).fetchall()}
    held = {name: columns for name, columns in found.items() if name.startswith("fleet.") or name == "vault.bearer"}
    strangers = sorted(name for name in found.keys() - held.keys() - _LEFT_OUT if not name.startswith(_QUEUE))
    if strangers:
        raise SetupInvalid(
            f"{', '.join(strangers)}: no backup holds these tables, and none leaves them out on purpose; move them to a"
            " database of their own"
        )
    return held


def measure(connection: psycopg.Connection[Any], name: str, columns: tuple[str, ...]) -> Table:
    """Count and hash a table as this transaction sees it; the settings of `CANONICAL` must be in force.

    The hash is SHA-256 over the sorted SHA-256 of each row's text; sorting is the server's, so memory here stays small.
    """
    rows, digest = 0, hashlib.sha256()
    question = sql.SQL(
        "copy (select hash from (select encode(sha256(convert_to(row({})::text, 'UTF8')), 'hex') as hash from {}) as hashes"
        ' order by hash collate "C") to stdout'
    ).format(sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier(*name.split(".")))
    with connection.cursor() as cursor, cursor.copy(question) as rows_out:
        for chunk in rows_out:
            digest.update(chunk)
            rows += bytes(chunk).count(b"\n")
    return Table(columns=columns, rows=rows, sha256=digest.hexdigest())
