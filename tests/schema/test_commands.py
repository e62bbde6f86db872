"""`fleetmem fence verify`, `backup`, `restore` and `drill` as an owner runs them: what they print, write and exit with."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psycopg
import pytest

from fleetmem import config
from fleetmem.admin import database, drill
from fleetmem.admin.database import Conninfo
from fleetmem.admin.deployment import silent
from fleetmem.admin.postgres import EmbeddedPostgres
from fleetmem.config import Settings

COMMAND: Final = Path(sys.executable).parent / "fleetmem"
BEATS: Final = "select b::text from fleet.beat b order by 1"


@pytest.fixture(scope="module")
def fleet() -> Iterator[tuple[Settings, Conninfo]]:
    with drill.throw_away(config.load({}), silent) as made:
        yield made


def fleetmem(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "FLEETMEM_HOME": str(home)}
    return subprocess.run([COMMAND, *arguments], check=False, capture_output=True, text=True, env=environment)


def test_verify_exits_with_0_on_a_sound_fence_and_with_1_on_any_drift(fleet: tuple[Settings, Conninfo]) -> None:
    home = fleet[0].home
    sound = fleetmem(home, "fence", "verify")
    assert (sound.returncode, "is the declared one" in sound.stdout) == (0, True), sound.stderr
    with psycopg.connect(**fleet[1], autocommit=True) as connection:
        connection.execute("grant select on fleet.beat to public")
        try:
            told, machine = fleetmem(home, "fence", "verify"), fleetmem(home, "fence", "verify", "--json")
        finally:
            database.prepare(fleet[1], again=True)
            connection.execute("revoke all on fleet.beat from public")
    assert told.returncode == machine.returncode == 1
    assert "PUBLIC may SELECT on fleet.beat, which is not declared: anyone with a login" in told.stdout
    answer = json.loads(machine.stdout)
    assert answer["clean"] is False
    assert [finding["object"] for finding in answer["findings"]] == ["fleet.beat"]


def test_a_fleet_goes_into_a_file_and_comes_out_of_it_on_another_machine(
    fleet: tuple[Settings, Conninfo], tmp_path: Path
) -> None:
    file, elsewhere = tmp_path / "tonight.tar", tmp_path / "elsewhere"
    made = fleetmem(fleet[0].home, "backup", str(file))
    assert made.returncode == 0, made.stderr
    again = fleetmem(fleet[0].home, "backup", str(file))
    assert again.returncode == 78
    back = fleetmem(elsewhere, "restore", str(file), "--json")
    try:
        assert back.returncode == 0, back.stderr
        answer = json.loads(back.stdout)
        assert (answer["clean"], answer["manifest"]["tables"]["fleet.beat"]["rows"]) == (True, 120)
        occupied = fleetmem(elsewhere, "restore", str(file))
        assert occupied.returncode == 78
        assert "not empty" in occupied.stderr
        with EmbeddedPostgres(elsewhere) as server:
            assert _beats(server.conninfo("fleetmem").psycopg()) == _beats(fleet[1])
        # Everyone who may act has a new token in place of the old one; the suspended one's opens nothing either way.
        assert (elsewhere / "tokens" / "health.token").read_text() != (
            fleet[0].home / "tokens/health.token"
        ).read_text()
    finally:
        EmbeddedPostgres(elsewhere).erase()


def test_a_drill_on_a_throw_away_fleet_is_green_and_writes_its_report(tmp_path: Path) -> None:
    done = fleetmem(tmp_path / "home", "drill", "--throw-away", "--json", "--time-limit", "600")
    assert done.stdout, done.stderr
    answer = json.loads(done.stdout)
    assert done.returncode == 0, [check for check in answer["checks"] if not check["held"]]
    assert answer["green"] is True
    assert len(answer["seconds"]) == 10
    assert len(list((tmp_path / "home" / "reports").glob("drill-*.md"))) == 1


def test_a_drill_with_a_file_that_does_not_restore_exits_with_1(
    fleet: tuple[Settings, Conninfo], tmp_path: Path
) -> None:
    (tmp_path / "bad.tar").write_bytes(b"not a backup at all" * 100)
    done = fleetmem(fleet[0].home, "drill", "--from", str(tmp_path / "bad.tar"))
    assert done.returncode == 1
    assert "RED" in done.stdout
    assert "is no backup of fleetmem" in done.stdout


def _beats(conninfo: Conninfo) -> list[tuple[object, ...]]:
    with psycopg.connect(**conninfo) as connection:
        return list(connection.execute(BEATS).fetchall())
