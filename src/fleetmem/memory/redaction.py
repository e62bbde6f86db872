"""Secrets found in every view of a text and rewritten to `[REDACTED_SECRET]` in the original, by offset.

A finding is a rule's id and a span; the secret itself is held by nothing that outlives the call, and no error quotes it.
Redaction replaces every occurrence of what it found and repeats until it finds nothing, so doing it twice changes nothing.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import re2

from fleetmem.memory import gates, splits, views
from fleetmem.memory.policy import Patience, SecretRule, Secrets
from fleetmem.memory.values import is_opaque
from fleetmem.memory.views import Overload, View

MARKER: Final = "[REDACTED_SECRET]"


class Unsettled(Exception):  # noqa: N818 -- a state of the input, named as such
    """Redaction still found secrets after its last round; the text must be withheld."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A secret in a text: where (in characters of the text given) and by which rule; never what."""

    start: int
    end: int
    rule: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """Texts without the secrets that were found, by field, and the ids of the rules that found them, in order."""

    texts: Mapping[str, str] = field(repr=False)
    rules: tuple[str, ...]


def first_rule(secrets: Secrets, text: str) -> str | None:
    """Return the id of the first rule that finds a secret, or None.

    Raises:
        Overload: the text holds more than a scan may spend on it.
    """
    return next((finding.rule for finding in scan(secrets, text)), None)


def find(secrets: Secrets, text: str) -> tuple[Finding, ...]:
    """Return what every rule finds in every view, merged where spans touch, in the order of the text.

    Raises:
        Overload: the text holds more than a scan may spend on it.
    """
    found: list[Finding] = []
    for each in sorted(set(scan(secrets, text))):
        if found and each.start < found[-1].end:
            found[-1] = Finding(found[-1].start, max(found[-1].end, each.end), found[-1].rule)
        else:
            found.append(each)
    return tuple(found)


def redact(secrets: Secrets, texts: Mapping[str, str]) -> Redacted:
    """Rewrite the secrets in the fields of one record; what is found in one field is replaced in all of them.

    Raises:
        Overload: a text holds more than a scan may spend on it.
        Unsettled: the last round still found something.
    """
    now, rules = dict(texts), dict[str, None]()
    for _ in range(_MOST_ROUNDS):
        found = {name: find(secrets, text) for name, text in now.items()}
        if not any(found.values()):
            return Redacted(now, tuple(rules))
        rules.update(dict.fromkeys(each.rule for each in sorted(_all(found.values()))))
        known = {now[name][each.start : each.end] for name, each in _named(found)}
        now = {name: _without(text, found[name], known) for name, text in now.items()}
    raise Unsettled("redaction did not settle")


def scan(secrets: Secrets, text: str) -> Iterator[Finding]:
    """Yield findings view by view, unmerged; the same one may come more than once.

    Raises:
        Overload: the text is longer than `views.LONGEST_TEXT`, has too many candidates, or takes longer than its time.
    """
    if len(text) > views.LONGEST_TEXT:
        raise Overload("too long")
    budget = _Budget(secrets.patience, len(text))
    base = views.folded(text)
    shown = [base, *views.unescaped(base)]
    for view in shown:
        yield from _in_view(secrets, view, budget)
    for view in shown[:_MOST_JOINED]:
        for joined in _joined(view):
            if joined is not view:
                # Lines that hold nothing but an identifier look like one wrapped token, so here a name must introduce it.
                yield from _in_view(secrets, joined, budget, bare=False)
    yield from _in_decoded(secrets, shown, budget)
    budget.check()


def _joined(view: View) -> Iterator[View]:
    if not splits.may_be_cut(view.octets):
        return
    yield splits.unwrapped(view)
    spaced = splits.unspaced(view, trimmed=False)
    yield spaced
    if spaced is not view:
        yield splits.unspaced(view, trimmed=True)


