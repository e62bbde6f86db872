"""The pool of one process: connections on which nothing session-level is ever set.

asyncpg resets a connection with a round trip of its own each time it is given back. That is left out here: identity is
bound by each statement for its own transaction, no statement may hold a session-level SET, LISTEN, cursor or advisory
lock, and `tests/store/test_pool.py` proves that nothing of one borrower reaches the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

import asyncpg

Pool = asyncpg.Pool
STATEMENT_TIMEOUT_S: Final = 10
CONNECT_TIMEOUT_S: Final = 5
IDLE_CONNECTION_S: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the database is. `host` is a name, an address, or the folder of a Unix socket.

    `options` are a connection URL's further parameters, such as `sslmode`.
    """

    host: str
    port: int
    dbname: str
    options: tuple[tuple[str, str], ...] = ()


async def open_pool(address: Address, *, login: str, password: str, size: int) -> asyncpg.Pool:
    """Open up to `size` connections as `login`; one is made at once, to fail here rather than at the first request.

    Raises:
        OSError: nobody answers at the address.
        asyncpg.PostgresError: the server refuses the login.
    """
    return await asyncpg.create_pool(
        "postgresql://?" + urlencode(address.options),
        host=address.host,
        port=address.port,
        database=address.dbname,
        user=login,
        password=password,
        min_size=1,
        max_size=size,
        timeout=CONNECT_TIMEOUT_S,
        command_timeout=STATEMENT_TIMEOUT_S,
        max_inactive_connection_lifetime=IDLE_CONNECTION_S,
        statement_cache_size=100,
        server_settings={"application_name": login, "jit": "off"},
        reset=_leave_as_is,
    )


async def _leave_as_is(_connection: asyncpg.Connection) -> None:
    """Ask nothing of the server: see the module's first lines for why that is safe."""
