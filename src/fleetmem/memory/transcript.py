"""What one segment's conversation was: the whole input of extraction, rebuilt from rows and from nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a task asked for, in the order of the tasks."""

    task: UUID
    text: str = field(repr=False)
    at: datetime


@dataclass(frozen=True, slots=True)
class Message:
    """What a person or an agent said; `seq` is its place in its team's messages."""

    id: UUID
    seq: int
    author: str
    speaker: Literal["human", "agent"]
    text: str = field(repr=False)
    at: datetime


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt at a part of a task; `output` is None where it has not said anything."""

    id: UUID
    agent: str
    instruction: str = field(repr=False)
    output: str | None = field(repr=False)
    status: str


@dataclass(frozen=True, slots=True)
class Span:
    """A step inside a run; `seq` counts from the run's start."""

    run: UUID
    seq: int
    kind: str
    name: str
    text: str = field(repr=False)
    is_error: bool


@dataclass(frozen=True, slots=True)
class Transcript:
    """Everything of one segment of one team, each list in the order it happened."""

    team: str
    prompts: tuple[Prompt, ...] = ()
    messages: tuple[Message, ...] = ()
    runs: tuple[Run, ...] = ()
    spans: tuple[Span, ...] = ()

    def texts(self) -> dict[str, str]:
        """Return every text that somebody wrote, by a name that `with_texts` understands."""
        return {
            **{f"prompt.{n}": each.text for n, each in enumerate(self.prompts)},
            **{f"message.{n}": each.text for n, each in enumerate(self.messages)},
            **{f"instruction.{n}": each.instruction for n, each in enumerate(self.runs)},
            **{f"output.{n}": each.output for n, each in enumerate(self.runs) if each.output is not None},
            **{f"span.{n}": each.text for n, each in enumerate(self.spans)},
            **{f"step.{n}": each.name for n, each in enumerate(self.spans)},
        }

    def with_texts(self, texts: Mapping[str, str]) -> Transcript:
        """Return the same conversation in other words: those of `texts`, which has a text for each name of `texts()`."""
        prompts, messages, runs, spans = self.prompts, self.messages, self.runs, self.spans
        return replace(
            self,
            prompts=tuple(replace(each, text=texts[f"prompt.{n}"]) for n, each in enumerate(prompts)),
            messages=tuple(replace(each, text=texts[f"message.{n}"]) for n, each in enumerate(messages)),
            runs=tuple(
                replace(each, instruction=texts[f"instruction.{n}"], output=texts.get(f"output.{n}"))
                for n, each in enumerate(runs)
            ),
            spans=tuple(
                replace(each, text=texts[f"span.{n}"], name=texts[f"step.{n}"]) for n, each in enumerate(spans)
            ),
        )

    def rewritten(self, rewrite: Callable[[str], str]) -> Transcript:
        """Return the conversation with each text passed through `rewrite`."""
        return self.with_texts({name: rewrite(text) for name, text in self.texts().items()})
