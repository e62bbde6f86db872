"""What tests measured, told at the end of the run, also by xdist's workers; as a pytest plugin.

A test takes `measured` and calls it with a sentence. Numbers are told and not asserted: this machine may be busy.
"""

from collections.abc import Callable
from typing import Final

import pytest

_PROPERTY: Final = "measured"
Measured = Callable[[str], None]


@pytest.fixture
def measured(request: pytest.FixtureRequest) -> Measured:
    return lambda sentence: request.node.user_properties.append((_PROPERTY, sentence))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    told = [
        sentence
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        for name, sentence in getattr(report, "user_properties", [])
        if name == _PROPERTY and report.when == "call"
    ]
    if told:
        terminalreporter.section("measured")
        for sentence in told:
            terminalreporter.write_line(sentence)
