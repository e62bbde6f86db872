"""Runs: the attempts at a task, and what each was shown."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from msgspec import Meta, Struct

from fleetmem.board import capture
from fleetmem.wire.capture import Captured

SHA256_PATTERN: Final = r"^[0-9a-f]{64}$(?!\n)"
RunOutcome = Literal["succeeded", "failed", "cancelled"]
RunStatus = Literal["running", "succeeded", "failed", "cancelled"]
Sha256 = Annotated[str, Meta(pattern=SHA256_PATTERN, description="64 hexadecimal digits.")]
RecordIds = Annotated[list[UUID], Meta(max_length=capture.MOST_SHOWN)]
Dependencies = Annotated[list[UUID], Meta(max_length=capture.MOST_DEPENDENCIES)]


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
