"""The `rules` extractor: sentences of messages and outputs that lay something down, kept with where they stood.

Deterministic and offline, and much narrower than a model: docs/notes.md says what it misses. A note is the sentence itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from fleetmem.memory import normative, note
from fleetmem.memory.normative import Sentence
from fleetmem.memory.note import Draft, Numbering, Withheld
from fleetmem.memory.terms import terms
from fleetmem.memory.transcript import Transcript
from fleetmem.models.extractor import Extraction, Failure


@dataclass(frozen=True, slots=True)
class _Found:
    """A sentence and the message or run it stands in, by its number."""

    sentence: Sentence
    source: Literal["message", "run"]
    number: int
    bonus: float = 0.0


@dataclass(frozen=True, slots=True)
class Rules:
    """Picks normative sentences."""

    name: str = "rules"

    def extract(self, transcript: Transcript) -> Extraction:
        """Distil one segment: the eight sentences that weigh most, in the order of their weight."""
        drafts, withheld = list[Draft](), list[Withheld]()
        groups = sorted(_grouped(list(_sentences(transcript))), key=lambda group: -_weight(group))
        for ordinal, group in enumerate(groups, start=1):
            drafted = note.TOO_MANY if len(drafts) == note.MOST_NOTES else _drafted(group)
            if isinstance(drafted, Draft):
                drafts.append(drafted)
            else:
                withheld.append(Withheld(ordinal, drafted))
        return Extraction(
            provider=self.name,
            notes=tuple(drafts),
            withheld=tuple(withheld),
            numbering=Numbering.of(transcript),
            failure=None if drafts else Failure.NO_NOTES,
        )


def _sentences(transcript: Transcript) -> Iterator[_Found]:
    for number, message in enumerate(transcript.messages, start=1):
        bonus = _HUMAN if message.speaker == "human" else 0.0
        for sentence in normative.find(message.text):
            yield _Found(sentence, "message", number, bonus)
    for number, run in enumerate(transcript.runs, start=1):
        for sentence in normative.find(run.output or ""):
            yield _Found(sentence, "run", number)


def _grouped(found: list[_Found]) -> list[list[_Found]]:
    """Put sentences together that say the same in nearly the same words; a number or a "not" more is not the same."""
    groups = list[list[_Found]]()
    for each in found:
        own = _print(each.sentence.text)
        same = next((group for group in groups if _is_same(own, _print(group[0].sentence.text))), None)
        if same is None:
            groups.append([each])
        else:
            same.append(each)
    return groups


def _print(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return what two sentences are compared by: their terms, and what may not differ at all."""
    lowered = text.lower()
    return frozenset(terms(text)), frozenset(_EXACT.findall(lowered))


def _is_same(one: tuple[frozenset[str], frozenset[str]], other: tuple[frozenset[str], frozenset[str]]) -> bool:
    shared, either = one[0] & other[0], one[0] | other[0]
    return one[1] == other[1] and len(shared) >= _ALIKE * len(either)


def _weight(group: list[_Found]) -> float:
    return max(each.sentence.weight + each.bonus for each in group) + _AGAIN * (len(group) - 1)


def _drafted(group: list[_Found]) -> Draft | str:
    first = group[0].sentence
    content = unicodedata.normalize("NFC", first.text)
    about = normative.phrases(content)
    if not about:
        return "skill_key:empty"
    drafted = note.draft(
        {
            "content": content,
            "severity": "severe" if any(each.sentence.is_severe for each in group) else "normal",
            "skill_key": _key(about),
            "description": _description(about),
            "source_runs": [],
            "source_spans": [],
            "source_messages": [],
            "rationale": f"It reads as a {first.kind}.",
        }
    )
    if not isinstance(drafted, Draft):
        return drafted
    return replace(
        drafted,
        source_messages=tuple(dict.fromkeys(each.number for each in group if each.source == "message")),
        source_runs=tuple(dict.fromkeys(each.number for each in group if each.source == "run")),
    )


def _key(about: list[str]) -> str:
    """Return the first words of what a sentence is about as a key; "team-rule" where none of them is Latin."""
    words = [word for phrase in about for word in _KEY_WORD.findall(_plain(phrase))]
    key = ""
    for word in list(dict.fromkeys(words))[:_KEY_WORDS]:
        longer = f"{key}-{word}" if key else word
        if len(longer) > _LONGEST_KEY:
            break
        key = longer
    return key or "team-rule"


def _plain(phrase: str) -> str:
    apart = unicodedata.normalize("NFKD", phrase).casefold()
    return "".join(each for each in apart if not unicodedata.combining(each))


def _description(about: list[str]) -> str:
    named = about[:_PHRASES]
    joined = " or ".join((", ".join(named[:-1]), named[-1])) if len(named) > 1 else named[0]
    return f"When a task concerns {joined}."


_HUMAN: Final = 0.5
_AGAIN: Final = 0.25
_ALIKE: Final = 0.8
_PHRASES: Final = 4
_KEY_WORDS: Final = 4
_LONGEST_KEY: Final = 48
_KEY_WORD: Final = re.compile(r"[a-z0-9]+")
_EXACT: Final = re.compile(r"\d+(?:[.,:]\d+)*|\b(?:not|never|no|always|only|without|cannot)\b|n't\b")
