"""Handoffs and the moves they make."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct

from fleetmem.wire.base import PAGE_SIZE, Cursor, Instant, Name, PageSize, Text

HandoffStatus = Literal["open", "accepted", "declined", "done", "failed", "withdrawn"]
Box = Literal["inbox", "outbox", "visible"]
Outcome = Literal["done", "failed"]


class HandoffDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for a colleague. Sender and recipient always see it; others by its audience."""

    recipient: Name
    request: Text
    audience: Name
    due_at: Instant | None = None


class HandoffReply(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may go along with accepting, declining or withdrawing."""

    reply: Text | None = None


class HandoffAnswer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an accepted handoff ended, in the recipient's words; these are required."""

    outcome: Outcome
    reply: Text


class HandoffQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which handoffs to list: those sent to the reader, by the reader, or all that it may see."""

    box: Box = "inbox"
    status: HandoffStatus | None = None
    overdue: bool = False
    cursor: Cursor | None = None
    limit: PageSize = PAGE_SIZE


class Handoff(Struct, frozen=True, kw_only=True):
    """One handoff. `notice` says, always, that it is a colleague's request and not the owner's instruction.

    `flags` names what the request's text tries (approval claimed in advance, checks to be skipped); empty is usual.
    """

    id: UUID
    sender: str
    recipient: str
    request: str
    audience: str
    status: HandoffStatus
    flags: list[str]
    created_at: datetime
    due_at: datetime | None
    updated_at: datetime
    reply: str | None
    overdue: bool
    notice: str


class Transition(Struct, frozen=True, kw_only=True, rename={"before": "from", "after": "to"}):
    """One move of a handoff; `from` is None for its sending."""

    before: HandoffStatus | None
    after: HandoffStatus
    by: str
    at: datetime
    reply: str | None


class HandoffDetail(Handoff, frozen=True, kw_only=True):
    """One handoff with every move it made, oldest first."""

    history: list[Transition]


class HandoffPage(Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page, None on the last."""

    items: list[Handoff]
    next: str | None
