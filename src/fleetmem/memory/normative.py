"""Sentences that lay something down: what must or must not be, what was decided, what turned out to be the cause.

Pure pattern matching over English: it knows how such sentences are written, and nothing of what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from fleetmem.memory.terms import terms


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that lays something down: the kind of it, how strongly, and whether its author marked it as severe."""

    text: str
    kind: str
    weight: float
    is_severe: bool


def find(text: str) -> list[Sentence]:
    """Return the sentences of a text that lay something down, in order; one that points back brings the sentence before it."""
    found = list[Sentence]()
    before = ""
    for line_starts, each in _sentences(text[:_LONGEST_TEXT]):
        judged = _judged(each, "" if line_starts else before)
        if judged is not None:
            is_carried = bool(found) and found[-1].text == before and judged.text == f"{before} {each}"
            found[-1 if is_carried else len(found) :] = [judged]
        before = each
    return found


def phrases(sentence: str) -> list[str]:
    """Return what a sentence is about: its runs of words between verbs, particles and punctuation, in order, each once."""
    runs, run = list[str](), list[str]()
    for word in [*_TOKEN.findall(sentence), "."]:
        bare = word.strip("'`\".,:;()[]")
        is_content = len(bare) > 1 and bare.lower() not in _BETWEEN and not bare.isdigit() and bare[0].isalnum()
        if is_content:
            run.append(bare)
        # A run also ends behind a word with punctuation at its end.
        if run and (not is_content or word[-1] in ",.:;)"):
            runs.append(" ".join(run[:_LONGEST_PHRASE]))
            run = []
    return list({each.lower(): each for each in runs}.values())


def _judged(sentence: str, before: str) -> Sentence | None:
    mark = _SEVERE.match(sentence)
    plain = sentence[mark.end() :].strip() if mark else sentence
    words = plain.split()
    if not _FEWEST_WORDS <= len(words) <= _MOST_WORDS or plain.endswith("?") or _PASSING.search(plain):
        return None
    found = next(((kind, weight) for kind, weight, pattern in _KINDS if pattern.search(plain)), None)
    if found is None or len(terms(plain)) < _FEWEST_TERMS:
        return None
    kind, weight = found
    if _POINTS_BACK.match(plain):
        if not before or before.endswith("?"):
            return None
        plain, weight = f"{before} {plain}", weight - 0.5
    return Sentence(plain, kind, weight, mark is not None)


def _sentences(text: str) -> Iterator[tuple[bool, str]]:
    """Yield each sentence and whether it begins its line; code, quotations and tables are left out."""
    in_code = False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
            continue
        if in_code or _NO_PROSE.match(line):
            continue
        bare = _EMPHASIS.sub("", _BULLET.sub("", line)).strip()
        for at, each in enumerate(_END.split(bare)):
            if each.strip():
                yield at == 0, each.strip()


