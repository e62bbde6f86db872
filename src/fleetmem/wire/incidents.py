"""Incidents: what a person should look at."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct

from fleetmem.wire.base import PAGE_SIZE, Cursor, PageSize, Remark

IncidentKind = Literal["quarantine", "drift", "landing", "narrowed", "recall", "job"]
IncidentStatus = Literal["open", "confirmed", "dismissed"]


class IncidentQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which incidents to list: both parts must hold."""

    status: IncidentStatus | None = None
    kind: IncidentKind | None = None
    cursor: Cursor | None = None
    limit: PageSize = PAGE_SIZE


class IncidentClosing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an incident was: a real one, or none."""

    outcome: Literal["confirmed", "dismissed"]
    remark: Remark | None = None


class Incident(Struct, frozen=True, kw_only=True):
    """Something that a person should look at."""

    id: UUID
    kind: IncidentKind
    status: IncidentStatus
    note: UUID | None
    landing: UUID | None
    agent: str | None
    detail: str
    rules: list[str]
    opened_at: datetime
    closed_at: datetime | None
    closed_by: str | None
    remark: str | None


class IncidentPage(Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page, None on the last."""

    items: list[Incident]
    next: str | None
