"""Databases full of beats, written past the triggers by the superuser of a throw-away server.

Sizes of audiences are skewed as in life: of `AUDIENCES` audiences the first few hold most beats. Nine of ten beats are
history; the rest are live. Identifiers and times are those that the triggers would have given.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg import sql

from fleetmem.admin import database, keys, tokens
from fleetmem.admin.database import Conninfo
from fleetmem.fleet.agent import Rol
from fleetmem.fleet.claims import SigningKey

AUDIENCES: Final = tuple(f"team-{number:03}" for number in range(1, 401))
_AUTHORS: Final = tuple(f"writer-{number:02}" for number in range(1, 51))

_BEATS: Final = """
insert into fleet.beat (id, author, topic, topic_key, body, audience, created_at, expires_at, ended_at, ended_as)
select fence.new_id(s.at), (%(authors)s::text[])[1 + s.g %% cardinality(%(authors)s)], s.topic, s.topic,
       'note ' || s.g || repeat(' the boiler is serviced on Thursday between nine and eleven;', 1 + s.g %% 4),
       -- A cube makes few audiences large and most small.
       (%(audiences)s::text[])[1 + floor(cardinality(%(audiences)s) * power(s.lot, %(skew)s))::int],
       s.at, s.at + interval '30 days',
       case when not s.live then s.at + interval '1 hour' end, case when not s.live then 'superseded' end
  from (select g, random() as lot, g %% 10 = 0 as live, 'topic ' || g as topic,
               clock_timestamp() - (%(rows)s - g + 1) * interval '1 second' as at
          from generate_series(1, %(rows)s) g) s
"""
_INDEXES: Final = """
select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
  from pg_index i where i.indrelid = 'fleet.beat'::regclass and not i.indisprimary
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """An agent to read as: what it may read, and the bearer token its claims are minted for."""

    name: str
    reads: tuple[str, ...]
    bearer_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeded:
    """A fenced database full of beats."""

    owner: Conninfo
    rows: int
    key: SigningKey
    narrow: Reader
    wide: Reader
    empty: Reader
    usual: Reader

    @property
    def readers(self) -> tuple[Reader, Reader, Reader]:
        """The three kinds of reader a fence is measured with."""
        return self.narrow, self.wide, self.empty


def fenced(server: Conninfo, dbname: str, *, rows: int) -> Seeded:
    """Make a fenced database with `rows` beats and its readers.

    Of the beats, the narrow reader sees 0.3 percent, the wide one 54, the empty one none. The usual one reads three audiences
    that fill a page at every size.
    """
    owner: Conninfo = {**server, "dbname": dbname}
    database.prepare(owner)
    with database.owner(owner) as connection:
        key = keys.register(connection, Rol.AGENT)
        with _past_triggers(connection):
            connection.execute("insert into fleet.audience (name) select unnest(%s::text[])", [list(AUDIENCES)])
            for name in _AUTHORS:
                _principal(connection, name, reads=(), writes=AUDIENCES[:1])
        readers = {
            name: _reader(connection, name, reads)
            for name, reads in (
                ("narrow", AUDIENCES[347:350]),
                ("wide", AUDIENCES[:63]),
                ("empty", ()),
                ("usual", AUDIENCES[:3]),
            )
        }
        fill(connection, rows=rows, authors=_AUTHORS, audiences=AUDIENCES, skew=3)
    settle(owner)
    return Seeded(owner=owner, rows=rows, key=key, **readers)


def fill(
    connection: psycopg.Connection[tuple[object, ...]],
    *,
    rows: int,
    authors: Sequence[str],
    audiences: Sequence[str],
    skew: float = 1,
) -> None:
    """Write `rows` beats; the indexes are made again afterwards, which is faster than to keep them up."""
    indexes = connection.execute(_INDEXES).fetchall()
    for name, _ in indexes:
        connection.execute(sql.SQL("drop index {}").format(sql.SQL(str(name))))
    with _past_triggers(connection):
        connection.execute("select setseed(0.42)")
        connection.execute(_BEATS, {"rows": rows, "authors": list(authors), "audiences": list(audiences), "skew": skew})
    for _, definition in indexes:
        connection.execute(str(definition).encode())


def settle(owner: Conninfo) -> None:
    """Vacuum, analyze and checkpoint, so that no background work of the seeding is measured."""
    with psycopg.connect(**owner, autocommit=True) as connection:
        connection.execute("vacuum (analyze)")
        connection.execute("checkpoint")


@contextmanager
def _past_triggers(connection: psycopg.Connection[tuple[object, ...]]) -> Iterator[None]:
    connection.execute("set local session_replication_role = replica")
    yield
    connection.execute("set local session_replication_role = origin")


def _reader(connection: psycopg.Connection[tuple[object, ...]], name: str, reads: tuple[str, ...]) -> Reader:
    _principal(connection, name, reads=reads, writes=AUDIENCES[:1])
    bearer_id, _ = tokens.issue(connection, name)
    return Reader(name=name, reads=reads, bearer_id=bearer_id)


def _principal(
    connection: psycopg.Connection[tuple[object, ...]], name: str, *, reads: Sequence[str], writes: Sequence[str]
) -> None:
    connection.execute(
        "insert into fleet.principal (name, rol, reads, writes) values (%s, 'agent', %s, %s)",
        [name, list(reads), list(writes)],
    )
