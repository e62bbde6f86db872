"""The ledger's rows, and what they tell of an agent's knowledge."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from msgspec import Meta, Struct

from fleetmem.wire.base import Instant, Name

LEDGER_PAGE_MOST: Final = 1_000
LedgerSeq = Annotated[int, Meta(ge=0, le=2**63 - 1, description="A row's number.")]


class LedgerQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which rows of the ledger to read, oldest first: those after a number, of one note, of one agent."""

    after: LedgerSeq | None = None
    note: UUID | None = None
    agent: Name | None = None
    limit: Annotated[int, Meta(ge=1, le=LEDGER_PAGE_MOST, description="How many rows a page holds at most.")] = 100


class ExplainQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose knowledge to explain, and as of when; now unless told."""

    agent: Name
    at: Instant | None = None


class LedgerRow(Struct, frozen=True, kw_only=True):
    """A row of the ledger. `detail` is JSON as the text that was hashed; `prev` and `hash` are hexadecimal."""

    seq: int
    at: datetime
    event: str
    note: UUID | None
    agent: str | None
    actor: str
    reason: str | None
    detail: str
    prev: str
    hash: str


class LedgerPage(Struct, frozen=True, kw_only=True):
    """Oldest first. `next` is what to give as `after` for the following page, None on the last."""

    items: list[LedgerRow]
    next: int | None


class LedgerHead(Struct, frozen=True, kw_only=True):
    """The last row's number and hash; number 0 and zeros where there is none."""

    seq: int
    hash: str
    at: datetime | None


class ToldRow(Struct, frozen=True, kw_only=True):
    """What a row of the ledger tells of a note and an agent."""

    seq: int
    at: datetime
    event: str
    note: UUID
    agent: str | None
    reason: str | None


class Story(Struct, frozen=True, kw_only=True):
    """What the ledger tells of an agent, and what the notes in it are about."""

    agent: str
    at: datetime
    told: list[ToldRow]
    notes: dict[str, str]


class KnownNote(Struct, frozen=True, kw_only=True):
    """A note that the agent had in its workspace."""

    note: UUID
    description: str
    since: datetime


class DeniedNote(Struct, frozen=True, kw_only=True):
    """A note that the agent was kept from, and why."""

    note: UUID
    description: str
    since: datetime
    reason: str


class RevokedNote(Struct, frozen=True, kw_only=True):
    """A note that was taken back from the agent; until `gone_at` its file may still have been there."""

    note: UUID
    description: str
    known_since: datetime
    since: datetime
    reason: str | None
    gone_at: datetime | None


class UnsettledNote(Struct, frozen=True, kw_only=True):
    """A note granted to the agent that was not in its workspace."""

    note: UUID
    description: str
    state: Literal["in_review", "to_land", "refused", "drifted"]
    since: datetime
    reason: str | None


class Explanation(Struct, frozen=True, kw_only=True):
    """What an agent knew at a moment, what it was denied and why, and what had been taken back."""

    agent: str
    at: datetime
    known: list[KnownNote]
    denied: list[DeniedNote]
    revoked: list[RevokedNote]
    unsettled: list[UnsettledNote]
