"""What a reviewer decides, and what became of it."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from fleetmem.wire.base import Name, Remark
from fleetmem.wire.notes import NoteStatus, Severity

SkillKey = Annotated[str, Meta(min_length=1, max_length=64, description="Lower-case words joined by single hyphens.")]
Revision = Annotated[int, Meta(ge=1, le=32_766, description="The revision that was seen.")]


class Approval(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reviewer's signature under the revision that was seen."""

    revision: Revision
    remark: Remark | None = None


class NewRecipient(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who shall receive a note: in the agent's own skill of that name, else where it would land already, else in a new one."""

    agent: Name
    skill: SkillKey | None = None


class NoteEdit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to change of a candidate; what is left out stays. `recipients` is everyone who shall receive it from now on."""

    revision: Revision
    content: Annotated[str, Meta(min_length=1, max_length=2_000)] | None = None
    description: Annotated[str, Meta(min_length=1, max_length=1_024)] | None = None
    severity: Severity | None = None
    skill_key: SkillKey | None = None
    recipients: Annotated[list[NewRecipient], Meta(min_length=1, max_length=8)] | None = None
    remark: Remark | None = None


class Rejection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a candidate becomes no memory."""

    remark: Remark | None = None


class NoteRevocation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to take back: the whole note, or one agent's hold on it."""

    agent: Name | None = None
    remark: Remark | None = None


class NoteDecision(Struct, frozen=True, kw_only=True):
    """Where a note stands after a decision; `candidate` after an approval means that it waits for another reviewer."""

    id: UUID
    status: NoteStatus
    revision: int
    signatures_needed: int
    signed: list[str]


class SegmentReset(Struct, frozen=True, kw_only=True):
    """A segment that goes through the pipeline again; `undone` are the notes that nobody had decided about."""

    segment: UUID
    generation: int
    undone: list[UUID]
