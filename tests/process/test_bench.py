"""The benchmark runs and shows what it promises; what it measures is asserted nowhere."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECTIONS = {
    "read 20 beats (32 clients)": 4,  # pgbench in two forms, the gateway with and without a fence
    "publish a beat, durably (32 clients)": 3,
    "a token is revoked while it is used": 1,
    "a memory comes and goes (p50 ms, no model, no reviewer)": 10,  # three legs, their sum, four kinds of jobs, the file both ways
    "spans through the gateway": 6,  # two kinds of bodies: ingestion, a batch seen, one span seen
    "say something in one team (8 clients)": 2,
    "one query, fenced and unfenced (executed in the server, ms)": 24,  # four queries, three readers, two sizes
    "as the table grows (one connection, p50 of a call in ms)": 4,
    "start-up, both services ready (seconds, warm cache)": 2,
}
GOALS = {"1", "1b", "2", "3", "4", "7", "9", "10", "11"}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    kept = tmp_path_factory.mktemp("bench") / "figures.json"
    command = [sys.executable, "bench", "--quick", "--json", str(kept)]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT), kept


def test_a_quick_run_measures_every_row_on_durable_storage(
    ran: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    done, kept = ran
    assert done.returncode == 0, done.stderr
    figures = json.loads(kept.read_bytes())
    assert figures["machine"]["fsync"] == "on"
    for section, count in SECTIONS.items():
        rows = [row for row in figures["rows"] if row["section"] == section]
        assert len(rows) == count, section
        assert all(value is None or value >= 0 for row in rows for value in row["figures"].values())
    assert {goal["number"] for goal in figures["goals"]} == GOALS


def test_the_table_shows_the_machine_every_row_and_every_verdict(
    ran: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    done, kept = ran
    figures = json.loads(kept.read_bytes())
    for fact, value in figures["machine"].items():
        assert fact in done.stdout
        assert value in done.stdout
    for row in figures["rows"]:
        assert row["what"] in done.stdout
    for goal in figures["goals"]:
        assert goal["says"] in done.stdout
        assert goal["verdict"] in done.stdout


def test_a_size_that_shows_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETMEM_BENCH_ROWS", "many")
    done = subprocess.run([sys.executable, "bench"], check=False, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 2
    assert "FLEETMEM_BENCH_ROWS must be a whole number" in done.stderr