_LONGEST_TEXT: Final = 50_000
_LONGEST_PHRASE: Final = 4
_FEWEST_WORDS: Final = 4
_MOST_WORDS: Final = 60
_FEWEST_TERMS: Final = 2
_TOKEN: Final = re.compile(r"\S+")
_END: Final = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[`]?[A-Z0-9`])")
_NO_PROSE: Final = re.compile(r"\s*(?:>|\||\$ |#!|<\w|at \w+\.|File \"|[{}\[\]])|(?: {4}|\t)\S")
_BULLET: Final = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)]|#{1,6})\s+(?:\[[ xX]\]\s+)?")
_EMPHASIS: Final = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_SEVERE: Final = re.compile(r"\[?(?:severe|critical)\]?\s*[:!-]\s*|\[(?:severe|critical)\]\s*", re.IGNORECASE)
# Of the moment, of the speaker, or not meant: no rule for later.
_PASSING: Final = re.compile(
    r"(?i)^(?:please|let'?s|let me|can you|could you|would you|i('ll|'m|'d)?\b|we(?:'ll|'re)\b|todo\b)"
    r"|\b(?:maybe|perhaps|i think|i guess|not sure|might|should we|if i\b)"
    r"|\b(?:must have|must be (?:a|an|the|because|due|why|something|some)\b|need(?:s)? to (?:fix|check|look|ask|see|investigate))"
    r"|\bnever (?:mind|seen|saw|worked|ran|got|been|had|heard)\b|\b(?:has|have|had|was|were) never\b"
    r"|\b(?:today|tonight|tomorrow|this (?:morning|afternoon|week)|right now|for now)\b"
)
_POINTS_BACK: Final = re.compile(r"(?i)^(?:it|its|they|them|their|that|this|those|these|he|she|both|neither|which)\b")
_KINDS: Final = (
    (
        "prohibition",
        4.0,
        re.compile(
            r"(?i)\b(?:must|may|shall|can|should) (?:never|not|no longer)\b|\bmustn't\b|\b(?:never|do not|don't) (?:ever )?[a-z]+"
            r"|\bnever\b|\bunder no circumstances\b|\bis (?:forbidden|prohibited|not allowed)\b|\bno \w+ may\b"
        ),
    ),
    (
        "decision",
        3.5,
        re.compile(
            r"(?i)\b(?:we|team|was|been|have|has|it is) (?:have |has )?(?:decided|agreed|settled on|chosen)\b"
            r"|^(?:decision|decided|policy|rule|agreed|convention)\s*[:-]|\bfrom now on\b|\bgoing forward\b"
            r"|\bwe (?:chose|standardi[sz]ed on|will use|no longer use)\b"
        ),
    ),
    (
        "cause",
        3.5,
        re.compile(
            r"(?i)\broot cause\b|\b(?:was|were|is) caused by\b|\bthe (?:cause|reason) (?:was|is)\b|\bturned out\b"
            r"|\blesson(?:s)?(?: learned)?\b|\b(?:we|team) learned\b"
        ),
    ),
    (
        "choice",
        3.0,
        re.compile(
            r"(?i)\b(?:use|uses|prefer|choose|call|send|write|read|take)\b.{1,120}\b(?:instead of|rather than|not)\b"
            r"|\binstead of\b.{1,80}\b(?:use|prefer)\b"
        ),
    ),
    (
        "duty",
        3.0,
        re.compile(
            r"(?i)\b(?:must|shall|has to|have to|is required to|are required to|is mandatory|are mandatory)\b|^always\b"
            r"|\b(?:always|only) (?:use|run|send|store|keep|set|call|check|write|read|return|allowed)\b"
            r"|\b(?:needs?|may|can|allowed|works?|runs?|valid|accepts?|returns?)(?: \w+)? only\b|\bonly (?:if|when|after|via|through|for|with)\b"
        ),
    ),
    (
        "need",
        2.5,
        re.compile(
            r"(?i)\b(?:requires?|is required|are required|depends? on|needs? (?:a|an|the|at least|to be|two|three)\b"
            r"|is limited to|at most \d|no more than \d|at least \d|up to \d)"
        ),
    ),
)
_WORDS_BETWEEN: Final = (
    "a accept accepts after again agree agreed all allow allowed also although always an and another any "
    "anything are aren't as at back be because been before being between both but by call called calls "
    "can can't cannot cause caused choose chose chosen come comes contain contains could decide decided "
    "decision depend depends did do does doesn't don't done during each either ever every everything "
    "except few for from get gets give given gives go goes got had has have he her here his hold holds "
    "how i if in instead into is isn't it its just keep keeps kept know knows learn learned least lesson "
    "let lets limited longer made make makes may me might more most much must mustn't my need needed "
    "needs neither never no nor not nothing now of off on once one only or other our out over own per "
    "policy prefer prefers put puts ran rather read reads reason require required requires return returns "
    "root rule run runs same say says see seen sees send sends sent set sets shall she should show shows "
    "since so some something still store stores such take taken takes than that the their them then there "
    "these they this those though three through to too turned two under unless until up us use used uses "
    "using very via want wants was we were what when where whether which while who whose why will with "
    "within without won't would write writes yet you your"
)
_BETWEEN: Final = frozenset(_WORDS_BETWEEN.split())
