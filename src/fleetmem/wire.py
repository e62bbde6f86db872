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


NoteStatus = Literal["candidate", "approved", "rejected", "withheld", "revoked"]
Severity = Literal["normal", "severe"]
IncidentKind = Literal["quarantine", "drift", "landing", "narrowed", "recall"]
IncidentStatus = Literal["open", "confirmed", "dismissed"]
LEDGER_PAGE_MOST: Final = 1_000
Remark = Annotated[str, Meta(min_length=1, max_length=1_000, description="Why, for whoever reads this later.")]
SkillKey = Annotated[str, Meta(min_length=1, max_length=64, description="Lower-case words joined by single hyphens.")]
Revision = Annotated[int, Meta(ge=1, le=32_766, description="The revision that was seen.")]
LedgerSeq = Annotated[int, Meta(ge=0, le=2**63 - 1, description="A row's number.")]


class NoteQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which notes to list: both parts must hold."""

    status: NoteStatus | None = None
    team: Name | None = None
    cursor: Cursor | None = None
    limit: PageSize = PAGE_SIZE


class IncidentQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which incidents to list: both parts must hold."""

    status: IncidentStatus | None = None
    kind: IncidentKind | None = None
    cursor: Cursor | None = None
    limit: PageSize = PAGE_SIZE


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


class IncidentClosing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an incident was: a real one, or none."""

    outcome: Literal["confirmed", "dismissed"]
    remark: Remark | None = None


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


class NoteDecision(Struct, frozen=True, kw_only=True):
    """Where a note stands after a decision; `candidate` after an approval means that it waits for another reviewer."""

    id: UUID
    status: NoteStatus
    revision: int
    signatures_needed: int
    signed: list[str]


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


class SegmentReset(Struct, frozen=True, kw_only=True):
    """A segment that goes through the pipeline again; `undone` are the notes that nobody had decided about."""

    segment: UUID
    generation: int
    undone: list[UUID]


class IncidentPage(Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page, None on the last."""

    items: list[Incident]
    next: str | None


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
