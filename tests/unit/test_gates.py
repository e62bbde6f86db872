"""Asking for many patterns together answers as asking for each does: for the rules for secrets, and for runs of groups."""

from typing import Any

import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from fleetmem.memory import gates, redaction, splits
from fleetmem.memory.gates import Gate, Sieve
from fleetmem.sql import safety_files

RULES = safety_files.secrets().rules
WORDS = [
    *(need.decode() for rule in RULES for need in rule.needs),
    *[
        "password",
        "token",
        "secret",
        "api_key",
        "=",
        ":",
        "is",
        "the",
        "my",
        "-u",
        "-p",
        "Bearer",
        "PIN",
        "code",
        "seed",
        "@",
        "'",
        '"',
        "{",
        "}",
        "(",
        ")",
        "\n",
        "\t",
        "-",
        "_",
        ".",
        "/",
        "+",
        "==",
    ],
    "hunter22",
    "q7Zt0mXw4Kd9Rb2Lh8Vn5Cj1Ys6Pf3GxaT4u",
    "1234",
    "NHVR",
    "JUEW",
    "7f3a9c",
    "\u00e9",
]
TEXTS = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=6)), max_size=14).flatmap(
    lambda parts: st.sampled_from(["", " ", "-"]).map(lambda glue: glue.join(parts))
)


@settings(max_examples=400)
@given(TEXTS)
def test_a_sieve_and_a_gate_name_the_patterns_that_match_and_no_other(text: str) -> None:
    octets = text.encode("utf-8", "replace")
    patterns = [*(rule.pattern for rule in RULES), safety_files.secrets().public]
    assert safety_files.secrets().sieve.matching(octets) == _places(patterns, octets)
    cuts = [*splits._RUNS, splits._WRAP]  # noqa: SLF001 -- what stands behind the gate
    assert splits._ANY_CUT.matching(octets) == _places(cuts, octets)  # noqa: SLF001


@settings(max_examples=200)
@given(TEXTS)
def test_what_is_found_does_not_depend_on_how_the_rules_were_asked(text: str) -> None:
    together = redaction.find(safety_files.secrets(), text)
    longest, gates.LONGEST_AT_ONCE = gates.LONGEST_AT_ONCE, -1  # type: ignore[misc]
    try:
        assert redaction.find(safety_files.secrets(), text) == together
    finally:
        gates.LONGEST_AT_ONCE = longest  # type: ignore[misc]


def test_none_of_the_patterns_is_an_answer_too() -> None:
    for kind in (Gate, Sieve):
        asked = kind(["a+b", "(?i)c"])
        assert asked.matching(b"nothing") == []
        assert asked.matching(b"aab C") == [0, 1]
        assert asked.matching(b"") == []


def test_a_pattern_that_is_none_is_refused_when_it_is_compiled() -> None:
    for kind in (Gate, Sieve):
        try:
            kind(["("])
        except re2.error:
            continue
        raise AssertionError(kind)


def _places(patterns: list[Any], octets: bytes) -> list[int]:
    return [at for at, pattern in enumerate(patterns) if pattern.search(octets)]