class _Budget:
    """What one text may cost: a time, and octets a rule matched, which RE2 walks state by state to tell the value apart.

    It grows with the text. An octet that no rule matches costs a fraction of one that a rule does, in each view.
    """

    __slots__ = ("_clock", "_deadline", "_judged", "_left")

    def __init__(self, patience: Patience, characters: int) -> None:
        self._clock = patience.clock
        self._deadline = patience.clock() + patience.longest_s
        self._left: float = _MOST_SPENT + _MOST_SPENT_EACH * characters
        self._judged: dict[tuple[Callable[[str], bool], str], bool] = {}

    def spend(self, octets: float) -> None:
        self._left -= octets
        if self._left < 0:
            raise Overload("too many candidates")

    def judged(self, judge: Callable[[str], bool], value: str) -> bool:
        """Ask a judge once about each value: most views repeat what the first one showed."""
        answer = self._judged.get((judge, value))
        if answer is None:
            self.spend(len(value))
            answer = self._judged[judge, value] = judge(value)
        return answer

    def check(self) -> None:
        if self._clock() > self._deadline:
            raise Overload("out of time")


def _in_view(
    secrets: Secrets, view: View, budget: _Budget, *, mapped: bool = True, bare: bool = True
) -> Iterator[Finding]:
    budget.check()
    budget.spend(len(view.octets) * _COST_UNMATCHED)
    blanked, rules = _candidates(secrets, view.octets)
    for rule in rules:
        if not bare and rule.judge is is_opaque:
            continue
        budget.check()
        octets = view.octets if rule.judge is None else blanked
        for start, end in _matches(rule, octets, budget):
            span = view.span(start, end)
            yield Finding(*(view.origin(*span) if mapped else span), rule.id)


def _candidates(secrets: Secrets, octets: bytes) -> tuple[bytes, Sequence[SecretRule]]:
    """Return a text without what is public, and the rules that may find something in it or in the text, in their order."""
    public = len(secrets.rules)
    places: Sequence[int]
    if len(octets) > gates.LONGEST_AT_ONCE:
        blanked, places = _blanked(secrets.public, octets), range(public)
    else:
        matching = secrets.sieve.matching(octets)
        blanked = _blanked(secrets.public, octets) if public in matching else octets
        also = secrets.sieve.matching(blanked) if blanked is not octets else ()
        places = sorted({*matching, *also} - {public})
    lowered = octets.lower() if places else b""
    rules = (secrets.rules[at] for at in places)
    return blanked, [rule for rule in rules if not rule.needs or any(each in lowered for each in rule.needs)]


def _matches(rule: SecretRule, octets: bytes, budget: _Budget) -> Iterator[tuple[int, int]]:
    at = walked = 0
    runs = Runs(octets) if rule.judge is is_opaque else None
    while at < len(octets):
        if runs is not None:
            following = runs.following(at)
            if following is None:
                return
            if rule.is_bare:
                at = max(at, following - 1)
        found = rule.pattern.search(octets, at)
        if found is None:
            return
        start, end = found.span(rule.group)
        # A first walk over the text is paid for by its length; what an earlier match covered is walked once more.
        budget.spend(_COST_OF_ONE + max(0, walked - found.start()))
        walked = max(walked, found.end())
        if _agrees(rule, octets, start, end, budget):
            yield start, _trimmed(octets, start, end) if rule.judge is not None else end
            at = max(end, at + 1)
        else:
            # A value that was let through may hide the name of the next one: go on right behind its start. Where
            # the search began with it, go on at its end: the sign there may introduce the next one.
            at = max(start if start > at else end, at + 1)


class Runs:
    """Where an opaque token can be at all, so that nothing is asked about the names and paths of a tool's output.

    `is_opaque` wants twenty characters, two digits, and sixteen characters in one piece; a rule's value is part of one run.
    """

    __slots__ = ("_ends", "_starts")

    def __init__(self, octets: bytes) -> None:
        """Look through a text once."""
        spans = [found.span() for found in _RUN.finditer(octets) if _may_be_opaque(found[0])]
        self._starts, self._ends = [start for start, _ in spans], [end for _, end in spans]

    def following(self, at: int) -> int | None:
        """Return where the first run begins that ends behind a place, or None."""
        place = bisect.bisect_right(self._ends, at)
        return self._starts[place] if place < len(self._starts) else None


def _may_be_opaque(run: bytes) -> bool:
    return len(run) - len(run.translate(None, b"0123456789")) >= _FEWEST_DIGITS and _PIECE.search(run) is not None


