"""What a transcript holds, whichever runtime wrote it: turns, each a prompt, what was said and done, and an end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fleetmem.board import capture, limits
from fleetmem.errors import RequestInvalid

Kind = Literal["model", "tool", "message", "other"]
Outcome = Literal["succeeded", "failed", "cancelled"]
Speaker = Literal["agent", "human"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that cannot be taken, by its number from 1, and why; the line itself is not repeated."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Said:
    """A message within a turn."""

    line: int
    body: str
    speaker: Speaker = "agent"


@dataclass(slots=True)
class Step:
    """One thing done; `ended_at` and what a tool answered come later than the step. Moments are RFC 3339 or None."""

    kind: Kind
    name: str
    body: str = ""
    is_error: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    started_at: str | None = None
    ended_at: str | None = None


@dataclass(slots=True)
class Turn:
    """A prompt and what came of it. `outcome` is None while the transcript has not said how it ended."""

    line: int
    prompt: str
    said: list[Said] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    outcome: Outcome | None = None
    output: str | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session: its own id, its turns in order, and the lines that could not be taken."""

    session: str
    turns: tuple[Turn, ...]
    faults: tuple[Fault, ...]


class Malformed(Exception):  # noqa: N818 -- what a line is
    """A line that is not what its format says; the message says why and never repeats the line."""


def kept(text: str, longest: int) -> str:
    """Return a text as the gateway takes it: tidied, and cut where it is too long, which the text then says."""
    tidy = capture.tidy(text)
    if len(tidy) <= longest:
        return tidy
    note = f"\n[{len(tidy) - longest + 60} characters cut]"
    return tidy[: longest - 60] + note


def text_of(given: Any, *keys: str) -> str:
    """Return the text of a block or of a list of blocks: what stands under the first of `keys` that holds a text.

    Raises:
        Malformed: it is neither a text nor a list of blocks.
    """
    if given is None:
        return ""
    if isinstance(given, str):
        return given
    if isinstance(given, Mapping):
        return next((value for key in keys if isinstance(value := given.get(key), str)), "")
    if isinstance(given, list):
        return "\n".join(text for each in given if (text := text_of(each, *keys)))
    raise Malformed("a text is neither a string nor a list of blocks")


def member(given: Mapping[str, Any], name: str, kind: type) -> Any:
    """Return a member that must be there.

    Raises:
        Malformed: it is missing or of another type.
    """
    value = given.get(name)
    if not isinstance(value, kind):
        raise Malformed(f"`{name}` is missing or of another type")
    return value


def part(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a member that is an object; an empty one for anything else."""
    value = given.get(name)
    return value if isinstance(value, Mapping) else {}


def moment(given: Any) -> str | None:
    """Return a moment where it is one as RFC 3339 writes it; a transcript's clock is no reason to refuse a line."""
    if not isinstance(given, str):
        return None
    try:
        limits.instant(given, field="timestamp")
    except RequestInvalid:
        return None
    return given


def tokens(given: Any) -> int:
    """Return a count of tokens; 0 for anything that is none."""
    return given if isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= capture.MOST_TOKENS else 0


def finished(turns: list[Turn]) -> Iterator[Turn]:
    """Yield turns with their last words as their output."""
    for turn in turns:
        last = turn.said[-1] if turn.said else None
        if turn.output is None and last is not None and last.speaker == "agent":
            turn.said.pop()
            turn.output = last.body
        yield turn
