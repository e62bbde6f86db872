"""Put a run that has settled into its task's segment; where its task has left its subject, into a new one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from fleetmem.memory import segment
from fleetmem.memory.segment import Boundary, Topic
from fleetmem.worker.jobs import place_task
from fleetmem.worker.means import Means
from fleetmem.worker.session import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    id: UUID
    task: UUID
    team: str
    output: str = field(repr=False)
    is_settled: bool
    is_placed: bool
    said: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    id: UUID
    status: str
    characters: int
    topics: dict[str, Any] = field(repr=False)
    outputs: list[str] = field(repr=False)


def run(means: Means, *, run: UUID) -> None:
    """Place a run, once; its task before it.

    Raises:
        Unavailable: the encoder is elsewhere and does not answer.
    """
    with means.session.transaction() as transaction:
        done = transaction.one(_Run, "worker_run", run)
    if done is None or done.is_placed or not done.is_settled:
        return
    place_task.run(means, task=done.task)
    has_left = _has_left(means, done)
    with means.session.transaction() as transaction:
        held = transaction.one(_Held, "worker_segment_of_task", done.task)
        if held is not None and not transaction.value("worker_run_is_placed", run):
            _place(transaction, done, held, has_left=has_left and held.status == "open")


def _has_left(means: Means, done: _Run) -> bool:
    """Tell whether the task's outputs up to this one have changed their subject since the segment began."""
    if not done.output:
        return False
    with means.session.transaction() as transaction:
        held = transaction.one(_Held, "worker_segment_of_task", done.task)
    if held is None or held.status != "open":
        return False
    encode = means.recognition.segmenting()
    return encode is not None and segment.drift([*held.outputs, done.output], encode, means.rules) is not None


def _place(transaction: Transaction, done: _Run, held: _Held, *, has_left: bool) -> None:
    into, topic = held.id, Topic.from_json(held.topics)
    if has_left:
        before = transaction.value("worker_run_begins_after", done.id)
        transaction.value("worker_segment_close", held.id, Boundary.MID_TASK.value, before)
        into, topic = transaction.value("worker_segment_begin", done.team, Jsonb({})), Topic()
        transaction.run("worker_segment_put_task", into, done.task)
        transaction.run("worker_segment_advance", held.id)
    if has_left or held.status == "open":
        topics = Jsonb(topic.with_output(done.output).to_json())
        transaction.value("worker_segment_grow", into, len(done.output) + done.said, topics)
    transaction.run("worker_segment_put_run", done.id, into)
