"""Who held a note, and what they wrote meanwhile."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct

from fleetmem.wire.notes import NoteStatus


class Writing(Struct, frozen=True, kw_only=True):
    """A record that an agent made while it held a note: which and for whom, never what it says."""

    kind: Literal["run", "note", "message", "beat", "handoff", "handoff_move"]
    id: UUID
    at: datetime
    audiences: list[str]


class Holder(Struct, frozen=True, kw_only=True):
    """Who held a note since when. `gone_at` is when its block was seen to be gone; None: it may still be there.

    `wrote` holds the first 500 of `wrote_in_all` records, oldest first.
    """

    agent: str
    landing: UUID
    status: Literal["landed", "drifted", "removing", "removed"]
    path: str | None
    held_since: datetime
    gone_at: datetime | None
    wrote: list[Writing]
    wrote_in_all: int


class Recall(Struct, frozen=True, kw_only=True):
    """Who ever held a note, and what they wrote meanwhile."""

    id: UUID
    status: NoteStatus
    decided_at: datetime | None
    holders: list[Holder]
