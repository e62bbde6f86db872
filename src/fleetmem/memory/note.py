"""The note contract: what a distiller may say, read strictly, and its small integers turned into what they stand for.

An answer is `{"notes": [...]}` with at most eight notes; further names beside `notes` are ignored, since nothing reads them.
Each note is judged by itself: one that breaks a rule is withheld under a reason and the others stay. A note with a field of
its own invention (recipients, identifiers) is withheld as well, because it was made by something that does not keep to the
contract. Reasons are stable words: `field:rule`, or `no_provenance`, `too_many`, `not_an_object`, `unknown_field`.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar
from uuid import UUID

from fleetmem.errors import RequestInvalid
from fleetmem.fleet import text
from fleetmem.memory import block, skill
from fleetmem.memory.transcript import Transcript

MOST_NOTES: Final = 8
LONGEST_RATIONALE: Final = 2_000
NO_PROVENANCE: Final = "no_provenance"
TOO_MANY: Final = "too_many"
FIELDS: Final = (
    "content",
    "severity",
    "skill_key",
    "description",
    "source_runs",
    "source_spans",
    "source_messages",
    "rationale",
)

Severity = Literal["normal", "severe"]
Cited = TypeVar("Cited")


class Unreadable(ValueError):  # noqa: N818 -- a state of the answer, named as such
    """The answer as a whole is not in the form of the contract."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A note as a distiller gave it, checked. Sources count from 1 into the lists of a `Numbering`, unresolved."""

    content: str = field(repr=False)
    severity: Severity
    skill_key: str
    description: str = field(repr=False)
    source_runs: tuple[int, ...] = ()
    source_spans: tuple[int, ...] = ()
    source_messages: tuple[int, ...] = ()
    rationale: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Withheld:
    """A note that went no further: its place in the answer from 1, and why."""

    ordinal: int
    reason: str


@dataclass(frozen=True, slots=True)
class Numbering:
    """What the small integers stand for: the first of each list is 1."""

    runs: tuple[UUID, ...] = ()
    spans: tuple[tuple[UUID, int], ...] = ()
    messages: tuple[UUID, ...] = ()

    @classmethod
    def of(cls, transcript: Transcript) -> Numbering:
        """Number everything of a transcript, in its order."""
        return cls(
            tuple(each.id for each in transcript.runs),
            tuple((each.run, each.seq) for each in transcript.spans),
            tuple(each.id for each in transcript.messages),
        )


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a note comes from: a message, or a run, or with `span_seq` one step of the run."""

    message: UUID | None = None
    run: UUID | None = None
    span_seq: int | None = None


@dataclass(frozen=True, slots=True)
class ResolvedNote:
    """A note with its real sources. `withheld` is `no_provenance` where none is left, otherwise None."""

    draft: Draft
    citations: tuple[Citation, ...]
    withheld: str | None


def parse(answer: str) -> tuple[tuple[Draft, ...], tuple[Withheld, ...]]:
    """Read an answer: the notes that keep the contract, and why the others do not.

    Raises:
        Unreadable: it is not JSON, names a field twice, or holds no list of notes.
    """
    try:
        document = json.loads(answer, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Unreadable("the answer is not JSON") from error
    notes = document.get("notes") if isinstance(document, dict) else None
    if not isinstance(notes, list):
        raise Unreadable("the answer holds no list of notes")
    drafts, withheld = list[Draft](), list[Withheld]()
    for ordinal, given in enumerate(notes[:_MOST_JUDGED], start=1):
        drafted = TOO_MANY if len(drafts) == MOST_NOTES else draft(given)
        if isinstance(drafted, Draft):
            drafts.append(drafted)
        else:
            withheld.append(Withheld(ordinal, drafted))
    return tuple(drafts), tuple(withheld)


def draft(given: object) -> Draft | str:
    """Check one note; return the reason to withhold it where it breaks a rule."""
    if not isinstance(given, dict):
        return "not_an_object"
    if given.keys() - set(FIELDS):
        return "unknown_field"
    missing = next((name for name in FIELDS if name not in given), None)
    if missing is not None:
        return f"{missing}:missing"
    wrong = next((name for name in FIELDS if not _has_type(name, given[name])), None)
    if wrong is not None:
        return f"{wrong}:type"
    return _checked(given)


def resolve(drafted: Draft, numbering: Numbering) -> ResolvedNote:
    """Turn a draft's small integers into identifiers; those out of range and those said twice are dropped."""
    messages = [Citation(message=each) for each in _picked(drafted.source_messages, numbering.messages)]
    runs = [Citation(run=each) for each in _picked(drafted.source_runs, numbering.runs)]
    spans = [Citation(run=run, span_seq=seq) for run, seq in _picked(drafted.source_spans, numbering.spans)]
    citations = tuple(dict.fromkeys((*messages, *runs, *spans)))
    return ResolvedNote(drafted, citations, None if citations else NO_PROVENANCE)


def schema() -> dict[str, Any]:
    """Return the contract as a JSON schema, in the subset that strict structured output allows."""
    sources = {"type": "array", "items": {"type": "integer"}}
    properties: dict[str, Any] = {name: {"type": "string"} for name in FIELDS}
    properties |= dict.fromkeys(_SOURCES, sources)
    properties["severity"] = {"type": "string", "enum": ["normal", "severe"]}
    one = {"type": "object", "properties": properties, "required": list(FIELDS), "additionalProperties": False}
    return {
        "type": "object",
        "properties": {"notes": {"type": "array", "items": one}},
        "required": ["notes"],
        "additionalProperties": False,
    }


def _checked(given: Mapping[str, Any]) -> Draft | str:
    content = unicodedata.normalize("NFC", given["content"]).strip()
    description = text.tidy_line(given["description"])
    rationale = unicodedata.normalize("NFC", given["rationale"]).strip()
    fault = (
        _fault(block.check_content, content)
        or _fault(skill.check_key, given["skill_key"])
        or _fault(skill.check_description, description)
    )
    if fault is not None:
        return fault
    if given["severity"] not in {"normal", "severe"}:
        return "severity:value"
    rule = text.body_fault(rationale, longest=LONGEST_RATIONALE) if rationale else None
    if rule is not None:
        return f"rationale:{rule}"
    return Draft(
        content=content,
        severity=given["severity"],
        skill_key=given["skill_key"],
        description=description,
        source_runs=tuple(given["source_runs"]),
        source_spans=tuple(given["source_spans"]),
        source_messages=tuple(given["source_messages"]),
        rationale=rationale,
    )


def _fault(check: Callable[[str], None], value: str) -> str | None:
    try:
        check(value)
    except RequestInvalid as error:
        return f"{error.field}:{error.rule}"
    return None


def _has_type(name: str, value: object) -> bool:
    if name not in _SOURCES:
        return isinstance(value, str)
    # A bool is an int to Python, and no number to anybody else.
    return isinstance(value, list) and all(type(each) is int for each in value) and len(value) <= _MOST_SOURCES


def _picked(places: Iterable[int], of: Sequence[Cited]) -> list[Cited]:
    return [of[place - 1] for place in dict.fromkeys(places) if 1 <= place <= len(of)]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("a field stands twice")
    return read


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_SOURCES: Final = ("source_runs", "source_spans", "source_messages")
_MOST_SOURCES: Final = 200
_MOST_JUDGED: Final = 64
