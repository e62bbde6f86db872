"""The demo's account: it goes red when something is allowed, shown or refused otherwise than expected."""

import pytest

from fleetmem import errors
from fleetmem.admin.demo.account import Account


def refuse(kind: type[errors.FleetmemError]) -> None:
    raise kind


def account() -> tuple[Account, list[str]]:
    said: list[str] = []
    return Account(said.append), said


def test_an_account_of_nothing_has_not_held() -> None:
    assert not account()[0].all_held


def test_expected_steps_hold_and_are_told() -> None:
    told, said = account()
    told.done("health", "publishes", lambda: "x", publishes="flu (health)")
    told.refused("finance", "reads it", lambda: refuse(errors.Absent), errors.Absent)
    told.sees("maintenance", "lists", [], [])
    assert told.all_held
    assert all(line.startswith("  ok ") for line in said)
    assert "flu (health)" in told.summary()
    assert "3 of 3" in told.summary()


def test_who_is_no_agent_is_compared_and_left_out_of_the_summary() -> None:
    told, said = account()
    told.sees("finance", "lists", ["house"], ["house"])
    told.tells("the ledger", "is asked", ["a note"], ["a note"])
    assert "2 of 2" in told.summary()
    assert "the ledger" not in told.summary()
    told.tells("the ledger", "is asked", [], ["a note"])
    assert not told.all_held
    assert "the ledger is asked" in said[1]


def test_something_allowed_that_should_not_be_is_not_held() -> None:
    told, said = account()
    told.refused("finance", "reads it", lambda: None, errors.Absent)
    assert not told.all_held
    assert "ALLOWED" in said[0]


def test_a_refusal_for_another_reason_is_not_held() -> None:
    told, _ = account()
    told.refused("finance", "reads it", lambda: refuse(errors.Unavailable), errors.Absent)
    assert not told.all_held


def test_seeing_too_much_or_too_little_is_not_held() -> None:
    for found in (["flu", "house"], []):
        told, _ = account()
        told.sees("finance", "lists", found, ["house"])
        assert not told.all_held


def test_a_failed_step_ends_the_day() -> None:
    told, _ = account()
    with pytest.raises(errors.Unavailable):
        told.done("health", "publishes", lambda: refuse(errors.Unavailable))
    assert not told.all_held
