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

from fleetmem.board import beat, capture
from fleetmem.fleet import names

PAGE_SIZE: Final = 20
PAGE_SIZE_MOST: Final = 100
# `$` alone would let a line feed follow, in Python's reading of it.
NAME_PATTERN: Final = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$(?!\n)"
SHA256_PATTERN: Final = r"^[0-9a-f]{64}$(?!\n)"
CURSOR_PATTERN: Final = r"^[A-Za-z0-9_-]{22}$(?!\n)"

BeatStatus = Literal["live", "superseded", "retracted", "expired"]
HandoffStatus = Literal["open", "accepted", "declined", "done", "failed", "withdrawn"]
Box = Literal["inbox", "outbox", "visible"]
Outcome = Literal["done", "failed"]
TaskOutcome = Literal["done", "failed", "cancelled"]
TaskStatus = Literal["open", "done", "failed", "cancelled"]
RunOutcome = Literal["succeeded", "failed", "cancelled"]
RunStatus = Literal["running", "succeeded", "failed", "cancelled"]
Speaker = Literal["agent", "human"]
SpanKind = Literal["model", "tool", "message", "other"]

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
# Lengths of what is captured are the handler's to judge, after the text was tidied.
Captured = Annotated[str, Meta(description="Text as it came; terminal codes are dropped, other controls replaced.")]
Tokens = Annotated[int, Meta(ge=0, le=capture.MOST_TOKENS)]
Sha256 = Annotated[str, Meta(pattern=SHA256_PATTERN, description="64 hexadecimal digits.")]
RecordIds = Annotated[list[UUID], Meta(max_length=capture.MOST_SHOWN)]
Dependencies = Annotated[list[UUID], Meta(max_length=capture.MOST_DEPENDENCIES)]
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


class TaskDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a team is asked."""

    prompt: Captured
    audience: Name


class TaskEnd(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a task ended."""

    outcome: TaskOutcome


class MessageDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something said within a team. `human` marks a person's words, which the author reports."""

    body: Captured
    audience: Name
    speaker: Speaker = "agent"
    task: UUID | None = None
    run: UUID | None = None


class InjectionDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a run is shown: messages, runs it depends on, what was held back, and the hash of the text made of it."""

    text_sha256: Sha256
    messages: RecordIds = []
    dependencies: Dependencies = []
    withheld: RecordIds = []


class RunDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An attempt at a task; `node` names the step of a plan where there is one."""

    task: UUID
    instruction: Captured = ""
    node: Captured | None = None
    injection: InjectionDraft | None = None


class RunEnd(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a run ended: what it answered, and what went wrong."""

    outcome: RunOutcome
    output: Captured | None = None
    failure: Captured | None = None


class SpanDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step of a run; `seq` is the caller's count, from 1."""

    seq: Annotated[int, Meta(ge=1, le=capture.HIGHEST_SPAN)]
    kind: SpanKind
    name: Captured
    body: Captured = ""
    is_error: bool = False
    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    started_at: Instant | None = None
    ended_at: Instant | None = None


class SpanBatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Steps of a run. What is there already under the same `seq` stays as it is."""

    spans: Annotated[list[SpanDraft], Meta(min_length=1, max_length=capture.MOST_SPANS)]


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


class TaskQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which tasks of a team to list."""

    status: TaskStatus | None = None
    cursor: Cursor | None = None
    limit: PageSize = PAGE_SIZE


class MessageQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which messages of a team to list: of one task, and only what came after a message."""

    task: UUID | None = None
    after: UUID | None = None
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


class Run(Struct, frozen=True, kw_only=True):
    """One attempt of one agent at a task. What counts its spans is None until it is settled."""

    id: UUID
    task: UUID
    team: str
    agent: str
    audience: str
    attempt: int
    node: str | None
    instruction: str
    status: RunStatus
    output: str | None
    failure: str | None
    started_at: datetime
    settled_at: datetime | None
    spans: int | None
    errors: int | None
    input_tokens: int | None
    output_tokens: int | None
    duration_ms: int | None


class WrittenRun(Run, frozen=True, kw_only=True):
    """A run as it was stored; `redacted_by` names the rules that found secrets in what was sent."""

    redacted_by: list[str]


class Injection(Struct, frozen=True, kw_only=True):
    """What a run was shown."""

    messages: list[UUID]
    dependencies: list[UUID]
    withheld: list[UUID]
    text_sha256: str
    created_at: datetime


class RunDetail(Run, frozen=True, kw_only=True):
    """One run; `injection` is None for whoever is not its agent, and where nothing was told of it."""

    injection: Injection | None


class TaskDetail(Task, frozen=True, kw_only=True):
    """One task with the runs at it that the reader may see, oldest first."""

    runs: list[Run]


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


class Span(Struct, frozen=True, kw_only=True):
    """One step of a run. `started_at` and `ended_at` are its sender's clock, `arrived_at` the database's."""

    seq: int
    kind: SpanKind
    name: str
    body: str
    is_error: bool
    input_tokens: int | None
    output_tokens: int | None
    started_at: datetime | None
    ended_at: datetime | None
    arrived_at: datetime


class AddedSpans(Struct, frozen=True, kw_only=True):
    """What became of a batch: how many were new, how many were there already."""

    run: UUID
    added: int
    known: int
    redacted_by: list[str]


class TaskPage(Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page, None on the last."""

    items: list[Task]
    next: str | None


class MessagePage(Struct, frozen=True, kw_only=True):
    """Oldest first. `next` is the cursor of the following page, None on the last."""

    items: list[Message]
    next: str | None


class SpanPage(Struct, frozen=True, kw_only=True):
    """In the run's own order. `next` is the cursor of the following page, None on the last."""

    items: list[Span]
    next: str | None


class Described(Struct, frozen=True, kw_only=True):
    """A name and what the roster says of it."""

    name: str
    description: str


class Team(Struct, frozen=True, kw_only=True):
    """A team the bearer is a member of: its audiences, and its members in their order."""

    name: str
    description: str
    audiences: list[str]
    members: list[Described]


class TeamList(Struct, frozen=True, kw_only=True):
    """Every team of the bearer's, by name."""

    items: list[Team]


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
