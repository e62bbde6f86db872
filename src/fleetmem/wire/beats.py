"""Beats."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from fleetmem.board import beat
from fleetmem.wire.base import PAGE_SIZE, Cursor, Instant, Name, PageSize, Text

BeatStatus = Literal["live", "superseded", "retracted", "expired"]
Topic = Annotated[
    str,
    Meta(
        min_length=1, max_length=beat.LONGEST_TOPIC, description="One visible line; compared by NFC and case folding."
    ),
]


class BeatDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A beat to publish. Without `expires_at` it lives seven days."""

    topic: Topic
    body: Text
    audience: Name
    expires_at: Instant | None = None


class BeatQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which beats to list: all parts must hold. Only live ones unless `live` is false."""

    topic: Topic | None = None
    author: Name | None = None
    audience: Name | None = None
    since: Instant | None = None
    live: bool = True
    cursor: Cursor | None = None
    limit: PageSize = PAGE_SIZE


class Beat(Struct, frozen=True, kw_only=True):
    """One published beat. `ended_at` is None while it is live."""

    id: UUID
    author: str
    topic: str
    body: str
    audience: str
    status: BeatStatus
    created_at: datetime
    expires_at: datetime
    ended_at: datetime | None


class BeatPage(Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page, None on the last."""

    items: list[Beat]
    next: str | None
