"""The whole way with the model that ships: no fake on the path but what the team says."""

import time
from dataclasses import replace

import pytest

from tests.worker.crew import Crew

pytest.importorskip("sentence_transformers")

RULE = "Pages and components must take every value from the public API contract and never from environment variables."


def test_a_rule_reaches_whom_it_concerns_through_the_real_model(crew: Crew) -> None:
    real = replace(crew, told={"recognizer": "sbert", "segment_idle_s": 0.05})
    real.talk([("security", RULE), ("backend", "Understood."), ("frontend", "Understood.")])
    real.drain()
    time.sleep(0.1)
    real.drain()
    scores = dict(
        real.rows("select agent, score from fleet.note_recipient union select agent, score from fleet.note_denial")
    )
    assert set(scores) == {"backend", "frontend", "security"}
    assert all(score is not None for score in scores.values())
    recipients = real.rows("select agent, match from fleet.note_recipient")
    assert recipients
    note = real.value("select id from fleet.note")
    reasons = real.value("select reasons from fleet.note where id = %s", note)
    assert "review_first" in reasons
    real.approve(note)
    real.drain()
    for agent in scores:
        assert (RULE in real.everything(agent)) == (agent in dict(recipients))


def test_a_task_that_leaves_its_subject_is_consolidated_before_it_ends(crew: Crew) -> None:
    real = replace(crew, told={"recognizer": "sbert"})
    task = real.ask("backend", "Tidy everything up.")
    for output in (
        "The migration adds a nullable column to the orders table in Postgres.",
        "The Postgres migration backfills the new column of the orders table in batches.",
        "The orders table's new column is NOT NULL now, and the migration is done in Postgres.",
        "The photo gallery shows captions under each picture and zooms in on a click.",
        "Pictures in the photo gallery can be browsed with the arrow keys, captions included.",
    ):
        real.finish("backend", real.start("backend", task), output)
        real.drain()
    found = real.rows("select status, boundary from fleet.segment order by ordinal")
    assert found == [("flushed", "mid_task"), ("open", None)]
    assert real.rows("select status from fleet.task") == [("open",)]
    assert real.value("select count(*) from fleet.segment_run") == 5
