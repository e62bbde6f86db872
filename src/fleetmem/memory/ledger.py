"""The ledger, read by somebody who does not trust whoever keeps it: is it whole, and what did an agent know when?

Every row's hash covers the hash of the row before it, so a change anywhere breaks every later row, or one hash. A chain
cannot see two things: its own end cut off, and a tail written anew with hashes that fit. Both need a pin: a head that was
kept somewhere else while it was true.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, Literal
from uuid import UUID

GENESIS: Final = bytes(32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row. `detail` is JSON as the text that was hashed; `prev` and `hash` are 32 bytes each."""

    seq: int
    at: datetime
    event: str
    note: UUID | None
    agent: str | None
    actor: str
    reason: str | None
    detail: str
    prev: bytes
    hash: bytes


@dataclass(frozen=True, slots=True)
class Pin:
    """A head that was kept outside: the last row's number and hash at some moment. Number 0 is the empty ledger."""

    seq: int
    hash: bytes


class Fault(StrEnum):
    """What is wrong at a row."""

    EDITED = "edited"  # the row's own hash does not fit what it says
    SWAPPED = "swapped"  # it says what another row's hash fits
    REMOVED = "removed"  # the number is missing
    INSERTED = "inserted"  # a row that no chain has room for
    BROKEN = "broken"  # whole by itself, and does not follow the row before it
    TRUNCATED = "truncated"  # the pin knows a row beyond the last one
    REWRITTEN = "rewritten"  # the pin's row has another hash, and the chain up to it fits together


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault at the row `seq`, in a sentence."""

    seq: int
    fault: Fault
    detail: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What was read: how many rows, the head, and everything that is wrong, in the order of the rows."""

    rows: int
    head: Pin
    findings: tuple[Finding, ...]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def canonical(entry: Entry) -> bytes:
    """Return the bytes that an entry's hash covers; `fence.ledger_bytes` writes the same.

    The hash before it, then number, moment (UTC, microseconds), event, note, agent, actor, reason and detail as
    netstrings; a dash stands for none. Source: D. J. Bernstein, "Netstrings", 1997.
    """
    moment = entry.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    note = None if entry.note is None else str(entry.note)
    parts = (str(entry.seq), moment, entry.event, note, entry.agent, entry.actor, entry.reason, entry.detail)
    return entry.prev + b"".join(map(_netstring, parts))


def verify(entries: Iterable[Entry], *, pin: Pin | None = None) -> Verified:
    """Read a whole ledger, in the order of its numbers, and say what is wrong with it. It is read once and never held.

    Without a pin an end that was cut off, or written anew, is not seen.
    """
    walk = _Walk(pin)
    for entry in entries:
        walk.step(entry)
    return walk.end()


class _Walk:
    """One reading of a ledger: the last row, and the few that did not fit."""

    def __init__(self, pin: Pin | None) -> None:
        self._pin = pin
        self._head = Pin(0, GENESIS)
        self._rows = 0
        self._found: list[Finding] = []
        self._misfits: list[Entry] = []

    def step(self, entry: Entry) -> None:
        expected = self._head.seq + 1
        self._rows += 1
        if entry.seq < expected:
            self._say(entry.seq, Fault.INSERTED, f"row {entry.seq} stands where none can: the next is {expected}")
            return
        if entry.seq > expected:
            gone = f"row {expected} is" if entry.seq == expected + 1 else f"rows {expected} to {entry.seq - 1} are"
            self._say(expected, Fault.REMOVED, f"{gone} missing")
        self._judge(entry, follows=entry.seq == expected)
        self._head = Pin(entry.seq, entry.hash)
        if self._pin is not None and entry.seq == self._pin.seq and entry.hash != self._pin.hash:
            self._say(entry.seq, Fault.REWRITTEN, f"row {entry.seq} is not the one that was pinned")

    def _judge(self, entry: Entry, *, follows: bool) -> None:
        if hashlib.sha256(canonical(entry)).digest() != entry.hash:
            self._say(entry.seq, Fault.EDITED, f"row {entry.seq} does not say what its hash covers")
            if len(self._misfits) < _MOST_COMPARED:
                self._misfits.append(entry)
        elif follows and entry.prev != self._head.hash:
            self._say(entry.seq, Fault.BROKEN, f"row {entry.seq} does not follow row {self._head.seq}")

    def end(self) -> Verified:
        if self._pin is not None and self._head.seq < self._pin.seq:
            said = f"the ledger ends at row {self._head.seq}; row {self._pin.seq} was pinned"
            self._say(self._head.seq + 1, Fault.TRUNCATED, said)
        swapped = dict(_swaps(self._misfits))
        found = (self._named(each, swapped) for each in self._found)
        return Verified(self._rows, self._head, tuple(sorted(found, key=lambda each: each.seq)))

    def _named(self, finding: Finding, swapped: Mapping[int, int]) -> Finding:
        if finding.fault is not Fault.EDITED or finding.seq not in swapped:
            return finding
        own = swapped[finding.seq]
        return replace(finding, fault=Fault.SWAPPED, detail=f"row {finding.seq} holds what was row {own}")

    def _say(self, seq: int, fault: Fault, detail: str) -> None:
        if len(self._found) < _MOST_FOUND:
            self._found.append(Finding(seq, fault, detail))


