"""Handoffs: sent, listed, read, moved. Each function is one statement under the signed `claim`.

Answers are JSON documents as Postgres renders them; `wire.Handoff`, `wire.HandoffDetail` and `wire.HandoffPage` are
their shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fleetmem.ids import HandoffId
from fleetmem.store.session import Place, Retry, Session, Written
from fleetmem.wire import Box, HandoffStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which handoffs a list holds: those sent to the reader, by the reader, or all it may see."""

    box: Box
    status: HandoffStatus | None = None
    overdue_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewHandoff:
    """A handoff to send, checked; `flags` name what its text tries."""

    recipient: str
    request: str
    audience: str
    due_at: datetime | None
    flags: tuple[str, ...]


async def send(session: Session, claim: str, handoff: NewHandoff, retry: Retry) -> Written:
    """Write a handoff, open.

    Raises:
        RecipientUnknown: no active agent has that name, or it is the sender's own.
        AudienceNotWritable: the sender does not write for that audience.
    """
    return await session.write(
        "handoff_send",
        claim,
        retry.key,
        retry.sha256,
        handoff.recipient,
        handoff.request,
        handoff.audience,
        handoff.due_at,
        list(handoff.flags),
    )


async def page(session: Session, claim: str, wanted: Filter, place: Place) -> bytes:
    """Read the newest handoffs of a box."""
    return await session.read(
        "handoff_list", claim, wanted.box, wanted.status, wanted.overdue_only, place.before, place.size
    )


async def get(session: Session, claim: str, handoff_id: HandoffId) -> bytes:
    """Read one handoff with its history.

    Raises:
        Absent: there is none, or none the bearer may see.
    """
    return await session.read("handoff_get", claim, handoff_id)


async def move(
    session: Session, claim: str, handoff_id: HandoffId, *, to_status: HandoffStatus, reply: str | None, retry: Retry
) -> Written:
    """Move a handoff to another status; of two at once, one wins.

    Raises:
        Absent: there is none, or none the bearer may see.
        TransitionRefused: its status does not allow the move, or it is not this agent's to make.
    """
    return await session.write("handoff_move", claim, retry.key, retry.sha256, handoff_id, to_status, reply)
