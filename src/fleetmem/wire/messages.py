"""Messages: what is said within a team."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct

from fleetmem.wire.base import PAGE_SIZE, Cursor, Name, PageSize
from fleetmem.wire.capture import Captured

Speaker = Literal["agent", "human"]


class MessageDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something said within a team. `human` marks a person's words, which the author reports."""

    body: Captured
    audience: Name
    speaker: Speaker = "agent"
    task: UUID | None = None
    run: UUID | None = None


class MessageQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which messages of a team to list: of one task, and only what came after a message."""

    task: UUID | None = None
    after: UUID | None = None
    cursor: Cursor | None = None
    limit: PageSize = PAGE_SIZE


class Message(Struct, frozen=True, kw_only=True):
    """Something said within a team."""

    id: UUID
    team: str
    task: UUID | None
    run: UUID | None
    author: str
    speaker: Speaker
    body: str
    audience: str
    created_at: datetime


class PostedMessage(Message, frozen=True, kw_only=True):
    """A message as it was stored; `redacted_by` names the rules that found secrets in it."""

    redacted_by: list[str]


class MessagePage(Struct, frozen=True, kw_only=True):
    """Oldest first. `next` is the cursor of the following page, None on the last."""

    items: list[Message]
    next: str | None
