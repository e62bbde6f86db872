"""The worker's only door to the database: named statements, in one transaction at a time.

A job does its thinking between transactions, never inside one: nothing that can wait (a model, a file, another machine)
holds a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import psycopg
from psycopg import IsolationLevel
from psycopg.rows import class_row, tuple_row
from psycopg_pool import ConnectionPool, PoolTimeout

from fleetmem.errors import Unavailable
from fleetmem.sql import statement
from fleetmem.worker.place import Address

Row = tuple[Any, ...]
_Shape = TypeVar("_Shape")
_WAIT_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Transaction:
    """An open transaction; it commits when its block ends and is undone when that raises."""

    connection: psycopg.Connection[Row]

    def rows(self, shape: type[_Shape], name: str, *values: object) -> list[_Shape]:
        """Run a statement and return its rows as `shape`, whose fields are the statement's columns."""
        with psycopg.RawCursor(self.connection, row_factory=class_row(shape)) as cursor:
            return cursor.execute(statement(name), values).fetchall()

    def one(self, shape: type[_Shape], name: str, *values: object) -> _Shape | None:
        """Run a statement that finds at most one row."""
        found = self.rows(shape, name, *values)
        return found[0] if found else None

    def value(self, name: str, *values: object) -> Any:
        """Run a statement and return the first column of its first row; None where there is no row."""
        with psycopg.RawCursor(self.connection, row_factory=tuple_row) as cursor:
            row = cursor.execute(statement(name), values).fetchone()
        return row[0] if row else None

    def values(self, name: str, *values: object) -> list[Any]:
        """Run a statement and return the first column of every row."""
        with psycopg.RawCursor(self.connection, row_factory=tuple_row) as cursor:
            return [row[0] for row in cursor.execute(statement(name), values).fetchall()]

    def run(self, name: str, *values: object) -> int:
        """Run a statement for what it does, and return how many rows it concerned."""
        with psycopg.RawCursor(self.connection, row_factory=tuple_row) as cursor:
            return cursor.execute(statement(name), values).rowcount


class Session:
    """Hands out transactions of a pool."""

    def __init__(self, pool: ConnectionPool[psycopg.Connection[Row]]) -> None:
        self._pool = pool

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Open a transaction that may write.

        Raises:
            Unavailable: no connection is to be had.
        """
        with self._connection() as connection, connection.transaction():
            yield Transaction(connection)

    @contextmanager
    def snapshot(self) -> Iterator[Transaction]:
        """Open a transaction that only reads, and all of it as of one moment.

        Raises:
            Unavailable: no connection is to be had.
        """
        with self._connection() as connection:
            connection.isolation_level, connection.read_only = IsolationLevel.REPEATABLE_READ, True
            try:
                with connection.transaction():
                    yield Transaction(connection)
            finally:
                if not connection.closed:
                    connection.isolation_level, connection.read_only = None, None

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Row]]:
        try:
            connection = self._pool.getconn(timeout=_WAIT_S)
        except PoolTimeout as error:
            raise Unavailable("the database does not answer the worker") from error
        try:
            yield connection
        finally:
            self._pool.putconn(connection)


@contextmanager
def opened(where: Address, *, size: int) -> Iterator[Session]:
    """Hold a pool of up to `size` connections open.

    Raises:
        Unavailable: the database does not answer, or refuses the login.
    """
    pool: ConnectionPool[psycopg.Connection[Row]] = ConnectionPool(
        kwargs=dict(where), min_size=1, max_size=size, open=False, check=ConnectionPool.check_connection
    )
    try:
        pool.open(wait=True, timeout=_WAIT_S)
    except (PoolTimeout, psycopg.OperationalError) as error:
        pool.close()
        raise Unavailable("the database does not answer the worker") from error
    with pool:
        yield Session(pool)
