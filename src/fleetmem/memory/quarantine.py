"""Texts that want to steer their reader: the ids of the rules they break, and the flags a handoff earns.

What is found here is never rewritten. The text is held back whole until a person has looked at it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from fleetmem.memory import readings, views
from fleetmem.memory.policy import Claims, Steering, SteeringRule
from fleetmem.memory.views import LONGEST_TEXT, Overload


def examine(steering: Steering, text: str) -> tuple[str, ...]:
    """Return the ids of the rules that a text breaks, in the order of the policy; none for a text to let through.

    Raises:
        Overload: the text is too long, has too many disguises, or takes longer than its time.
    """
    if len(text) > LONGEST_TEXT:
        raise Overload("too long")
    deadline = steering.patience.clock() + steering.patience.longest_s
    found: dict[str, None] = {}
    _apply(steering, steering.shapes, text, found, deadline)
    folded = views.folded(text).text
    if folded != text:
        _apply(steering, [rule for rule in steering.shapes if not rule.original], folded, found, deadline)
    for reading in readings.readings(text, steering.vocabulary):
        _apply(steering, steering.sentences, reading, found, deadline)
    return tuple(found)


def flags(claims: Claims, text: str) -> tuple[str, ...]:
    """Return the flags a handoff's text earns, in the order of the policy: `claims-approval`, `skips-checks`.

    Raises:
        Overload: the text has more than a scan may spend on it.
    """
    seen = " ".join(views.folded(text).text.casefold().split())
    shown = {seen, " ".join(seen.translate(_JOINERS).split())}
    return tuple(
        flag
        for flag, phrases in claims.phrases.items()
        if any(_says(phrase, each) for phrase in phrases for each in shown)
    )


def _apply(
    steering: Steering, rules: Iterable[SteeringRule], shape: str, found: dict[str, None], deadline: float
) -> None:
    octets = shape.encode("utf-8", "replace")
    for rule in rules:
        if steering.patience.clock() > deadline:
            raise Overload("out of time")
        if rule.id not in found and _breaks(steering, rule, octets):
            found[rule.id] = None


def _breaks(steering: Steering, rule: SteeringRule, octets: bytes) -> bool:
    return any(_holds(steering, rule, octets, found.start()) for found in rule.pattern.finditer(octets))


def _holds(steering: Steering, rule: SteeringRule, octets: bytes, start: int) -> bool:
    line = octets.rfind(b"\n", 0, start) + 1
    end = octets.find(b"\n", start)
    sentence = octets[max(line, start - _SENTENCE) : min(end if end >= 0 else len(octets), start + _SENTENCE)]
    if any(pattern.search(sentence) is None for pattern in rule.also):
        return False
    if rule.without is not None and rule.without.search(sentence) is not None:
        return False
    return not rule.guarded or not _is_let_off(steering, octets[line:start], sentence)


def _is_let_off(steering: Steering, before: bytes, sentence: bytes) -> bool:
    """Tell whether what a rule found is a warning against it, or a mention of it in quotation marks."""
    if steering.guard.search(before[-_BEFORE:]) is not None:
        return True
    quoted = any(before.count(mark) % 2 for mark in (b'"', b"`"))
    return quoted and steering.mention.search(sentence) is not None


def _says(phrase: Any, seen: str) -> bool:
    return any(found["guard"] is None for found in phrase.finditer(seen))


_BEFORE: Final = 90
_SENTENCE: Final = 300
_JOINERS: Final = str.maketrans("-_*.", "    ")
