"""Segments: where one thread of a team's work ends and the next begins.

A new prompt is held against what is known of the open segment. How likely it changes the subject is a logistic score of a few
signals, which docs/adr/0017-the-subject-is-scored.md explains and docs/notes.md measures: the divergence of terms alone, which
calls every short follow-up a new subject, is one of them. Where an encoder is given, its vectors are signals too. Nothing
here keeps anything: what is known of a segment is a `Topic`, which the caller stores between two tasks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from fleetmem.memory.terms import GENERAL, divergence, normal, terms, weighted

Vector = Sequence[float]
Encode = Callable[[Sequence[str]], Sequence[Vector]]


class Boundary(StrEnum):
    """Why a segment closes."""

    TOPIC_SHIFT = "topic_shift"
    SIZE_CAP = "size_cap"
    IDLE = "idle"
    MID_TASK = "mid_task"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """When a segment closes.

    `topic_shift` is the least probability of a new subject (0 to 1) by terms and words alone, `topic_shift_encoded` where
    vectors count too. `drift` is the cosine below which the nodes of one task have left their subject.
    """

    topic_shift: float = 0.35
    topic_shift_encoded: float = 0.40
    most_tasks: int = 8
    most_characters: int = 120_000
    idle_s: float = 1_800
    drift: float = 0.20


@dataclass(frozen=True, slots=True)
class Reading:
    """A prompt as the rules see it; `vector` is None where there is no encoder."""

    text: str
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """What an open segment has been about: the weight of each term, and of its prompts' vectors the sum and the newest."""

    prompts: int = 0
    terms: Mapping[str, float] = field(default_factory=dict)
    total: tuple[float, ...] = ()
    last: tuple[float, ...] = ()

    def with_prompt(self, prompt: Reading) -> Topic:
        """Return the topic after one more prompt."""
        added = _merged(self.terms, weighted(terms(prompt.text)))
        if prompt.vector is None:
            return Topic(self.prompts + 1, added, self.total, self.last)
        new = tuple(round(float(each), _DIGITS) for each in prompt.vector)
        total = tuple(map(_rounded_sum, self.total, new)) if len(self.total) == len(new) else new
        return Topic(self.prompts + 1, added, total, new)

    def with_output(self, text: str) -> Topic:
        """Return the topic after something was said or answered: its leading terms count, each at most once."""
        found = sorted(weighted(terms(text)).items(), key=lambda each: (-each[1], each[0]))[:_LEADING]
        return Topic(self.prompts, _merged(self.terms, {term: min(1.0, w) for term, w in found}), self.total, self.last)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values, for the row of its segment."""
        return {
            "prompts": self.prompts,
            "terms": dict(self.terms),
            "total": list(self.total),
            "last": list(self.last),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Topic:
        """Read what `to_json` wrote; an empty object is a topic of nothing.

        Raises:
            ValueError: it is something else.
        """
        try:
            return cls(
                int(document.get("prompts", 0)),
                {str(term): float(weight) for term, weight in dict(document.get("terms", {})).items()},
                tuple(float(each) for each in document.get("total", ())),
                tuple(float(each) for each in document.get("last", ())),
            )
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError("this is no topic of a segment") from error


def read(text: str, encode: Encode | None = None) -> Reading:
    """Return a prompt with its vector, where there is an encoder."""
    return Reading(text, None if encode is None else tuple(encode([text])[0]))


def boundary(
    prompt: Reading,
    topic: Topic,
    *,
    tasks: int,
    characters: int,
    idle_s: float,
    rules: Rules,
) -> Boundary | None:
    """Return why the open segment closes before a new prompt, or None where the prompt belongs to it.

    `tasks` and `characters` count what the segment holds already, `idle_s` the seconds since anything happened in it.
    """
    if not tasks:
        return None
    if idle_s >= rules.idle_s:
        return Boundary.IDLE
    if is_shift(prompt, topic, rules):
        return Boundary.TOPIC_SHIFT
    is_full = tasks >= rules.most_tasks or characters + len(prompt.text) > rules.most_characters
    return Boundary.SIZE_CAP if is_full else None


def seconds_between(earlier: datetime | None, later: datetime | None) -> float:
    """Return the seconds from one moment to another; 0 where either is unknown or they are out of order."""
    return 0.0 if earlier is None or later is None else max(0.0, (later - earlier).total_seconds())


def opening(topic: Topic, why: Boundary | None) -> Topic:
    """Return what the next segment knows at its start: a segment that was only full goes on with its subject."""
    return topic if why is Boundary.SIZE_CAP else Topic()


def is_shift(prompt: Reading, topic: Topic, rules: Rules) -> bool:
    """Tell whether a prompt changes the subject; one without a word about anything ("continue", "why?") never does."""
    if not topic.prompts or not set(terms(prompt.text)) - GENERAL:
        return False
    least = rules.topic_shift_encoded if _is_encoded(prompt, topic) else rules.topic_shift
    return shift(prompt, topic) > least


def shift(prompt: Reading, topic: Topic) -> float:
    """Return how likely a prompt changes the subject, 0 to 1."""
    signals = _signals(prompt.text, topic)
    weights: Mapping[str, float] = _BY_TERMS
    if prompt.vector is not None and _is_encoded(prompt, topic):
        weights = _BY_VECTORS
        signals |= {"mean": cosine(prompt.vector, topic.total), "last": cosine(prompt.vector, topic.last)}
    return 1 / (1 + math.exp(-sum(weight * signals[name] for name, weight in weights.items())))


def drift(outputs: Sequence[str], encode: Encode, rules: Rules) -> int | None:
    """Return before which of one task's outputs, in the order of execution, its subject has changed; None if it has not.

    Two outputs are held against all before them, of which there must be two as well: a single odd one is no new subject.
    """
    if len(outputs) < _FEWEST_NODES:
        return None
    vectors = [tuple(each) for each in encode(list(outputs))]
    for at in range(2, len(vectors) - 1):
        if max(cosine(each, _sum(vectors[:at])) for each in vectors[at : at + 2]) < rules.drift:
            return at
    return None


def cosine(left: Vector, right: Vector) -> float:
    """Return the cosine of two vectors; 0 where one has no length.

    Raises:
        ValueError: they have different numbers of dimensions.
    """
    product = sum(a * b for a, b in zip(left, right, strict=True))
    lengths = math.sqrt(sum(a * a for a in left) * sum(b * b for b in right))
    return product / lengths if lengths else 0.0


def _is_encoded(prompt: Reading, topic: Topic) -> bool:
    """Vectors count where both sides have them of one model; another model may have come since."""
    return prompt.vector is not None and len(prompt.vector) == len(topic.total) > 0


def _signals(text: str, topic: Topic) -> dict[str, float]:
    found = terms(text)
    own = sorted(set(found) - GENERAL)
    shared = sum(_is_known(term, topic.terms) for term in own)
    left, right = normal(weighted(found)), normal(topic.terms)
    words = _WORDS.findall(text[:_LONGEST].lower())
    briefness = 1 / (1 + len(own) / 4)
    return {
        "bias": 1.0,
        "divergence": divergence(left, right) if left and right else 1.0,
        "shared": min(shared, 3) / 3,
        "share": shared / max(1, len(own)),
        "size": min(len(own), 8) / 8,
        "tiny": float(len(own) <= 2),  # noqa: PLR2004 -- a prompt of one or two words about anything
        "points_back": briefness * (not _POINTING.isdisjoint(words)),
        "goes_on": float(words[:1] != [] and words[0] in _GOING_ON),
        "asks": briefness * text.rstrip().endswith("?"),
        "begins": float(words[:1] != [] and words[0] in _BEGINNING),
    }


def _is_known(term: str, known: Mapping[str, float]) -> bool:
    return term in known or (len(term) >= _PREFIX and any(each[:_PREFIX] == term[:_PREFIX] for each in known))


def _merged(left: Mapping[str, float], right: Mapping[str, float]) -> dict[str, float]:
    """Add weights up; of too many terms the lightest are forgotten."""
    both = {term: left.get(term, 0.0) + right.get(term, 0.0) for term in left.keys() | right.keys()}
    kept = sorted(both.items(), key=lambda each: (-each[1], each[0]))[:_MOST_TERMS]
    return dict(sorted(kept))


def _rounded_sum(left: float, right: float) -> float:
    return round(left + right, _DIGITS)


def _sum(vectors: Sequence[Vector]) -> tuple[float, ...]:
    return tuple(map(sum, zip(*vectors, strict=True)))


# Fitted by logistic regression; docs/adr/0017-the-subject-is-scored.md says on what.
_BY_TERMS: Final = {
    "bias": -2.9,
    "divergence": 1.0,
    "shared": -5.2,
    "share": -3.5,
    "size": 3.4,
    "tiny": -1.4,
    "points_back": -2.4,
    "goes_on": -1.6,
    "asks": -0.1,
    "begins": 2.3,
}
_BY_VECTORS: Final = {
    "bias": -1.0,
    "divergence": 0.4,
    "shared": -3.0,
    "share": -1.6,
    "size": 3.0,
    "tiny": -1.8,
    "points_back": -2.3,
    "goes_on": -1.6,
    "asks": -0.4,
    "begins": 2.5,
    "mean": -6.4,
    "last": -2.6,
}

_MOST_TERMS: Final = 400
_LEADING: Final = 30
_DIGITS: Final = 4
_FEWEST_NODES: Final = 4
_PREFIX: Final = 5
_LONGEST: Final = 20_000
_WORDS: Final = re.compile(r"[\w']+")
_POINTING: Final = frozenset(
    [
        "it",
        "its",
        "they",
        "them",
        "their",
        "that",
        "those",
        "these",
        "this",
        "same",
        "one",
        "ones",
        "there",
        "both",
        "each",
        "all",
        "he",
        "she",
        "his",
        "her",
        "him",
        "else",
        "such",
        "which",
        "other",
        "others",
        "another",
    ]
)
_GOING_ON: Final = frozenset(
    [
        "and",
        "also",
        "now",
        "then",
        "but",
        "again",
        "why",
        "so",
        "ok",
        "okay",
        "next",
        "continue",
        "go",
        "yes",
        "no",
        "thanks",
        "same",
        "still",
        "instead",
        "or",
        "looks",
        "lgtm",
        "great",
        "good",
        "try",
        "undo",
        "revert",
        "commit",
        "merge",
        "push",
        "ship",
    ]
)
_BEGINNING: Final = frozenset(
    [
        "plan",
        "design",
        "set",
        "implement",
        "create",
        "build",
        "draft",
        "prepare",
        "organise",
        "organize",
        "write",
        "investigate",
        "summarise",
        "summarize",
        "review",
        "research",
        "calculate",
        "collect",
        "redesign",
        "convert",
        "integrate",
        "replace",
        "improve",
        "train",
        "upgrade",
        "migrate",
        "audit",
        "model",
        "prototype",
        "refactor",
        "forecast",
    ]
)
