"""Reads that a hot standby answers, for as long as it is proven to be no older than it may be.

The primary is asked how far its log reaches, and later the standby how far it has replayed. Once the standby is past
that point, it holds everything that was committed before the primary was asked: a bound on its age that needs no clock of
theirs. What is not proven within `lag_s` is not read there, so nothing that was revoked, narrowed or retracted longer ago
than that is answered from a standby. Refusals are always the primary's: a token minted a moment ago and a record written
a moment ago are unknown to the standby and good all the same.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from fleetmem.errors import FleetmemError, Unavailable
from fleetmem.store.pool import Pool
from fleetmem.store.session import Session

# A standby that answers a statement slower than this is left for the primary.
ANSWERS_WITHIN_S: Final = 2.0
_LONGEST_PAUSE_S: Final = 1.0
_MOST_MARKS: Final = 64
_NEVER: Final = float("-inf")


class Standby:
    """One standby, and when its state is known to be from: everything committed before `_as_of_s` is there."""

    __slots__ = ("_as_of_s", "_lag_s", "_marks", "_primary", "_session")

    def __init__(self, session: Session, primary: Session, *, lag_s: float) -> None:
        """Read over `session`, which may fail; compare with `primary`; trust a state for `lag_s` seconds."""
        self._session = session
        self._primary = primary
        self._lag_s = lag_s
        self._as_of_s = _NEVER
        self._marks: deque[tuple[float, int]] = deque(maxlen=_MOST_MARKS)

    @property
    def is_fresh(self) -> bool:
        """Whether it may be read now."""
        return time.monotonic() - self._as_of_s <= self._lag_s

    async def read(self, name: str, *values: object) -> bytes | None:
        """Send a statement that answers one JSON document; None where the standby refuses, or does not answer."""
        try:
            return await self._session.read(name, *values)
        except Unavailable:
            self._distrust()
        except FleetmemError:
            return None
        return None

    async def watch(self, turned: Callable[[bool], None]) -> None:
        """Measure for ever, often enough for `lag_s`; tell each time it becomes fit to read, or stops being so."""
        was_fresh = False
        while True:
            await self.measure()
            if self.is_fresh is not was_fresh:
                was_fresh = not was_fresh
                turned(was_fresh)
            await asyncio.sleep(min(self._lag_s / 4, _LONGEST_PAUSE_S))

    async def measure(self) -> None:
        """Ask both servers once, and note what that proves."""
        asked_s = time.monotonic()
        try:
            wanted = await self._primary.row("standby_wanted")
            reached = await self._session.row("standby_reached")
        except FleetmemError:
            return
        if reached["position"] is None or reached["system_identifier"] != wanted["system_identifier"]:
            self._distrust()  # promoted, or of another fleet
            return
        self._marks.append((asked_s, wanted["position"]))
        while self._marks and self._marks[0][1] <= reached["position"]:
            self._as_of_s = self._marks.popleft()[0]

    def _distrust(self) -> None:
        self._as_of_s = _NEVER
        self._marks.clear()


class Replicated(Session):
    """A session whose reads are the standby's while it is fresh; everything else is the primary's."""

    __slots__ = ("_standby",)

    def __init__(self, pool: Pool, standby: Standby, *, wait_s: float) -> None:
        """Use `pool` for the primary, and read from `standby`."""
        super().__init__(pool, wait_s=wait_s)
        self._standby = standby

    async def read(self, name: str, *values: object) -> bytes:
        """Send a statement that answers one JSON document.

        Raises:
            FleetmemError: whatever the primary refuses it with.
        """
        if self._standby.is_fresh:
            document = await self._standby.read(name, *values)
            if document is not None:
                return document
        return await super().read(name, *values)
