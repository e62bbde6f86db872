"""Labelled texts read from a file, and how the safety policy does on them.

Two forms of JSON lines, told apart by their first line: secrets (`text`, `spans` of [start, end, kind], `kind`,
`variant`) and steering (`text`, `label` of `hostile` or `benign`, `kind`). Recall counts a secret only when its whole
span is covered; false positives are the share of texts without one, or of benign texts, in which anything was found.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeVar

import msgspec

from fleetmem.errors import RequestInvalid
from fleetmem.memory import quarantine, redaction
from fleetmem.memory.policy import Policy
from fleetmem.memory.views import Overload

Found = TypeVar("Found")
Line = TypeVar("Line", bound="SecretText | SteeringText")


class SecretText(msgspec.Struct):
    """A line of a corpus of secrets; without spans it is a hard negative."""

    text: str
    spans: list[tuple[int, int, str]]
    kind: str = ""
    variant: str = "plain"


class SteeringText(msgspec.Struct):
    """A line of a corpus of texts that steer, or do not."""

    text: str
    label: Literal["hostile", "benign"]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """How many there were, and how many of them were found."""

    of: int
    found: int

    @property
    def share(self) -> float | None:
        """Return the share that was found; None where there was nothing to find."""
        return round(self.found / self.of, 4) if self.of else None


@dataclass(frozen=True, slots=True)
class Measured:
    """What a corpus says about the policy. Shares from 0 to 1; times in milliseconds of one text."""

    form: Literal["secrets", "steering"]
    texts: int
    wanted: Tally
    unwanted: Tally
    by_kind: dict[str, Tally]
    by_variant: dict[str, Tally]
    median_ms: float
    slowest_ms: float


def measure(policy: Policy, path: Path) -> Measured:
    """Run the policy over a corpus.

    Raises:
        RequestInvalid: a line is in neither form; the message says which.
    """
    lines = [line for line in path.read_bytes().splitlines() if line.strip()]
    if not lines:
        raise RequestInvalid(f"{path} holds no text", field="FILE", rule="empty")
    if b'"spans"' in lines[0]:
        return _secrets(policy, list(_read(path, lines, SecretText)))
    return _steering(policy, list(_read(path, lines, SteeringText)))


def _secrets(policy: Policy, texts: Sequence[SecretText]) -> Measured:
    outcomes: list[tuple[str, str, bool, bool]] = []
    times = []
    for each in texts:
        found, took = _timed(lambda text: _covered(policy, text), each.text)
        times.append(took)
        for start, end, kind in each.spans:
            outcomes.append((kind, each.variant, True, all(at in found for at in range(start, end))))
        if not each.spans:
            outcomes.append((each.kind, each.variant, False, bool(found)))
    return _measured("secrets", len(texts), outcomes, times)


def _steering(policy: Policy, texts: Sequence[SteeringText]) -> Measured:
    outcomes: list[tuple[str, str, bool, bool]] = []
    times = []
    for each in texts:
        found, took = _timed(lambda text: _broken(policy, text), each.text)
        times.append(took)
        outcomes.append((each.kind, each.label, each.label == "hostile", found))
    return _measured("steering", len(texts), outcomes, times)


def _covered(policy: Policy, text: str) -> frozenset[int]:
    """Return every offset that redaction takes away: all of them where the text cannot be judged, as in service."""
    try:
        found = redaction.find(policy.secrets, text)
    except Overload:
        return frozenset(range(len(text)))
    return frozenset(at for each in found for at in range(each.start, each.end))


def _broken(policy: Policy, text: str) -> bool:
    try:
        return bool(quarantine.examine(policy.steering, text))
    except Overload:
        return True


def _measured(
    form: Literal["secrets", "steering"],
    texts: int,
    outcomes: Iterable[tuple[str, str, bool, bool]],
    times: Sequence[float],
) -> Measured:
    every = list(outcomes)
    ordered = sorted(times)
    return Measured(
        form=form,
        texts=texts,
        wanted=_tally(found for _, _, wanted, found in every if wanted),
        unwanted=_tally(found for _, _, wanted, found in every if not wanted),
        by_kind=_tallies((kind, found) for kind, _, _, found in every),
        by_variant=_tallies((variant, found) for _, variant, _, found in every),
        median_ms=round(ordered[len(ordered) // 2], 2),
        slowest_ms=round(ordered[-1], 2),
    )


def _tally(found: Iterable[bool]) -> Tally:
    every = list(found)
    return Tally(len(every), sum(every))


def _tallies(named: Iterable[tuple[str, bool]]) -> dict[str, Tally]:
    of, found = Counter[str](), Counter[str]()
    for name, was_found in named:
        of[name] += 1
        found[name] += was_found
    return {name: Tally(of[name], found[name]) for name in sorted(of)}


def _timed(judge: Callable[[str], Found], text: str) -> tuple[Found, float]:
    before = time.perf_counter()
    found = judge(text)
    return found, (time.perf_counter() - before) * _MS


def _read(path: Path, lines: Sequence[bytes], form: type[Line]) -> Iterator[Line]:
    for number, line in enumerate(lines, start=1):
        try:
            yield msgspec.json.decode(line, type=form)
        except msgspec.DecodeError as error:
            raise RequestInvalid(f"{path}, line {number}: {error}", field="FILE", rule="format") from error


_MS: Final = 1_000
