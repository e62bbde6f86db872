"""The ledger's reading side: rows oldest first, the head, and what it tells of one agent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from fleetmem.fleet.agent import Rol
from fleetmem.store.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which rows: those after the number `after`, of one note, of one agent; None does not narrow."""

    after: int | None
    note: UUID | None
    agent: str | None
    size: int


async def page(session: Session, claim: str, rol: Rol, wanted: Filter) -> bytes:
    """Read rows, oldest first, as `wire.LedgerPage`."""
    return await session.read("console_ledger", claim, rol.value, wanted.after, wanted.note, wanted.agent, wanted.size)


async def head(session: Session, claim: str, rol: Rol) -> bytes:
    """Read the last row's number and hash, as `wire.LedgerHead`."""
    return await session.read("console_ledger_head", claim, rol.value)


async def story(session: Session, claim: str, rol: Rol, agent: str, at: datetime | None) -> bytes:
    """Read all that is told of an agent up to a moment, also of one that has left, as `wire.Story`.

    Raises:
        Absent: there never was such an agent.
    """
    return await session.read("console_ledger_story", claim, rol.value, agent, at)
