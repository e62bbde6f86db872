"""Put a new task into its team's open segment, or close that one and begin another: `memory.segment` says which."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from fleetmem.memory import segment
from fleetmem.memory.segment import Boundary, Reading, Topic
from fleetmem.worker.means import Means
from fleetmem.worker.session import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    id: UUID
    team: str
    prompt: str = field(repr=False)
    opened_seq: int
    created_at: datetime
    is_placed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    id: UUID
    characters: int
    topics: dict[str, Any] = field(repr=False)
    active_at: datetime
    tasks: int


def run(means: Means, *, task: UUID) -> None:
    """Place a task, once.

    Raises:
        Unavailable: the encoder is elsewhere and does not answer.
    """
    with means.session.transaction() as transaction:
        asked = transaction.one(_Task, "worker_task", task)
    if asked is None or asked.is_placed:
        return
    prompt = segment.read(asked.prompt, means.recognition.segmenting())
    with means.session.transaction() as transaction:
        held = transaction.one(_Open, "worker_segment_open", asked.team, asked.opened_seq)
        if not transaction.value("worker_task_is_placed", task):
            _place(transaction, means, asked, prompt, held)


def _place(transaction: Transaction, means: Means, asked: _Task, prompt: Reading, held: _Open | None) -> None:
    known, into = Topic(), None
    if held is not None:
        topic = Topic.from_json(held.topics)
        why = _boundary(means, asked, prompt, held, topic)
        if why is None:
            known, into = topic, held.id
        else:
            transaction.value("worker_segment_close", held.id, why.value, asked.opened_seq)
            known = segment.opening(topic, why)
    if into is None:
        into = transaction.value("worker_segment_begin", asked.team, Jsonb({}))
    topics = Jsonb(known.with_prompt(prompt).to_json())
    transaction.value("worker_segment_grow", into, len(asked.prompt), topics)
    transaction.run("worker_segment_put_task", into, asked.id)


def _boundary(means: Means, asked: _Task, prompt: Reading, held: _Open, topic: Topic) -> Boundary | None:
    return segment.boundary(
        prompt,
        topic,
        tasks=held.tasks,
        characters=held.characters,
        idle_s=segment.seconds_between(held.active_at, asked.created_at),
        rules=means.rules,
    )
