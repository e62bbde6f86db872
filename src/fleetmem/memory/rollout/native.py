"""Our own form, for any other runtime: a `session` line, then for each turn a `task`, what was said and done, and an `end`.

{"type": "session", "id": "nightly-42"}
{"type": "task", "prompt": "Add a health check."}
{"type": "step", "kind": "tool", "name": "shell", "body": "pytest -q: 12 passed"}
{"type": "message", "body": "Shall I add it to the load balancer?"}
{"type": "message", "speaker": "human", "body": "Yes."}
{"type": "end", "outcome": "succeeded", "output": "Added, with a test."}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from fleetmem.board import capture
from fleetmem.memory.rollout import turns
from fleetmem.memory.rollout.turns import Kind, Malformed, Outcome, Said, Speaker, Turn, moment

Words = Annotated[str, Meta(min_length=1)]
Tokens = Annotated[int, Meta(ge=0, le=capture.MOST_TOKENS)]


class SessionLine(Struct, tag_field="type", tag="session", forbid_unknown_fields=True, frozen=True):
    """The first line; `id` tells this session from every other."""

    id: Words


class TaskLine(Struct, tag_field="type", tag="task", forbid_unknown_fields=True, frozen=True):
    """What was asked."""

    prompt: Words


class MessageLine(Struct, tag_field="type", tag="message", forbid_unknown_fields=True, frozen=True):
    """What was said meanwhile."""

    body: Words
    speaker: Speaker = "agent"


class StepLine(Struct, tag_field="type", tag="step", forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What was done."""

    kind: Kind
    name: Words
    body: str = ""
    is_error: bool = False
    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    started_at: str | None = None
    ended_at: str | None = None


class EndLine(Struct, tag_field="type", tag="end", forbid_unknown_fields=True, frozen=True):
    """How it ended."""

    outcome: Outcome
    output: Words | None = None
    failure: Words | None = None


Line = SessionLine | TaskLine | MessageLine | StepLine | EndLine


class Reader:
    """Takes lines in order; `turns` and `session` are what they were."""

    def __init__(self) -> None:
        self.session: str | None = None
        self.turns: list[Turn] = []

    def take(self, number: int, line: Mapping[str, Any]) -> None:
        """Take one line.

        Raises:
            Malformed: it is none of the five kinds, breaks a rule of its kind, or stands out of turn.
        """
        try:
            read: Line = msgspec.convert(line, Line)
        except msgspec.ValidationError as error:
            raise Malformed(str(error)) from error
        match read:
            case SessionLine():
                if self.session is not None:
                    raise Malformed("a second `session`; put one session into one file")
                self.session = read.id
            case TaskLine():
                if self.turns and self.turns[-1].outcome is None:
                    raise Malformed("a `task` before the `end` of the one before")
                self.turns.append(Turn(number, read.prompt))
            case MessageLine():
                self._open().said.append(Said(number, read.body, read.speaker))
            case StepLine():
                self._open().steps.append(_step(read))
            case EndLine():
                turn = self._open()
                turn.outcome, turn.output, turn.failure = read.outcome, read.output, read.failure

    def _open(self) -> Turn:
        if not self.turns or self.turns[-1].outcome is not None:
            raise Malformed("it stands outside of a task")
        return self.turns[-1]


def _step(line: StepLine) -> turns.Step:
    for name in ("started_at", "ended_at"):
        given = getattr(line, name)
        if given is not None and moment(given) is None:
            raise Malformed(f"`{name}` must be written as 2027-03-01T12:00:00Z")
    return turns.Step(
        kind=line.kind,
        name=line.name,
        body=line.body,
        is_error=line.is_error,
        input_tokens=line.input_tokens,
        output_tokens=line.output_tokens,
        started_at=line.started_at,
        ended_at=line.ended_at,
    )
