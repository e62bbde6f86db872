"""Stored text: what a topic and a body may hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem.fleet import text

TOPIC = 200


@pytest.mark.parametrize(
    "good", ["House", "H\u00e4user & H\u00f6fe", "\u5bb6", "\u0434\u043e\u043c", "trip \U0001f697", "a b"]
)
def test_a_topic_may_be_of_any_script(good: str) -> None:
    assert text.line_fault(text.tidy_line(good), longest=TOPIC) is None


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        ("", "empty"),
        (" \t ", "empty"),
        ("\u0301\u0301", "empty"),
        ("x" * 201, "too-long"),
        ("a\0b", "nul"),
        ("a\ud800b", "surrogate"),
        ("a\nb", "control-character"),
        ("a\tb", "control-character"),
        ("a\x9bb", "control-character"),
        ("a\u202eb", "invisible-character"),
        ("a\u200bb", "invisible-character"),
        ("a\u2066b", "invisible-character"),
        ("a\u3164b", "invisible-character"),
        ("a\ufe0fb", "invisible-character"),
        ("a\U000e0041b", "invisible-character"),
        ("a\u2028b", "invisible-character"),
    ],
)
def test_a_topic_that_hides_something_is_refused_by_its_rule(bad: str, rule: str) -> None:
    assert text.line_fault(text.tidy_line(bad), longest=TOPIC) == rule


@pytest.mark.parametrize(
    "good",
    ["a\nb", "a\tb", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\U0001f468\u200d\U0001f469", "x" * 8000],
)
def test_a_body_keeps_lines_tabs_and_joiners(good: str) -> None:
    assert text.body_fault(good, longest=8000) is None


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("\u200b", "empty"),
        ("x" * 8001, "too-long"),
        ("a\0", "nul"),
        ("\udfff", "surrogate"),
        ("a\rb", "control-character"),
        ("\x1b[2J", "control-character"),
        ("pay \u202e001", "invisible-character"),
    ],
)
def test_a_body_that_a_terminal_or_reader_would_misread_is_refused(bad: str, rule: str) -> None:
    assert text.body_fault(bad, longest=8000) == rule


@given(st.text())
def test_tidying_a_line_twice_changes_nothing_more(line: str) -> None:
    once = text.tidy_line(line)
    assert text.tidy_line(once) == once


@given(st.text(max_size=100))
def test_a_line_that_passes_can_be_encoded_and_printed(line: str) -> None:
    tidy = text.tidy_line(line)
    if text.line_fault(tidy, longest=TOPIC) is None:
        tidy.encode()
        assert len(tidy.splitlines()) == 1
