"""What a new note is to those that landed: the same said again, a correction of one, or neither. Pure.

A model of meaning puts "always" next to "never" and 30 next to 60, so it only tells what two notes are about. Whether they say
the same is told by their words: all of them in the same order, but for fillers and equal ways to say one thing. Whatever else
is near is a correction, which a person sees; to call a rewording a correction costs a look, the reverse would lose a fact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

from fleetmem.memory.profile import Similar
from fleetmem.memory.terms import stem


class Kin(StrEnum):
    """What the new note is to a landed one."""

    SAME = "same"
    CORRECTION = "correction"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True)
class Kinship:
    """The decision, and the landed note it is about; None where the new note is unrelated to all."""

    kin: Kin
    note: str | None
    similarity: float


def kinship(text: str, landed: Sequence[tuple[str, str]], similar: Similar, *, threshold: float = 0.80) -> Kinship:
    """Compare a note with landed ones, given as (id, text), of one recipient or team.

    Near is a cosine at or above the threshold, or mostly the same words, whatever their order, or the same in one order: a
    name exchanged moves a short note far away.
    """
    if not landed:
        return Kinship(Kin.UNRELATED, None, 0.0)
    said = statement(text)
    cosines = similar([text], [each for _, each in landed])[0]
    near = [(cosine, note, statement(each)) for cosine, (note, each) in zip(cosines, landed, strict=True)]
    for cosine, note, other in near:
        if other == said:
            return Kinship(Kin.SAME, note, cosine)
    kin = [(cosine, note) for cosine, note, other in near if cosine >= threshold or _shared(said, other) >= _MOSTLY]
    if not kin:
        return Kinship(Kin.UNRELATED, None, max(cosines))
    cosine, note = min(kin, key=lambda each: (-each[0], each[1]))
    return Kinship(Kin.CORRECTION, note, cosine)


def statement(text: str) -> tuple[str, ...]:
    """Return what a text says, word by word: fillers dropped, endings cut, equal ways of saying one thing made one.

    Whatever holds a digit or a sign stays whole, since 2.5 is not 25 and `a_b` not `a b`.
    """
    spoken = text.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    for pattern, word in _EQUAL:
        spoken = pattern.sub(word, spoken)
    words = (found.strip(".,;:!?'\"()[]`") for found in spoken.split())
    return tuple(_whole(word) for word in words if word and word not in _FILLERS)


def _whole(word: str) -> str:
    return stem(word) if word.isalpha() and word.isascii() and word not in _BINDING else word


def _shared(left: Sequence[str], right: Sequence[str]) -> float:
    """Return how much of what is said is said in both, 0 to 1."""
    one, other = set(left), set(right)
    in_order = SequenceMatcher(None, left, right, autojunk=False).ratio()
    return max(len(one & other) / max(len(one | other), 1), in_order)


_MOSTLY: Final = 0.65
_FILLERS: Final = frozenset(
    {"a", "an", "the", "please", "also", "just", "that", "so", "then", "very", "note", "remember"}
)
_BINDING: Final = frozenset(
    {"must", "not", "never", "always", "may", "only", "no", "all", "any", "none", "should", "can"}
)
_EQUAL: Final = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (r"\b(?:ha(?:s|ve)|needs?) to be\b", "must be"),
        (r"\b(?:ha(?:s|ve)|needs?) to\b", "must"),
        (r"\b(?:must|may)n't\b", "must not"),
        (r"\b(?:do|does) not ever\b|\b(?:don't|doesn't) ever\b", "never"),
        (r"\b(do|does|is|are|was|were|should|would|could)n't\b", r"\1 not"),
        (r"\b(?:cannot|can't|can not)\b", "can not"),
        (r"\b(?:is|are) (?:allowed|permitted) to\b", "may"),
    )
)
