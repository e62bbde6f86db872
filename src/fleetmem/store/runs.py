"""Runs and their spans: opened, fed, settled, read. Each function is one statement under the signed `claim`.

Answers are JSON documents as Postgres renders them; `wire.WrittenRun`, `wire.RunDetail`, `wire.AddedSpans` and
`wire.SpanPage` are their shape.
"""

from __future__ import annotations

from dataclasses import dataclass

from fleetmem.ids import RunId, TaskId
from fleetmem.store.session import Place, Retry, Session, Written
from fleetmem.wire import RunOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """A run to open, checked; `injection` is JSON, as `wire.InjectionDraft`."""

    task: TaskId
    node: str | None
    instruction: str
    injection: str | None
    redacted_by: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Spans to add, checked: `spans` is a JSON array of objects as `wire.SpanDraft`, moments in UTC."""

    spans: str
    redacted_by: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a run ended, checked."""

    outcome: RunOutcome
    output: str | None
    failure: str | None
    redacted_by: tuple[str, ...]


async def open_(session: Session, claim: str, run: NewRun, retry: Retry) -> Written:
    """Open the bearer's next attempt at a task, with what it is shown.

    Raises:
        Absent: there is no such task, or none the bearer may see.
        TaskSettled: the task is settled.
        RequestInvalid: the injection names what is none of the team's, or hidden from the bearer.
    """
    return await session.write(
        "run_open",
        claim,
        retry.key,
        retry.sha256,
        run.task,
        run.node,
        run.instruction,
        run.injection,
        list(run.redacted_by),
    )


async def get(session: Session, claim: str, run_id: RunId) -> bytes:
    """Read one run.

    Raises:
        Absent: there is none, or none the bearer may see.
    """
    return await session.read("run_get", claim, run_id)


async def add(session: Session, claim: str, run_id: RunId, batch: Batch, retry: Retry) -> Written:
    """Add spans to the bearer's own running run; those whose number is there already are left as they are.

    Raises:
        Absent: there is no such run, or none the bearer may see.
        Forbidden: it is another agent's.
        RunSettled: it is settled.
    """
    return await session.write("span_add", claim, retry.key, retry.sha256, run_id, batch.spans, list(batch.redacted_by))


async def spans(session: Session, claim: str, run_id: RunId, place: Place) -> bytes:
    """Read a run's spans, in their order.

    Raises:
        Absent: there is no such run, or none the bearer may see.
    """
    return await session.read("span_list", claim, run_id, place.before, place.size)


async def settle(session: Session, claim: str, run_id: RunId, end: End, retry: Retry) -> Written:
    """Say how the bearer's own run ended; its spans are counted.

    Raises:
        Absent: there is no such run, or none the bearer may see.
        Forbidden: it is another agent's.
        RunSettled: it is settled already.
    """
    return await session.write(
        "run_settle",
        claim,
        retry.key,
        retry.sha256,
        run_id,
        end.outcome,
        end.output,
        end.failure,
        list(end.redacted_by),
    )
