"""The ledger read by a stranger: whatever is done to a row is found and named, and what an agent knew is told as of any moment."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem.memory import ledger
from fleetmem.memory.ledger import GENESIS, Denied, Entry, Fault, Known, Pin, Revoked, Told, Unsettled

START = datetime(2027, 3, 1, 9, 14, tzinfo=UTC)
NOTE, OTHER = UUID(int=1), UUID(int=2)

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
drafts = st.tuples(
    texts, st.none() | st.uuids(), st.none() | texts, texts, st.none() | texts, texts, st.integers(0, 10**14)
)


def chained(told: Sequence[tuple[str, UUID | None, str | None, str, str | None, str, int]]) -> list[Entry]:
    """Make a whole ledger of (event, note, agent, actor, reason, detail, microseconds since the start)."""
    made: list[Entry] = []
    for seq, (event, note, agent, actor, reason, detail, micros) in enumerate(told, start=1):
        entry = Entry(
            seq=seq,
            at=START + timedelta(microseconds=micros),
            event=event,
            note=note,
            agent=agent,
            actor=actor,
            reason=reason,
            detail=detail,
            prev=made[-1].hash if made else GENESIS,
            hash=b"",
        )
        made.append(replace(entry, hash=hashlib.sha256(ledger.canonical(entry)).digest()))
    return made


def plain(rows: int) -> list[Entry]:
    return chained([("granted", NOTE, f"agent-{each}", "worker", None, "{}", each) for each in range(rows)])


def faults(entries: Sequence[Entry], pin: Pin | None = None) -> list[tuple[int, Fault]]:
    return [(each.seq, each.fault) for each in ledger.verify(entries, pin=pin).findings]


@given(st.lists(drafts, max_size=8))
def test_a_whole_ledger_is_whole(told: list[tuple[str, UUID | None, str | None, str, str | None, str, int]]) -> None:
    entries = chained(told)
    found = ledger.verify(entries)
    assert found.is_whole
    assert (found.rows, found.head.seq) == (len(entries), len(entries))
    assert ledger.verify(entries, pin=found.head).is_whole


@given(drafts, drafts)
def test_no_two_rows_are_the_same_bytes(
    left: tuple[str, UUID | None, str | None, str, str | None, str, int],
    right: tuple[str, UUID | None, str | None, str, str | None, str, int],
) -> None:
    [one], [other] = chained([left]), chained([right])
    assert (ledger.canonical(one) == ledger.canonical(other)) == (replace(one, hash=b"") == replace(other, hash=b""))


@given(
    st.integers(2, 9).flatmap(lambda rows: st.tuples(st.just(rows), st.integers(1, rows))),
    st.sampled_from(["event", "note", "agent", "actor", "reason", "detail", "at", "prev", "hash"]),
)
def test_an_edited_row_is_named(which: tuple[int, int], field: str) -> None:
    rows, seq = which
    entries = plain(rows)
    value: dict[str, Any] = {
        "note": OTHER,
        "at": START - timedelta(microseconds=1),
        "prev": b"\1" * 32,
        "hash": b"\2" * 32,
    }
    entries[seq - 1] = replace(entries[seq - 1], **{field: value.get(field, "x")})
    assert (seq, Fault.EDITED) in faults(entries)


def test_a_row_that_was_hashed_anew_breaks_the_next_one() -> None:
    entries = plain(4)
    edited = replace(entries[1], reason="because")
    entries[1] = replace(edited, hash=hashlib.sha256(ledger.canonical(edited)).digest())
    assert faults(entries) == [(3, Fault.BROKEN)]


@given(st.integers(3, 9).flatmap(lambda rows: st.tuples(st.just(rows), st.integers(1, rows - 1))))
def test_a_removed_row_is_named(which: tuple[int, int]) -> None:
    rows, seq = which
    entries = plain(rows)
    del entries[seq - 1]
    assert faults(entries) == [(seq, Fault.REMOVED)]


def test_several_removed_rows_are_named_together() -> None:
    entries = plain(6)
    del entries[1:4]
    [finding] = ledger.verify(entries).findings
    assert (finding.seq, finding.fault) == (2, Fault.REMOVED)
    assert "2 to 4" in finding.detail


@given(st.integers(2, 9).flatmap(lambda rows: st.tuples(st.integers(1, rows), st.integers(1, rows), st.just(rows))))
def test_swapped_rows_are_named_both(which: tuple[int, int, int]) -> None:
    left, right, rows = which
    entries = plain(rows)
    one, other = entries[left - 1], entries[right - 1]
    entries[left - 1], entries[right - 1] = replace(other, seq=one.seq), replace(one, seq=other.seq)
    named = {(seq, fault) for seq, fault in faults(entries) if fault is Fault.SWAPPED}
    assert named == (set() if left == right else {(left, Fault.SWAPPED), (right, Fault.SWAPPED)})


def test_a_row_that_has_no_place_is_named() -> None:
    entries = plain(3)
    assert faults([replace(entries[0], seq=0), *entries]) == [(0, Fault.INSERTED)]
    moved = [entries[0], replace(entries[0], seq=2), *(replace(each, seq=each.seq + 1) for each in entries[1:])]
    assert (2, Fault.SWAPPED) in faults(moved) or (2, Fault.EDITED) in faults(moved)


def test_a_cut_off_end_is_seen_against_a_pin_and_not_without() -> None:
    entries = plain(5)
    pin = ledger.verify(entries).head
    assert faults(entries[:3]) == []
    assert faults(entries[:3], pin) == [(4, Fault.TRUNCATED)]
    assert faults([], pin) == [(1, Fault.TRUNCATED)]


def test_a_ledger_written_anew_is_seen_against_a_pin_and_not_without() -> None:
    pin = ledger.verify(plain(3)).head
    anew = chained([("denied", NOTE, "agent-0", "worker", None, "{}", each) for each in range(5)])
    assert faults(anew) == []
    assert faults(anew, pin) == [(3, Fault.REWRITTEN)]


def test_what_came_after_a_pin_is_no_fault() -> None:
    entries = plain(5)
    assert faults(entries, Pin(3, entries[2].hash)) == []
    assert faults(entries, Pin(0, GENESIS)) == []


def told(*rows: tuple[str, str | None, str | None]) -> list[Told]:
    """Tell (event, agent, reason), a minute apart, of one note."""
    return [
        Told(place, START + timedelta(minutes=place), event, NOTE, agent, reason)
        for place, (event, agent, reason) in enumerate(rows)
    ]


STORY = told(
    ("proposed", None, None),
    ("granted", "backend", "match"),
    ("granted", "frontend", "match"),
    ("denied", "design", "audience"),
    ("approved", None, None),
    ("landed", "backend", None),
    ("refused", "frontend", "budget"),
    ("drifted", "backend", "missing"),
    ("restored", "backend", None),
    ("revoked", "backend", "narrowed"),
    ("removed", "backend", "narrowed"),
)


def at(minute: float) -> datetime:
    return START + timedelta(minutes=minute)


@pytest.mark.parametrize(
    ("minute", "expected"),
    [
        (0, None),
        (1, Unsettled(NOTE, "in_review", at(1), None)),
        (4, Unsettled(NOTE, "to_land", at(4), None)),
        (5, Known(NOTE, at(5))),
        (7.5, Unsettled(NOTE, "drifted", at(7), "missing")),
        (8, Known(NOTE, at(5))),
        (9, Revoked(NOTE, at(5), at(9), "narrowed", None)),
        (99, Revoked(NOTE, at(5), at(9), "narrowed", at(10))),
    ],
)
def test_what_an_agent_knew_is_told_as_of_any_moment(
    minute: float, expected: Known | Denied | Revoked | Unsettled | None
) -> None:
    found = ledger.explain(STORY, "backend", at(minute))
    assert [*found.known, *found.denied, *found.revoked, *found.unsettled] == ([] if expected is None else [expected])


def test_a_denial_carries_its_reason_and_a_refused_landing_its_rule() -> None:
    assert ledger.explain(STORY, "design", at(99)).denied == (Denied(NOTE, at(3), "audience"),)
    assert ledger.explain(STORY, "frontend", at(99)).unsettled == (Unsettled(NOTE, "refused", at(6), "budget"),)
    assert ledger.explain(STORY, "nobody", at(99)) == ledger.Explanation((), (), (), ())


def test_a_note_that_was_rejected_or_withheld_was_denied_to_whom_it_was_granted() -> None:
    rejected = told(("granted", "backend", "match"), ("rejected", None, None))
    assert ledger.explain(rejected, "backend", at(9)).denied == (Denied(NOTE, at(1), "rejected"),)
    withheld = told(("withheld", None, "no_provenance"), ("granted", "backend", "match"))
    assert ledger.explain(withheld, "backend", at(9)).denied == (Denied(NOTE, at(0), "withheld: no_provenance"),)


def test_a_denial_that_a_reviewer_undid_is_none() -> None:
    moved = told(("denied", "backend", "below_threshold"), ("granted", "backend", "reviewer"), ("approved", None, None))
    assert ledger.explain(moved, "backend", at(9)).denied == ()


def test_a_note_that_lands_again_is_known_again() -> None:
    again = told(
        ("granted", "backend", "match"),
        ("approved", None, None),
        ("landed", "backend", None),
        ("revoked", "backend", "narrowed"),
        ("removed", "backend", "narrowed"),
        ("landed", "backend", None),
    )
    assert ledger.explain(again, "backend", at(9)).known == (Known(NOTE, at(5)),)
