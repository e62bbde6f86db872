"""The only door to the database: one statement a request, and its failures as the error tree.

A statement is one implicit transaction. It binds the claim, enters as the role the claim earns, and ends; the
connection carries nothing from one request to the next.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import asyncpg

from fleetmem.errors import BeatEnded, RunSettled, TaskSettled, TransitionRefused
from fleetmem.sql import statement
from fleetmem.store import pgerrors
from fleetmem.store.pool import Pool

# Before each further try of a statement that lost to another: enough for the winner to commit.
_PAUSES_S: Final = (0.01, 0.04, 0.16)


@dataclass(frozen=True, slots=True)
class Written:
    """What a write answered: HTTP status, JSON document, and whether it is a first answer given again."""

    status: int
    document: bytes
    replayed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """What makes a write safe to send twice: the caller's key, and SHA-256 of the request it stands for.

    Without a key the write is not remembered, and sending it twice writes twice.
    """

    key: str | None
    sha256: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a page starts and how long it is: records older than `before`, from the newest where it is None."""

    before: UUID | None
    size: int


class Session:
    """Sends named statements over a pool."""

    __slots__ = ("_pool", "_wait_s")

    def __init__(self, pool: Pool, *, wait_s: float) -> None:
        """Use `pool`; a statement waits `wait_s` seconds for a connection before it gives up."""
        self._pool = pool
        self._wait_s = wait_s

    async def read(self, name: str, *values: object) -> bytes:
        """Send a statement that answers one JSON document.

        Raises:
            FleetmemError: whatever `pgerrors` makes of the refusal.
        """
        document: str = (await self.row(name, *values))[0]
        return document.encode()

    async def write(self, name: str, *values: object) -> Written:
        """Send a statement that writes, and answers (status, document, replayed).

        Raises:
            FleetmemError: whatever `pgerrors` makes of the refusal.
        """
        try:
            status, document, replayed = await self.row(name, *values)
        except (TransitionRefused, BeatEnded, TaskSettled, RunSettled):
            # Refused, perhaps, because of its own first sending: it looked for that one's answer, found none yet, and then
            # waited for its commit. The answer is there by now; who sent no key, or another one, is refused once more.
            status, document, replayed = await self.row(name, *values)
        return Written(status, document.encode(), replayed)

    async def row(self, name: str, *values: object) -> Any:
        """Send a statement that answers one row; None where it answers none.

        Raises:
            FleetmemError: whatever `pgerrors` makes of the refusal.
        """
        text = statement(name)
        for pause_s in _PAUSES_S:
            try:
                return await self._send(text, values)
            except pgerrors.FAILURES as error:
                if not pgerrors.is_contention(error):
                    raise pgerrors.translate(error) from error
            await asyncio.sleep(pause_s)
        try:
            return await self._send(text, values)
        except pgerrors.FAILURES as error:
            raise pgerrors.translate(error) from error

    async def _send(self, text: str, values: tuple[object, ...]) -> Any:
        connection = await self._pool.borrow(wait_s=self._wait_s)
        try:
            row = await connection.fetchrow(text, *values)
        except asyncpg.PostgresError:
            self._pool.give_back(connection)
            raise
        except BaseException:  # cancelled, timed out, broken off: the server may still be at it
            self._pool.discard(connection)
            raise
        self._pool.give_back(connection)
        return row
