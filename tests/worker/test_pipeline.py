"""From what a team says to a file in one agent's workspace, through every job and with the rules' extractor."""

import time
from dataclasses import replace
from typing import Any

import pytest

from tests.worker.crew import Crew

RULE = "The frontend must never read backend environment values; it uses only the public API contract."
SAID = [("security", RULE), ("backend", "Understood, the contract stays the only door.")]


@pytest.fixture
def quick(crew: Crew) -> Crew:
    """A crew whose threads of work end at once."""
    return replace(crew, told={"segment_idle_s": 0.05})


def closed(crew: Crew) -> None:
    """Let everything that was said be placed, and the thread of it end."""
    crew.drain()
    time.sleep(0.1)
    crew.drain()


def notes(crew: Crew) -> list[Any]:
    return crew.rows("select status, content, reasons, withheld_because from fleet.note order by id")


def test_what_a_team_settles_becomes_a_candidate_with_its_sources(quick: Crew) -> None:
    quick.talk(SAID)
    closed(quick)
    assert quick.rows("select status, boundary, outcome from fleet.segment") == [("flushed", "idle", "notes")]
    found = notes(quick)
    assert [(status, content) for status, content, _, _ in found] == [("candidate", RULE)]
    assert quick.value("select count(*) from fleet.note_citation") >= 1
    assert quick.jobs() == []
