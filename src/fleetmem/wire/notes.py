"""Notes as they are read: a line of the list, and everything that a reviewer decides on."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct

from fleetmem.wire.base import PAGE_SIZE, Cursor, Name, PageSize
from fleetmem.wire.incidents import Incident

NoteStatus = Literal["candidate", "approved", "rejected", "withheld", "revoked"]
Severity = Literal["normal", "severe"]


class NoteQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which notes to list: both parts must hold."""

    status: NoteStatus | None = None
    team: Name | None = None
    cursor: Cursor | None = None
    limit: PageSize = PAGE_SIZE


class NoteLine(Struct, frozen=True, kw_only=True):
    """A note as a list shows it. `recipients` are the agents that receive it, or would; `reasons` are why a person must look."""

    id: UUID
    team: str
    segment: UUID
    status: NoteStatus
    severity: Severity
    description: str
    skill_key: str
    audiences: list[str]
    reasons: list[str]
    withheld_because: str | None
    revision: int
    created_at: datetime
    decided_at: datetime | None
    decided_by: str | None
    recipients: list[str]


class NotePage(Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page, None on the last."""

    items: list[NoteLine]
    next: str | None


class Source(Struct, frozen=True, kw_only=True):
    """What a note cites. `excerpt` is at most the first 600 of `characters`; `span` numbers a step of the run `id`."""

    kind: Literal["agent_message", "human_message", "run", "span"]
    id: UUID
    span: int | None
    agent: str
    at: datetime
    audience: str
    excerpt: str
    characters: int


class TeamMember(Struct, frozen=True, kw_only=True):
    """An agent of the note's team: what it reads, and whether it may receive anything at all."""

    agent: str
    reads: list[str]
    active: bool


class Grant(Struct, frozen=True, kw_only=True):
    """Who receives a note, how that was decided, and in which skill it would land."""

    agent: str
    score: float | None
    match: Literal["match", "fallback", "reviewer"]
    skill: str | None
    new_skill: bool


class Denial(Struct, frozen=True, kw_only=True):
    """Who does not receive a note, and the named reason."""

    agent: str
    reason: Literal["audience", "below_threshold", "took_no_part", "reviewer", "narrowed", "left_team"]
    score: float | None


class LandingPreview(Struct, frozen=True, kw_only=True):
    """What would be written: the whole file `after`, to the byte, at `path`; or the rule by which it would be refused."""

    agent: str
    path: str | None
    is_new: bool
    after: str | None
    refused: str | None
    made_at: datetime


class NoteLanding(Struct, frozen=True, kw_only=True):
    """Where a note is, was or shall be written."""

    id: UUID
    agent: str
    status: Literal["pending", "landed", "refused", "drifted", "removing", "removed"]
    path: str | None
    sha256: str | None
    reason: str | None
    requested_at: datetime
    landed_at: datetime | None
    ended_at: datetime | None


class NoteReview(Struct, frozen=True, kw_only=True):
    """What a reviewer decided, at which revision."""

    revision: int
    reviewer: str
    decision: Literal["approve", "edit", "reject", "revoke"]
    remark: str | None
    at: datetime


class NoteDetail(NoteLine, frozen=True, kw_only=True):
    """Everything that a reviewer decides on. `previews` are of the present revision; one that is missing is still being made."""

    content: str
    rationale: str
    redacted_by: list[str]
    quarantined_by: list[str]
    policy_version: str
    extractor: str
    supersedes: UUID | None
    signatures_needed: int
    signed: list[str]
    sources: list[Source]
    members: list[TeamMember]
    granted: list[Grant]
    denied: list[Denial]
    previews: list[LandingPreview]
    landings: list[NoteLanding]
    reviews: list[NoteReview]
    incidents: list[Incident]
