"""The API's structs: what a request may hold and what an answer holds.

Requests refuse unknown fields. Answers take them, so that a client of today reads the answers of a later gateway.
Postgres renders the answers; a test decodes them here strictly. Times are ISO 8601 in UTC with microseconds and an
offset; ids are UUIDv7 text; None is written as null, never left out, except where a field says so.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from msgspec import Meta, Struct

from fleetmem.board import beat
from fleetmem.fleet import names

PAGE_SIZE: Final = 20
PAGE_SIZE_MOST: Final = 100
# `$` alone would let a line feed follow, in Python's reading of it.
NAME_PATTERN: Final = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$(?!\n)"
CURSOR_PATTERN: Final = r"^[A-Za-z0-9_-]{22}$(?!\n)"

BeatStatus = Literal["live", "superseded", "retracted", "expired"]
HandoffStatus = Literal["open", "accepted", "declined", "done", "failed", "withdrawn"]
Box = Literal["inbox", "outbox", "visible"]
Outcome = Literal["done", "failed"]

Topic = Annotated[
    str,
    Meta(
        min_length=1, max_length=beat.LONGEST_TOPIC, description="One visible line; compared by NFC and case folding."
    ),
]
Text = Annotated[
    str,
    Meta(min_length=1, max_length=beat.LONGEST_BODY, description="Plain text; line feeds and tabs are allowed."),
]
Name = Annotated[
    str,
    Meta(
        min_length=names.SHORTEST,
        max_length=names.LONGEST,
        pattern=NAME_PATTERN,
        description="Lower-case letters, digits, single hyphens.",
    ),
]
# Text rather than datetime: that an offset must be written is our rule, and its refusal names the field.
Instant = Annotated[str, Meta(description="RFC 3339, with an offset.", extra_json_schema={"format": "date-time"})]
Cursor = Annotated[str, Meta(pattern=CURSOR_PATTERN, description="`next` of the page before.")]
PageSize = Annotated[int, Meta(ge=1, le=PAGE_SIZE_MOST, description="How many records a page holds at most.")]


class BeatDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A beat to publish. Without `expires_at` it lives seven days."""

    topic: Topic
    body: Text
    audience: Name
    expires_at: Instant | None = None


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


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """The body of an act that needs no word: absent, or an empty object."""


class BeatQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which beats to list: all parts must hold. Only live ones unless `live` is false."""

    topic: Topic | None = None
    author: Name | None = None
    audience: Name | None = None
    since: Instant | None = None
    live: bool = True
    cursor: Cursor | None = None
    limit: PageSize = PAGE_SIZE


class HandoffQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which handoffs to list: those sent to the reader, by the reader, or all that it may see."""

    box: Box = "inbox"
    status: HandoffStatus | None = None
    overdue: bool = False
    cursor: Cursor | None = None
    limit: PageSize = PAGE_SIZE


class PageQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which page of a list that has no filters."""

    cursor: Cursor | None = None
    limit: PageSize = PAGE_SIZE


class NoQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The query of an address that takes none."""


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


class BeatPage(Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page, None on the last."""

    items: list[Beat]
    next: str | None


class HandoffPage(Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page, None on the last."""

    items: list[Handoff]
    next: str | None


class Described(Struct, frozen=True, kw_only=True):
    """A name and what the roster says of it."""

    name: str
    description: str


class Me(Struct, frozen=True, kw_only=True):
    """Who the bearer is: what it may read and write, and which colleagues it may hand work to."""

    name: str
    description: str
    reads: list[str]
    writes: list[str]
    audiences: list[Described]
    colleagues: list[Described]


class ConsoleMe(Struct, frozen=True, kw_only=True):
    """Which operator or auditor the bearer is."""

    name: str
    role: Literal["operator", "auditor"]


class ConsoleAgent(Struct, frozen=True, kw_only=True):
    """An agent as the roster has it; `suspended_at` is None unless an operator suspended it."""

    name: str
    description: str
    reads: list[str]
    writes: list[str]
    workspace: str | None
    active: bool
    suspended_at: datetime | None


class ConsoleToken(Struct, frozen=True, kw_only=True):
    """A bearer token's life, never the token nor its hash. `expires_at` None means never."""

    id: str
    principal: str
    label: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


class OverdueHandoff(Struct, frozen=True, kw_only=True):
    """A handoff past its date, without its text: operators see that work is late, not what it is."""

    id: UUID
    sender: str
    recipient: str
    audience: str
    status: HandoffStatus
    flags: list[str]
    created_at: datetime
    due_at: datetime
    updated_at: datetime


class Suspension(Struct, frozen=True, kw_only=True):
    """An agent that was suspended, or let back in (`suspended_at` None)."""

    name: str
    suspended_at: datetime | None


class Revocation(Struct, frozen=True, kw_only=True):
    """A bearer token that was revoked, now or before."""

    id: str
    principal: str
    revoked_at: datetime


class AgentList(Struct, frozen=True, kw_only=True):
    """Every agent, by name."""

    items: list[ConsoleAgent]


class TokenList(Struct, frozen=True, kw_only=True):
    """Every bearer token, oldest first."""

    items: list[ConsoleToken]


class OverduePage(Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page, None on the last."""

    items: list[OverdueHandoff]
    next: str | None


class Problem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An RFC 9457 problem document. `field` and `rule` are left out where no field is to blame."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    field: str | None = None
    rule: str | None = None


class Health(Struct, frozen=True, kw_only=True):
    """What a probe answers."""

    status: Literal["ok"]
