"""Beats and handoffs: their limits, and who may move a handoff where."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem.board import beat, handoff
from fleetmem.board.handoff import Party, Status
from fleetmem.errors import RequestInvalid

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


def test_a_topic_is_kept_composed_and_stripped() -> None:
    assert beat.topic("  Cafe\u0301 ") == "Caf\u00e9"


@pytest.mark.parametrize(
    ("one", "other"),
    [("House", "hOUSE"), ("Stra\u00dfe", "STRASSE"), ("Cafe\u0301", "caf\u00c9"), ("\u01c4", "\u01c6"), (" a", "a ")],
)
def test_spellings_of_one_topic_share_a_key(one: str, other: str) -> None:
    assert beat.topic_key(one) == beat.topic_key(other)


def test_different_topics_do_not_share_a_key() -> None:
    assert len({beat.topic_key(topic) for topic in ["john_doe", "john-doe", "john%doe", "john doe"]}) == 4


@pytest.mark.parametrize(("field", "check"), [("topic", beat.topic), ("body", beat.body), ("request", handoff.request)])
def test_a_text_that_breaks_a_rule_is_refused_by_field_and_rule(field: str, check: object) -> None:
    with pytest.raises(RequestInvalid) as caught:
        check("a\0b")  # type: ignore[operator]
    assert (caught.value.field, caught.value.rule) == (field, "nul")


def test_a_beat_lives_seven_days_unless_said_otherwise() -> None:
    assert beat.expires_at(None, now=NOW) == NOW + timedelta(days=7)
    assert beat.expires_at("2027-03-02T12:00:00+02:00", now=NOW) == datetime(2027, 3, 2, 10, tzinfo=UTC)
    assert beat.expires_at("2027-03-02t12:00:00.5z", now=NOW).microsecond == 500_000


@pytest.mark.parametrize(
    ("given_text", "rule"),
    [
        ("2027-03-01T12:00:00Z", "in-the-past"),
        ("2026-03-01T12:00:00Z", "in-the-past"),
        ("2027-05-30T12:00:01Z", "too-far"),
        ("9999-12-31T23:59:59Z", "too-far"),
        ("9999-12-31T23:59:59-12:00", "time-format"),
        ("2027-03-02T12:00:00", "time-zone"),
        ("2027-03-02", "time-format"),
        ("2027-03-02T23:59:60Z", "time-format"),
        ("2027-02-30T12:00:00Z", "time-format"),
        ("10000-01-01T00:00:00Z", "time-format"),
        ("2027-W10-1", "time-format"),
        ("infinity", "time-format"),
        ("tomorrow", "time-format"),
        ("", "time-format"),
        ("2027-03-02T12:00:00.1234567Z", "time-format"),
        ("2027-03-02T12:00:00+25:00", "time-format"),
        ("\u0662027-03-02T12:00:00Z", "time-format"),
    ],
)
def test_an_expiry_out_of_range_or_out_of_the_calendar_is_refused(given_text: str, rule: str) -> None:
    with pytest.raises(RequestInvalid) as caught:
        beat.expires_at(given_text, now=NOW)
    assert (caught.value.field, caught.value.rule) == ("expires_at", rule)


def test_the_latest_moment_allowed_is_allowed() -> None:
    assert beat.expires_at("2027-05-30T12:00:00Z", now=NOW) == NOW + beat.EXPIRES_AT_LATEST


def test_a_handoff_moves_only_as_its_table_says() -> None:
    allowed = {
        (before, after, by)
        for before in Status
        for after in Status
        for by in Party
        if handoff.may_move(before, after, by)
    }
    assert allowed == {
        (Status.OPEN, Status.ACCEPTED, Party.RECIPIENT),
        (Status.OPEN, Status.DECLINED, Party.RECIPIENT),
        (Status.OPEN, Status.WITHDRAWN, Party.SENDER),
        (Status.ACCEPTED, Status.DONE, Party.RECIPIENT),
        (Status.ACCEPTED, Status.FAILED, Party.RECIPIENT),
    }


@given(st.text(max_size=40))
def test_a_topic_key_is_its_own_key(topic: str) -> None:
    assert beat.topic_key(beat.topic_key(topic)) == beat.topic_key(topic)


@given(st.datetimes(timezones=st.just(UTC), min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1)))  # noqa: DTZ001 -- hypothesis takes naive bounds and adds the zone
def test_an_expiry_is_accepted_exactly_within_its_range(moment: datetime) -> None:
    within = NOW < moment <= NOW + beat.EXPIRES_AT_LATEST
    try:
        accepted = beat.expires_at(moment.isoformat(), now=NOW) == moment
    except RequestInvalid:
        accepted = False
    assert accepted == within
