"""Calibrations in the database: one is in force, none is ever lost, and none goes while the roster stands on it."""

from collections.abc import Iterator
from typing import Any

import msgspec
import psycopg
import pytest

from fleetmem.admin import calibrations
from fleetmem.errors import RequestInvalid
from fleetmem.memory import calibration
from fleetmem.memory.calibration import Calibration
from fleetmem.sql import routing_files
from tests.clusters import Cluster
from tests.databases import Databases

Connection = psycopg.Connection[Any]
SHIPPED = routing_files.shipped_calibration()


@pytest.fixture
def owner(postgres_cluster: Cluster, databases: Databases) -> Iterator[Connection]:
    with psycopg.connect(**databases.fresh(postgres_cluster).psycopg(), autocommit=True) as connection:
        yield connection


def _by_people(found: int, of: int) -> Calibration:
    share = calibration.share(found, of)
    return msgspec.structs.replace(
        SHIPPED,
        source=msgspec.structs.replace(SHIPPED.source, labels="human"),
        measured=msgspec.structs.replace(SHIPPED.measured, precision=share),
    )


def _kept(owner: Connection) -> list[tuple[object, ...]]:
    return owner.execute("select active, labels, promoted_by from fleet.calibration order by promoted_at").fetchall()


def test_a_promotion_is_in_force_and_the_one_before_is_kept(owner: Connection) -> None:
    first, is_new = calibrations.promote(owner, SHIPPED, by="ada")
    again = calibrations.promote(owner, SHIPPED, by="grace")
    assert is_new
    assert again == (first, False)
    calibrations.promote(owner, _by_people(495, 500), by="grace")
    assert _kept(owner) == [(False, "synthetic", "ada"), (True, "human", "grace")]
    assert owner.execute("select evidence from fleet.calibration where not active").fetchone() == (
        msgspec.json.decode(calibration.write(SHIPPED)),
    )


def test_evidence_that_the_roster_stands_on_is_not_replaced_by_less(owner: Connection) -> None:
    calibrations.promote(owner, _by_people(1_000, 1_000), by="ada")
    owner.execute("update fleet.memory_rule set auto_grant = true")
    with pytest.raises(RequestInvalid) as refused:
        calibrations.promote(owner, SHIPPED, by="ada")
    assert refused.value.rule == "auto-grant"
    assert _kept(owner) == [(True, "human", "ada")]
    calibrations.promote(owner, _by_people(2_000, 2_000), by="ada")
    assert [active for active, _, _ in _kept(owner)] == [False, True]


@pytest.mark.parametrize("by", ["", "  ", "a\x1b[31mb", "x" * 101])
def test_whoever_promotes_has_a_name(owner: Connection, by: str) -> None:
    with pytest.raises(RequestInvalid) as refused:
        calibrations.promote(owner, SHIPPED, by=by)
    assert refused.value.field == "by"
    assert _kept(owner) == []


@pytest.mark.parametrize(
    "act",
    ["delete from fleet.calibration", "truncate fleet.calibration", "update fleet.calibration set threshold = 0.1"],
)
def test_no_evidence_is_ever_changed_or_lost(owner: Connection, act: str) -> None:
    calibrations.promote(owner, SHIPPED, by="ada")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        owner.execute(act)
