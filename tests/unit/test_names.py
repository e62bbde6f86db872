"""Names: one alphabet, no look-alikes, no word that reads as an authority."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem.fleet import names


@pytest.mark.parametrize("name", ["ab", "health", "hearth-keeper", "scout-12", "a1-b2-c3", "a" * 40])
def test_a_plain_name_is_good(name: str) -> None:
    assert names.fault(name) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a", "2 to 40"),
        ("a" * 41, "2 to 40"),
        ("Health", "try `health`"),
        ("john_doe", "try `john-doe`"),
        ("john--doe", "try `john-doe`"),
        ("-ab", "try `ab`"),
        ("1st", "starting with a letter"),
        ("h\u0435alth", "CYRILLIC SMALL LETTER IE"),
        ("\uff48ealth", "FULLWIDTH"),
        ("heal\u200bth", "ZERO WIDTH SPACE"),
        ("ab\n", "single hyphens"),
    ],
)
def test_a_name_outside_the_alphabet_is_refused_with_what_is_wrong(name: str, why: str) -> None:
    assert why in (names.fault(name) or "")


@pytest.mark.parametrize(
    "name", ["owner", "admin", "system", "all", "everyone", "postgres", "root", "me", "self", "none", "null", "anyone"]
)
def test_a_name_that_reads_as_an_authority_or_a_crowd_is_reserved(name: str) -> None:
    assert "reserved" in (names.fault(name) or "")


def test_the_throw_away_names_of_the_proof_are_nobody_elses() -> None:
    assert "fleetmem prove" in (names.fault("prove-abc123-bob") or "")
    assert names.fault("prover") is None


@pytest.mark.parametrize("name", ["fleetmem", "fleetmem-gateway", "f1eetmem", "o-wner", "own-er", "r00t", "nu11"])
def test_what_looks_like_a_reserved_name_is_reserved_too(name: str) -> None:
    assert "reserved" in (names.fault(name) or "")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("john_doe", "john-doe"),
        ("johndoe", "john-doe"),
        ("hello", "he11o"),
        ("intern", "intem"),
        ("Health", "health"),
        ("h\u0435alth", "health"),
        ("caf\u00e9", "cafe"),
        ("\uff48ealth", "health"),
        ("vvater", "water"),
        ("\U0001d400gent-x", "agent-x"),
    ],
)
def test_names_that_a_reader_confuses_share_a_skeleton(one: str, other: str) -> None:
    assert names.skeleton(one) == names.skeleton(other)


def test_the_shipped_names_do_not_look_alike() -> None:
    shipped = ["administration", "facilities", "maintenance", "health", "finance", "security"]
    assert len({names.skeleton(name) for name in shipped}) == len(shipped)


@given(st.text(max_size=50))
def test_a_good_name_is_ascii_and_of_bounded_length(text: str) -> None:
    if names.fault(text) is None:
        assert text.isascii()
        assert text == text.lower()
        assert names.SHORTEST <= len(text) <= names.LONGEST


@given(st.text(max_size=50))
def test_a_skeleton_is_its_own_skeleton(text: str) -> None:
    once = names.skeleton(text)
    assert names.skeleton(once) == once