def _swaps(misfits: Sequence[Entry]) -> Iterator[tuple[int, int]]:
    """Yield (where a row stands, where it stood) for each misfit whose hash fits it under another one's number."""
    for entry in misfits:
        for other in misfits:
            moved = replace(entry, seq=other.seq)
            if other.seq != entry.seq and hashlib.sha256(canonical(moved)).digest() == entry.hash:
                yield entry.seq, other.seq
                break


def _netstring(value: str | None) -> bytes:
    if value is None:
        return b"-"
    octets = value.encode()
    return b"%d:%b," % (len(octets), octets)


@dataclass(frozen=True, slots=True)
class Told:
    """What a row tells of a note, and of which agent; None where it is told of the note as a whole."""

    seq: int
    at: datetime
    event: str
    note: UUID
    agent: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Known:
    """A note in an agent's workspace since a moment."""

    note: UUID
    since: datetime


@dataclass(frozen=True, slots=True)
class Denied:
    """A note that an agent was kept from: since when, and the named reason."""

    note: UUID
    since: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Revoked:
    """A note that was taken back; until `gone_at` its file may still have been there. None means: not gone yet."""

    note: UUID
    known_since: datetime
    since: datetime
    reason: str | None
    gone_at: datetime | None


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A note granted and not in the workspace: `state` is `in_review`, `to_land`, `refused` or `drifted`."""

    note: UUID
    state: Literal["in_review", "to_land", "refused", "drifted"]
    since: datetime
    reason: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an agent knew at a moment, what it was denied, what had been taken back, and what hung in between."""

    known: tuple[Known, ...]
    denied: tuple[Denied, ...]
    revoked: tuple[Revoked, ...]
    unsettled: tuple[Unsettled, ...]


def explain(told: Iterable[Told], agent: str, at: datetime) -> Explanation:
    """Answer what an agent knew at a moment, from the rows about it and about the notes it is told of, oldest first.

    Rows later than the moment and about other agents count for nothing.
    """
    standing: dict[UUID, _Standing] = {}
    for row in told:
        if row.at <= at and row.agent in {agent, None}:
            _take(standing.setdefault(row.note, _Standing()), row)
    answers = [_answer(note, each) for note, each in standing.items()]
    return Explanation(
        tuple(each for each in answers if isinstance(each, Known)),
        tuple(each for each in answers if isinstance(each, Denied)),
        tuple(each for each in answers if isinstance(each, Revoked)),
        tuple(each for each in answers if isinstance(each, Unsettled)),
    )


@dataclass(slots=True)
class _Standing:
    """The latest word on each thing that can happen to a note and an agent; None where it did not happen, or was undone."""

    note: Told | None = None
    granted: Told | None = None
    denied: Told | None = None
    landed: Told | None = None
    refused: Told | None = None
    drifted: Told | None = None
    revoked: Told | None = None
    removed: Told | None = None


def _take(standing: _Standing, row: Told) -> None:
    if row.agent is None:
        standing.note = row if row.event in _DECISIONS else standing.note
        return
    match row.event:
        case "granted":
            standing.granted, standing.denied = row, None
        case "denied":
            standing.denied = row
        case "landed":
            standing.landed, standing.refused, standing.drifted = row, None, None
            standing.revoked, standing.removed = None, None
        case "restored":
            standing.drifted = None
        case "refused" | "drifted" | "revoked" | "removed":
            setattr(standing, row.event, row)


def _answer(note: UUID, standing: _Standing) -> Known | Denied | Revoked | Unsettled | None:
    landed, revoked, removed = standing.landed, standing.revoked, standing.removed
    if landed is not None and revoked is not None:
        return Revoked(note, landed.at, revoked.at, revoked.reason, None if removed is None else removed.at)
    if landed is not None:
        drifted = standing.drifted
        return Known(note, landed.at) if drifted is None else Unsettled(note, "drifted", drifted.at, drifted.reason)
    if standing.denied is not None:
        return Denied(note, standing.denied.at, standing.denied.reason or "denied")
    return _not_landed(note, standing)


def _not_landed(note: UUID, standing: _Standing) -> Denied | Unsettled | None:
    decided, granted = standing.note, standing.granted
    if granted is None:
        return None
    if decided is not None and decided.event != "approved":
        return Denied(
            note, decided.at, decided.event if decided.reason is None else f"{decided.event}: {decided.reason}"
        )
    if standing.refused is not None:
        return Unsettled(note, "refused", standing.refused.at, standing.refused.reason)
    if decided is not None:
        return Unsettled(note, "to_land", decided.at, None)
    return Unsettled(note, "in_review", granted.at, None)


_DECISIONS: Final = frozenset({"withheld", "approved", "rejected", "revoked"})
_MOST_COMPARED: Final = 200
_MOST_FOUND: Final = 1_000
