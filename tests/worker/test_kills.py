"""A worker that is killed between every two of its effects leaves, once another has done the rest, one outcome."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.worker.crew import Crew
from tests.worker.test_landings import RULE, SKILL, proposed


def killed_everywhere(crew: Crew) -> list[tuple[str, Crew]]:
    """Run workers on copies of a crew, each killed at one point and followed by another; (point, copy) of each."""
    settings = crew.settings
    told = {
        "admin": crew.cluster.admin.psycopg(),
        "dbname": crew.database.dbname,
        "base": str(crew.folder),
        "url": settings.service_database_url,
        "environment": {"FLEETMEM_SERVICE_PASSWORD_FILE": str(settings.service_password_file)}
        | crew.told_environment(),
    }
    run = subprocess.run(
        [sys.executable, "-m", "tests.worker.mortal"],
        input=json.dumps(told).encode(),
        capture_output=True,
        cwd=Path.cwd(),
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr.decode()
    points = json.loads(run.stdout)
    return [
        (
            point,
            replace(
                crew,
                database=replace(crew.database, dbname=f"{crew.database.dbname}_{at}"),
                folder=crew.folder / str(at),
            ),
        )
        for at, point in enumerate(points)
    ]


def events(crew: Crew) -> list[Any]:
    return [row[0] for row in crew.rows("select event from fleet.ledger order by seq")]


@pytest.mark.parametrize("severity", ["normal", "severe"])
def test_a_landing_is_there_once_wherever_its_worker_is_killed(crew: Crew, severity: str) -> None:
    note = proposed(crew, severity=severity)
    crew.drain()
    crew.approve(note)
    before = events(crew)
    outcomes = killed_everywhere(crew)
    assert {"after the file system's land", "before the commit of worker_landing_landed"} <= {p for p, _ in outcomes}
    for point, left in outcomes:
        held = left.file("backend", SKILL if severity == "normal" else "AGENTS.md") or ""
        assert held.count(RULE) == 1, point
        assert left.rows("select status from fleet.landing") == [("landed",)], point
        assert events(left) == [*before, "landed"], point
        assert left.jobs() == [], point


def test_a_removal_is_done_once_wherever_its_worker_is_killed(crew: Crew) -> None:
    note = proposed(crew)
    crew.drain()
    crew.approve(note)
    crew.drain()
    crew.revoke(note)
    before = events(crew)
    for point, left in killed_everywhere(crew):
        assert left.everything("backend") == "", point
        assert left.rows("select status from fleet.landing") == [("removed",)], point
        assert events(left) == [*before, "removed"], point
        assert left.jobs() == [], point


def test_a_revocation_that_finds_its_landing_half_done_leaves_no_file(crew: Crew) -> None:
    note = proposed(crew)
    crew.drain()
    crew.approve(note)
    crew.revoke(note)
    outcomes = killed_everywhere(crew)
    assert outcomes
    for point, left in outcomes:
        assert left.everything("backend") == "", point
        assert left.rows("select status from fleet.landing") == [("removed",)], point
        assert left.jobs() == [], point
