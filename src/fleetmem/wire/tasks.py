"""Tasks: what a team is asked."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct

from fleetmem.wire.base import PAGE_SIZE, Cursor, Name, PageSize
from fleetmem.wire.capture import Captured
from fleetmem.wire.runs import Run

TaskOutcome = Literal["done", "failed", "cancelled"]
TaskStatus = Literal["open", "done", "failed", "cancelled"]


class TaskDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a team is asked."""

    prompt: Captured
    audience: Name


class TaskEnd(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a task ended."""

    outcome: TaskOutcome


class TaskQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which tasks of a team to list."""

    status: TaskStatus | None = None
    cursor: Cursor | None = None
    limit: PageSize = PAGE_SIZE


class Task(Struct, frozen=True, kw_only=True):
    """What a team was asked. `settled_at` is None while it is open."""

    id: UUID
    team: str
    opened_by: str
    prompt: str
    audience: str
    status: TaskStatus
    created_at: datetime
    settled_at: datetime | None


class OpenedTask(Task, frozen=True, kw_only=True):
    """A task as it was stored; `redacted_by` names the rules that found secrets in its prompt."""

    redacted_by: list[str]


class TaskDetail(Task, frozen=True, kw_only=True):
    """One task with the runs at it that the reader may see, oldest first."""

    runs: list[Run]


class TaskPage(Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page, None on the last."""

    items: list[Task]
    next: str | None
