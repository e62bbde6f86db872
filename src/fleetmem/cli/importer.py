"""Send a transcript into a team: each turn a task with one run, safe to break off anywhere and to begin again.

Every write carries a key made of the session, what it says, which of those that say the same it is, and what it is sent into;
steps are numbered. So a second import of a session finds its own writes and adds nothing, also where lines of the file were left
out, or stand elsewhere by now.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from fleetmem import wire
from fleetmem.board import capture
from fleetmem.client import FleetClient
from fleetmem.errors import IdempotencyConflict, RunSettled, TaskSettled
from fleetmem.memory.rollout.turns import Step, Transcript, Turn, kept

_STEPS_TOGETHER = 100
_OCTETS_TOGETHER = 400_000
_TASK_OUTCOMES: dict[str, wire.TaskOutcome] = {"succeeded": "done", "failed": "failed", "cancelled": "cancelled"}


@dataclass(slots=True)
class Imported:
    """What an import came to: tasks by id, how many messages and steps, and which rules rewrote something.

    `known` counts the turns that were on record already, and `changed` holds the lines of those among them that the file tells
    otherwise by now; what is on record stays.
    """

    tasks: list[str] = field(default_factory=list)
    known: int = 0
    changed: list[int] = field(default_factory=list)
    messages: int = 0
    steps: int = 0
    redacted_by: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Into:
    """Where a transcript goes."""

    client: FleetClient
    team: str
    audience: str


def send(into: Into, transcript: Transcript, tell: Callable[[int, Turn], None]) -> Imported:
    """Send every turn that has an end, in order; `tell` hears of each after it is whole."""
    done = Imported()
    prompts = Counter[str]()
    for number, turn in enumerate(transcript.turns, start=1):
        prompts[turn.prompt] += 1
        if turn.outcome is not None:
            begun = (transcript.session, into.team, into.audience, turn.prompt, str(prompts[turn.prompt]))
            try:
                _send_turn(into, begun, turn, turn.outcome, done)
            except (IdempotencyConflict, TaskSettled, RunSettled):
                done.changed.append(turn.line)
            tell(number, turn)
    return done


def _send_turn(into: Into, begun: tuple[str, ...], turn: Turn, outcome: wire.RunOutcome, done: Imported) -> None:
    client = into.client
    words = Counter[str]()

    def key(*part: str) -> str:
        return f"import-{hashlib.sha256(repr((*begun, *part)).encode('utf-8', 'replace')).hexdigest()}"

    prompt = kept(turn.prompt, capture.LONGEST_PROMPT)
    task = client.open_task(into.team, prompt, audience=into.audience, idempotency_key=key("task"))
    run = client.open_run(task.id, node="import", idempotency_key=key("run"))
    done.tasks.append(str(task.id))
    done.redacted_by.update(dict.fromkeys(task.redacted_by))
    if (held := client.run(run.id)).status != "running":
        done.known += 1
        if held.spans != len(turn.steps[: capture.HIGHEST_SPAN]):
            raise RunSettled
    else:
        for batch in _batches(turn.steps):
            done.redacted_by.update(dict.fromkeys(client.add_spans(run.id, batch).redacted_by))
    done.steps += len(turn.steps)
    for said in turn.said:
        words[said.body] += 1
        posted = client.post_message(
            into.team,
            kept(said.body, capture.LONGEST_MESSAGE),
            audience=into.audience,
            speaker=said.speaker,
            run=run.id,
            idempotency_key=key("message", said.speaker, said.body, str(words[said.body])),
        )
        done.messages += 1
        done.redacted_by.update(dict.fromkeys(posted.redacted_by))
    ended = client.settle_run(
        run.id,
        outcome,
        output=_some(turn.output, capture.LONGEST_OUTPUT),
        failure=_some(turn.failure, capture.LONGEST_FAILURE),
        idempotency_key=key("run-end"),
    )
    done.redacted_by.update(dict.fromkeys(ended.redacted_by))
    client.settle_task(task.id, _TASK_OUTCOMES[outcome], idempotency_key=key("task-end"))


def _batches(steps: list[Step]) -> Iterator[list[wire.SpanDraft]]:
    """Yield steps as spans, numbered from 1, no batch larger than the gateway takes."""
    batch: list[wire.SpanDraft] = []
    octets = 0
    for seq, step in enumerate(steps[: capture.HIGHEST_SPAN], start=1):
        span = _span(seq, step)
        size = len(span.body.encode("utf-8", "replace")) * 2 + 1_000
        if batch and (len(batch) == _STEPS_TOGETHER or octets + size > _OCTETS_TOGETHER):
            yield batch
            batch, octets = [], 0
        batch.append(span)
        octets += size
    if batch:
        yield batch


def _span(seq: int, step: Step) -> wire.SpanDraft:
    return wire.SpanDraft(
        seq=seq,
        kind=step.kind,
        name=" ".join(kept(step.name, capture.LONGEST_SPAN_NAME).split()) or "unnamed",
        body=kept(step.body, capture.LONGEST_SPAN),
        is_error=step.is_error,
        input_tokens=step.input_tokens,
        output_tokens=step.output_tokens,
        started_at=step.started_at,
        ended_at=step.ended_at,
    )


def _some(text: str | None, longest: int) -> str | None:
    return kept(text, longest) if text and kept(text, longest).strip() else None
