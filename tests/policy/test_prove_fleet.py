"""The whole proof, all three ways, of a fleet that really runs: services as processes, requests over loopback."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from fleetmem.admin import prove as proving
from fleetmem.admin import up
from fleetmem.admin.prove import removal, report
from fleetmem.admin.prove.proof import Proof
from fleetmem.admin.prove.verdict import Kind, Way
from fleetmem.admin.up import Fleet
from fleetmem.config import child_environment, load
from fleetmem.errors import Unavailable

ROSTER = Path(__file__).parents[2] / "roster.yaml"
FLEETMEM = str(Path(sys.executable).parent / "fleetmem")


def wall_clock() -> float:
    return time.time()  # noqa: TID251 -- claims are held against the database's own clock


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    settings = replace(load({}), home=tmp_path_factory.mktemp("reports"), roster=ROSTER)
    with up.throw_away(settings) as running:
        yield running


@pytest.fixture(scope="module")
def proof(fleet: Fleet) -> Proof:
    return proving.prove(proving.deployed(fleet.settings, fleet.owner), wall_clock)


def test_everything_holds_three_ways(proof: Proof) -> None:
    assert [f"{verdict.id}: {verdict.attempt}: {verdict.got}" for verdict in proof.failed] == []
    assert proof.holds
    assert {verdict.way for verdict in proof.verdicts} == set(Way)


def test_the_client_library_is_refused_more_than_sixty_times(proof: Proof) -> None:
    refused = [each for each in proof.verdicts if each.way is Way.CLIENT and each.kind is Kind.REFUSAL]
    allowed = [each for each in proof.verdicts if each.way is Way.CLIENT and each.kind is Kind.CONTROL]
    assert len(refused) > 300
    assert len(allowed) > 60


def test_the_wire_is_refused_more_than_three_hundred_times(proof: Proof) -> None:
    assert sum(each.way is Way.WIRE and each.kind is Kind.REFUSAL for each in proof.verdicts) > 300


def test_nothing_is_left(proof: Proof, fleet: Fleet) -> None:
    assert proof.left.rows == {}
    with psycopg.connect(**fleet.owner) as owner:
        assert removal.left(owner).rows == {}
        assert owner.execute("select count(*) from fleet.principal").fetchone() == (8,)
        assert owner.execute(
            "select count(*) from fleet.principal where not active or suspended_at is not null"
        ).fetchone() == (0,)


def test_the_report_shows_the_rosters_reach_and_no_token(proof: Proof, tmp_path: Path) -> None:
    content = report.write(proof, tmp_path / "home" / "reports").read_text(encoding="utf-8")
    assert "| read a beat | client | finance | health | open | personal |" in content
    assert "| maintenance | · | · | · | · | · |" in content
    assert "| health | · | · | ✓ | ✓ | · |" in content
    assert re.search(r"fm_[A-Za-z0-9_-]{43}|eyJ[A-Za-z0-9_-]{20,}\.", content) is None


def test_a_weaker_policy_shows_in_every_way_in_the_exit_code_and_in_a_private_report(fleet: Fleet) -> None:
    with psycopg.connect(**fleet.owner, autocommit=True) as owner:
        row = owner.execute(
            "select pg_get_expr(polqual, polrelid) from pg_policy where polname = 'agent_reads'"
            " and polrelid = 'fleet.beat'::regclass"
        ).fetchone()
        assert row is not None
        owner.execute("alter policy agent_reads on fleet.beat using (true)")
        try:
            ended = run(fleet, "prove", "--json")
        finally:
            owner.execute(f"alter policy agent_reads on fleet.beat using ({row[0]})".encode())
    assert ended.returncode == 1, ended.stderr
    told = json.loads(ended.stdout)
    assert not told["holds"]
    failed = {verdict["id"] for verdict in told["verdicts"] if not verdict["held"]}
    assert {"F01", "R:read a beat:maintenance:finance", "P40", "I1g", "I3g"} <= failed
    reports = sorted((fleet.settings.home / "reports").glob("prove-*.md"))
    assert len(reports) == 1
    assert reports[0].stat().st_mode & 0o777 == 0o600


def test_a_proof_that_is_told_to_stop_takes_everything_away(fleet: Fleet) -> None:
    for sent in (signal.SIGINT, signal.SIGTERM):
        started = subprocess.Popen(
            [FLEETMEM, "prove"],
            env=environment(fleet),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with psycopg.connect(**fleet.owner, autocommit=True) as owner:
            deadline = time.monotonic() + 30
            while removal.left(owner).rows == {} and time.monotonic() < deadline:
                time.sleep(0.05)
            started.send_signal(sent)
            assert started.wait(timeout=60) != 0
            assert removal.left(owner).rows == {}


def test_a_fleet_that_is_not_up_is_said_to_be_so(fleet: Fleet, tmp_path: Path) -> None:
    down = replace(fleet.settings, home=tmp_path / "elsewhere", gateway_port=1)
    with pytest.raises(Unavailable, match="fleetmem up"):
        proving.run(down)


def environment(fleet: Fleet) -> dict[str, str]:
    return dict(child_environment(fleet.settings))


def run(fleet: Fleet, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [FLEETMEM, *words],
        env=environment(fleet),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        cwd=os.curdir,
    )
