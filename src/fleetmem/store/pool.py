"""The pool of one process: connections on which nothing session-level is ever set.

A pool of our own because asyncpg's costs more than the query it serves: measured here, 85 us a request for acquire,
release and their time-outs, and a round trip more for its reset. Neither is needed. Identity is bound by each statement
for its own transaction; no statement may leave a session-level SET, LISTEN, cursor or advisory lock behind, and
`tests/store/test_pool.py` proves that nothing of one borrower reaches the next. A connection that was interrupted, for
whatever reason, is never lent again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self, TypeAlias
from urllib.parse import urlencode

import asyncpg

STATEMENT_TIMEOUT_S: Final = 10
CONNECT_TIMEOUT_S: Final = 5
CLOSE_TIMEOUT_S: Final = 5
_STATEMENTS_KEPT: Final = 100

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the database is. `host` is a name, an address, or the folder of a Unix socket.

    `options` are a connection URL's further parameters, such as `sslmode`.
    """

    host: str
    port: int
    dbname: str
    options: tuple[tuple[str, str], ...] = ()


class Pooler(StrEnum):
    """What stands between a process and its server, and may give each transaction another of the server's connections.

    Behind a pooler no statement is kept prepared, which costs a round trip more, unless the pooler follows prepared
    statements itself (PgBouncer from 1.21 with `max_prepared_statements` above 0). And only settings that poolers know
    are sent at the start of a connection.
    """

    NONE = "none"
    TRANSACTION = "transaction"
    PREPARED = "prepared"


async def open_pool(address: Address, *, login: str, password: str, size: int, pooler: Pooler = Pooler.NONE) -> Pool:
    """Make a pool of up to `size` connections as `login`, and its first one now, to fail here and not later.

    Raises:
        OSError: nobody answers at the address.
        asyncpg.PostgresError: the server refuses the login.
    """
    pool = make_pool(address, login=login, password=password, size=size, pooler=pooler)
    pool.give_back(await pool.borrow(wait_s=CONNECT_TIMEOUT_S))
    return pool


def make_pool(
    address: Address,
    *,
    login: str,
    password: str,
    size: int,
    pooler: Pooler = Pooler.NONE,
    timeout_s: float = STATEMENT_TIMEOUT_S,
) -> Pool:
    """Make a pool that opens its first connection when it is needed; a statement may take `timeout_s` seconds."""
    directly = {"jit": "off"} if pooler is Pooler.NONE else {}

    async def connect() -> Connection:
        return await asyncpg.connect(
            "postgresql://?" + urlencode(address.options),
            host=address.host,
            port=address.port,
            database=address.dbname,
            user=login,
            password=password,
            timeout=min(CONNECT_TIMEOUT_S, timeout_s),
            command_timeout=timeout_s,
            statement_cache_size=0 if pooler is Pooler.TRANSACTION else _STATEMENTS_KEPT,
            server_settings={"application_name": login, **directly},
        )

    return Pool(connect, size=size)


class Pool:
    """Lends connections, the one used last first; whoever finds none waits in line."""

    __slots__ = ("_closing", "_connect", "_idle", "_lent", "_places", "_waiting")

    def __init__(self, connect: Callable[[], Awaitable[Connection]], *, size: int) -> None:
        """Lend at most `size` connections at a time, each made by `connect` when it is first needed."""
        self._connect = connect
        self._idle: list[Connection] = []
        self._lent: set[Connection] = set()
        self._places = size
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._closing = False

    async def borrow(self, *, wait_s: float) -> Connection:
        """Lend a connection: give it back with `give_back`, or with `discard` after anything unforeseen.

        Raises:
            TimeoutError: none became free within `wait_s` seconds.
            OSError: a new one was needed, and nobody answers.
            asyncpg.PostgresError: a new one was needed, and the server refuses it.
            asyncpg.InterfaceError: the pool is closed.
        """
        if self._places:
            self._places -= 1
        else:
            await self._wait(wait_s)
        try:
            connection = self._unused() or await self._connect()
        except BaseException:
            self._free_place()
            raise
        self._lent.add(connection)
        return connection

    def give_back(self, connection: Connection) -> None:
        """Take a connection back whose statement ran to its end, also if it was refused."""
        if connection.is_closed() or connection.is_in_transaction() or self._closing:
            self.discard(connection)
            return
        self._lent.remove(connection)
        self._idle.append(connection)
        self._free_place()

    def discard(self, connection: Connection) -> None:
        """Take a connection back and end it: what it is in the middle of is nobody else's business."""
        self._lent.discard(connection)
        connection.terminate()
        self._free_place()

    async def close(self) -> None:
        """End every connection; those that are lent end when they are given back."""
        self._closing = True
        while self._waiting:
            self._free_place()
        idle, self._idle = self._idle, []
        await asyncio.gather(
            *(connection.close(timeout=CLOSE_TIMEOUT_S) for connection in idle), return_exceptions=True
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _unused(self) -> Connection | None:
        if self._closing:
            raise asyncpg.InterfaceError("the pool is closed")
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
        return None

    async def _wait(self, wait_s: float) -> None:
        """Wait in line for a place; whoever leaves one hands it to the first in line."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout(wait_s):
                await turn
        except BaseException:
            if turn.done() and not turn.cancelled():
                self._free_place()  # it came too late to be used
            raise

    def _free_place(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._places += 1
