"""Connections straight to the database: one as the gateway's login under a claim, one past the fence."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, LiteralString, TypeAlias

import psycopg

from bench.seed import Reader, Seeded
from fleetmem.admin.database import Conninfo
from fleetmem.fleet import claims

LOGIN: Final = "fleetmem_gateway"
Connection: TypeAlias = psycopg.Connection[tuple[object, ...]]
_BIND: Final = "select set_config('role', 'fleetmem_agent', true), set_config('fence.token', %s, true)"


def claim(seeded: Seeded, reader: Reader) -> str:
    """A claim of a reader, good for the next two minutes: the longest the database takes."""
    now = time.time()  # noqa: TID251 -- a claim says when it was made
    return claims.mint(seeded.key, reader.name, reader.bearer_id, now, claims.LONGEST_LIFETIME_S)


@contextmanager
def as_gateway(owner: Conninfo, password: str) -> Iterator[Connection]:
    """A connection as the gateway's login, each statement its own transaction."""
    with psycopg.connect(**{**owner, "user": LOGIN, "password": password}, autocommit=True) as connection:  # type: ignore[arg-type]
        yield connection


@contextmanager
def as_superuser(owner: Conninfo) -> Iterator[Connection]:
    """A connection that row security does not apply to."""
    with psycopg.connect(**owner, autocommit=True) as connection:
        yield connection


@contextmanager
def under_claim(connection: Connection, held: str) -> Iterator[None]:
    """A transaction as the agents' role, under a claim, as raw SQL with the login could open it."""
    with connection.transaction():
        connection.execute(_BIND, [held])
        yield


def value(connection: Connection, statement: LiteralString, values: list[object]) -> object:
    """The one value a statement answers."""
    row = connection.execute(statement, values).fetchone()
    return None if row is None else row[0]