def _agrees(rule: SecretRule, octets: bytes, start: int, end: int, budget: _Budget) -> bool:
    value = octets[start:end].decode("utf-8", "replace")
    if _MASKED.search(value):
        return False
    if rule.judge is not None and not budget.judged(rule.judge, value):
        return False
    return rule.unless is None or rule.unless.search(octets[max(0, start - _BEFORE) : start]) is None


def _trimmed(octets: bytes, start: int, end: int) -> int:
    """Leave the punctuation of the sentence outside of what is redacted."""
    kept = octets[start:end].rstrip(b".,;:)]}")
    return start + len(kept) if kept else end


def _in_decoded(secrets: Secrets, shown: Iterable[View], budget: _Budget) -> Iterator[Finding]:
    """Look into what base64 and hexadecimal hide; the whole encoded run is the secret then."""
    spans: dict[tuple[int, int], str] = {}
    for view in shown:
        for found in encoded_runs(view.octets):
            text = views.decoded(found[0].decode())
            budget.spend(len(found[0]) + _COST_OF_ONE)
            if text is not None:
                budget.spend(_COST_DECODED)
                spans[view.origin(*view.span(*found.span()))] = text.replace("\x02", "")
    if spans:
        inner = views.folded("\x02".join(spans.values()).replace("\x02", "\n\u2400\n"))
        ends = list(itertools.accumulate(len(views.folded(text).text) + 3 for text in spans.values()))
        for each in _in_view(secrets, inner, budget, mapped=False):
            yield Finding(*list(spans)[bisect.bisect_right(ends, each.start)], each.rule)


def encoded_runs(octets: bytes) -> Iterator[re.Match[bytes]]:
    """Yield what may be base64 or hexadecimal of a text, as matches; any other run `views.decoded` would refuse."""
    return _ENCODED.finditer(octets)


def _blanked(public: Any, octets: bytes) -> bytes:
    parts: list[bytes] = []
    at = 0
    for found in public.finditer(octets):
        start, end = found.span()
        parts += (octets[at:start], _BLANK * (end - start))
        at = end
    return b"".join((*parts, octets[at:])) if parts else octets


def _without(text: str, found: Iterable[Finding], known: Iterable[str]) -> str:
    spans = [(each.start, each.end) for each in found]
    for secret in known:
        if len(secret) >= _SHORTEST_REPEATED:
            at = text.find(secret)
            while at >= 0:
                spans.append((at, at + len(secret)))
                at = text.find(secret, at + len(secret))
    parts: list[str] = []
    last = 0
    for start, end in sorted(spans):
        if start >= last:
            parts += (text[last:start], MARKER)
        last = max(last, end)
    return "".join((*parts, text[last:]))


def _named(found: Mapping[str, tuple[Finding, ...]]) -> Iterator[tuple[str, Finding]]:
    for name, findings in found.items():
        for each in findings:
            yield name, each


def _all(found: Iterable[tuple[Finding, ...]]) -> Iterator[Finding]:
    for findings in found:
        yield from findings


_MOST_ROUNDS: Final = 6
_MOST_JOINED: Final = 3
_COST_OF_ONE: Final = 20
_COST_DECODED: Final = 100
_COST_UNMATCHED: Final = 0.4
_MOST_SPENT: Final = 3_000
_MOST_SPENT_EACH: Final = 3.4
_SHORTEST_REPEATED: Final = 6
_BEFORE: Final = 60
_BLANK: Final = b"\x01"
_MASKED: Final = re2.compile(r"(?i)x{6,}|\*{3,}|\.{3,}|0{10,}")
# These three look back over no more than twenty octets, so that Python's own engine is as linear, and asked faster.
_RUN: Final = re.compile(rb"(?<![A-Za-z0-9+/_.~=-])[A-Za-z0-9+/_.~=-]{20,}")
_PIECE: Final = re.compile(rb"[A-Za-z0-9+/]{16}")
# A run that begins with another letter decodes to a control character or to no UTF-8.
_ENCODED: Final = re.compile(rb"(?<![A-Za-z0-9+/_-])[0-9a-fw-zC-FI-Z][A-Za-z0-9+/_-]{15,}={0,2}")
_FEWEST_DIGITS: Final = 2
