"""Every call of a team's work as a value: tasks, messages, runs and spans. No I/O."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec

from fleetmem import wire
from fleetmem.client.call import Call, page, record, write
from fleetmem.errors import RequestInvalid

_NAME: Final = re.compile(wire.NAME_PATTERN)


def teams() -> Call[wire.TeamList]:
    """List one's teams."""
    return Call("GET", "v1/teams", wire.TeamList)


def open_task(team: str, prompt: str, *, audience: str, idempotency_key: str | None) -> Call[wire.OpenedTask]:
    """Open a task."""
    draft = wire.TaskDraft(prompt=prompt, audience=audience)
    return write(f"v1/teams/{_team(team)}/tasks", wire.OpenedTask, draft, idempotency_key)


def tasks(team: str, *, status: wire.TaskStatus | None, page_size: int, cursor: str | None) -> Call[wire.TaskPage]:
    """List a page of a team's tasks."""
    return page(f"v1/teams/{_team(team)}/tasks", wire.TaskPage, {"status": status}, page_size, cursor)


def task(task_id: UUID | str) -> Call[wire.TaskDetail]:
    """Read one task with its runs."""
    return Call("GET", f"v1/tasks/{record(task_id)}", wire.TaskDetail)


def settle_task(task_id: UUID | str, outcome: wire.TaskOutcome, *, idempotency_key: str | None) -> Call[wire.Task]:
    """Say how a task ended."""
    return write(f"v1/tasks/{record(task_id)}/settle", wire.Task, wire.TaskEnd(outcome=outcome), idempotency_key)


def post_message(
    team: str,
    body: str,
    *,
    audience: str,
    speaker: wire.Speaker,
    task: UUID | str | None,
    run: UUID | str | None,
    idempotency_key: str | None,
) -> Call[wire.PostedMessage]:
    """Say something within a team."""
    draft = wire.MessageDraft(body=body, audience=audience, speaker=speaker, task=_id(task), run=_id(run))
    return write(f"v1/teams/{_team(team)}/messages", wire.PostedMessage, draft, idempotency_key)


def messages(
    team: str, *, task: UUID | str | None, after: UUID | str | None, page_size: int, cursor: str | None
) -> Call[wire.MessagePage]:
    """List a page of what a team said."""
    asked = {"task": None if task is None else record(task), "after": None if after is None else record(after)}
    return page(f"v1/teams/{_team(team)}/messages", wire.MessagePage, asked, page_size, cursor)


def open_run(
    task_id: UUID | str,
    *,
    instruction: str,
    node: str | None,
    injection: wire.InjectionDraft | None,
    idempotency_key: str | None,
) -> Call[wire.WrittenRun]:
    """Begin an attempt at a task."""
    draft = wire.RunDraft(task=UUID(record(task_id)), instruction=instruction, node=node, injection=injection)
    return write("v1/runs", wire.WrittenRun, draft, idempotency_key)


def run(run_id: UUID | str) -> Call[wire.RunDetail]:
    """Read one run."""
    return Call("GET", f"v1/runs/{record(run_id)}", wire.RunDetail)


def add_spans(run_id: UUID | str, spans: Sequence[wire.SpanDraft]) -> Call[wire.AddedSpans]:
    """Add steps to a run. Their numbers make it safe to send twice, so it carries no key, and none is kept for it."""
    try:
        content = msgspec.json.encode(wire.SpanBatch(spans=list(spans)))
    except UnicodeEncodeError as error:
        raise RequestInvalid("a text holds half a surrogate pair", field="spans", rule="surrogate") from error
    headers = {"content-type": "application/json"}
    return Call("POST", f"v1/runs/{record(run_id)}/spans", wire.AddedSpans, content=content, headers=headers)


def spans(run_id: UUID | str, *, page_size: int, cursor: str | None) -> Call[wire.SpanPage]:
    """List a page of a run's steps."""
    return page(f"v1/runs/{record(run_id)}/spans", wire.SpanPage, {}, page_size, cursor)


def settle_run(
    run_id: UUID | str,
    outcome: wire.RunOutcome,
    *,
    output: str | None,
    failure: str | None,
    idempotency_key: str | None,
) -> Call[wire.WrittenRun]:
    """Say how a run ended."""
    end = wire.RunEnd(outcome=outcome, output=output, failure=failure)
    return write(f"v1/runs/{record(run_id)}/settle", wire.WrittenRun, end, idempotency_key)


def _team(name: str) -> str:
    """Write a team's name for an address; what is no name could be another address."""
    if _NAME.fullmatch(name) is None:
        raise RequestInvalid("`team` is not a name", field="team", rule="format")
    return name


def _id(given: UUID | str | None) -> UUID | None:
    return None if given is None else UUID(record(given))
