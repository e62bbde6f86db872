"""Evidence: what is read is whole, true to itself, and comes out as it went in."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem.errors import RequestInvalid
from fleetmem.memory import calibration
from fleetmem.sql import routing_files


def _shipped() -> dict[str, Any]:
    document: dict[str, Any] = msgspec.to_builtins(routing_files.shipped_calibration())
    return document


def _refused(document: dict[str, Any]) -> RequestInvalid:
    with pytest.raises(RequestInvalid) as refused:
        calibration.read(msgspec.json.encode(document))
    return refused.value


def test_evidence_comes_out_as_it_went_in() -> None:
    shipped = routing_files.shipped_calibration()
    assert calibration.read(calibration.write(shipped)) == shipped


def test_the_shipped_evidence_is_of_the_shipped_occupations() -> None:
    assert routing_files.shipped_calibration().model.occupations == routing_files.world().occupations.version


def test_the_shipped_evidence_meets_what_is_asked_of_routing() -> None:
    measured = routing_files.shipped_calibration().measured
    assert measured.precision.share >= 0.98
    assert measured.recall.share >= 0.30
    assert measured.top1.share >= 0.82
    assert measured.nobody_misrouted.share <= 0.01
    assert measured.precision_with_accepted.share >= 0.95
    assert measured.recall_with_accepted.share >= 0.45


def test_the_columns_say_what_the_evidence_says() -> None:
    shipped = routing_files.shipped_calibration()
    row = calibration.row(shipped)
    assert (row.precision, row.precision_low) == (shipped.measured.precision.share, shipped.measured.precision.low)
    assert calibration.read(msgspec.json.encode(row.evidence)) == shipped


def test_a_field_of_nobodys_is_refused() -> None:
    assert _refused(_shipped() | {"approved": True}).rule == "format"


@pytest.mark.parametrize("missing", ["source", "model", "threshold", "measured", "profile", "accepted", "form"])
def test_a_missing_part_is_refused(missing: str) -> None:
    document = _shipped()
    del document[missing]
    assert _refused(document).rule == "format"


def test_a_share_that_was_polished_is_refused() -> None:
    document = _shipped()
    document["measured"]["precision"]["low"] = 0.99
    assert _refused(document).rule == "share"


def test_a_scorer_without_a_measure_is_refused() -> None:
    document = _shipped()
    del document["profile"]["terms"]["phrases"]
    assert _refused(document).rule == "measures"


def test_a_scorer_without_a_product_is_refused() -> None:
    document = _shipped()
    del document["accepted"]["together"]["phrases occupation"]
    assert _refused(document).rule == "measures"


def test_a_scale_of_nothing_is_refused() -> None:
    document = _shipped()
    document["profile"]["terms"]["phrases"] = [0.1, 0.0, 1.0]
    assert _refused(document).rule == "numbers"


@pytest.mark.parametrize("threshold", [0, 1, -0.5, 2, "high"])
def test_a_threshold_that_lets_all_or_none_through_is_refused(threshold: object) -> None:
    assert _refused(_shipped() | {"threshold": threshold}).rule == "format"


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"null", b"\xff"])
def test_what_is_no_calibration_is_refused(raw: bytes) -> None:
    with pytest.raises(RequestInvalid):
        calibration.read(raw)


@given(st.integers(0, 500), st.integers(0, 500))
def test_a_share_lies_within_its_interval(found: int, missed: int) -> None:
    told = calibration.share(found, found + missed)
    assert 0 <= told.low <= told.share <= told.high <= 1 or found + missed == 0


def test_an_interval_is_wilsons() -> None:
    # Newcombe, Statistics in Medicine 17, 1998, table I: 81 of 263.
    told = calibration.share(81, 263)
    assert (told.low, told.high) == (0.2553, 0.3662)
