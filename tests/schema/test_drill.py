"""`fleetmem drill`: green on a sound fleet, red on anything else, and nothing is left behind however it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from fleetmem import config
from fleetmem.admin import backup as backups
from fleetmem.admin import drill, verify
from fleetmem.admin.database import Conninfo
from fleetmem.admin.deployment import silent
from fleetmem.admin.drill import Drill
from fleetmem.admin.drill.proof import Proved
from fleetmem.config import Settings
from fleetmem.errors import SetupInvalid

NOW: Final = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def fleet() -> Iterator[tuple[Settings, Conninfo]]:
    """A fleet of its own on a server of its own, so that a role can be changed without any other test seeing it."""
    with drill.throw_away(config.load({}), silent) as made:
        yield made


def unix_s() -> float:
    return time.clock_gettime(time.CLOCK_REALTIME)


def attacks(conninfo: Conninfo, logins: dict[str, Conninfo]) -> Proved:
    """Stand in for the whole of `prove`: can an agent's role read a beat without any claim?"""
    with psycopg.connect(**logins["fleetmem_gateway"]) as connection:
        connection.execute("set role fleetmem_agent")
        (seen,) = connection.execute("select count(*) from fleet.beat").fetchone() or (0,)
    assert conninfo["dbname"] == logins["fleetmem_gateway"]["dbname"]
    return Proved(1, ("read a beat without a claim",) if seen else ())


def run(fleet: tuple[Settings, Conninfo], **options: Any) -> Drill:
    settings, conninfo = fleet
    told: dict[str, Any] = {"now": NOW, "say": silent, "clock": unix_s, "prove": attacks}
    return drill.run(settings, conninfo, **(told | options))


def broken(done: Drill) -> list[str]:
    return [f"{check.what}: {check.seen}" for check in done.log.checks if not check.held]


def databases(conninfo: Conninfo) -> list[str]:
    with psycopg.connect(**conninfo) as connection:
        return [str(name) for (name,) in connection.execute("select datname from pg_database order by 1").fetchall()]


def test_a_sound_fleet_drills_green_and_is_untouched(fleet: tuple[Settings, Conninfo]) -> None:
    settings, conninfo = fleet

    def everything() -> tuple[list[str], list[Any], set[Path]]:
        with psycopg.connect(**conninfo) as connection:
            rows = connection.execute(
                "select b::text from fleet.beat b union all select v::text from vault.bearer v order by 1"
            )
            return (
                databases(conninfo),
                rows.fetchall(),
                {*settings.home.rglob("*")} - {*(settings.home / "run").iterdir()},
            )

    before = everything()
    done = run(fleet)
    assert done.is_green, broken(done)
    assert len(done.log.checks) >= 20
    assert everything() == before


def test_its_report_is_dated_readable_and_complete(fleet: tuple[Settings, Conninfo], tmp_path: Path) -> None:
    done = run(fleet)
    written = drill.write(done, tmp_path)
    assert written.name == "drill-20261130T040000Z.md"
    assert "green" in written.read_text().splitlines()[0]
    told = json.loads(written.with_suffix(".json").read_text())
    assert told["green"] is True
    assert told["manifest"]["tables"]["fleet.beat"]["rows"] == 120
    assert told["counts"]["policy"]["declared"] == told["counts"]["policy"]["found"] > 20
    assert [check["what"] for check in told["checks"]] == [asdict(check)["what"] for check in done.log.checks]


def test_it_restores_the_file_it_is_given(fleet: tuple[Settings, Conninfo], tmp_path: Path) -> None:
    backups.backup(fleet[1], tmp_path / "last-night.tar", now=NOW)
    done = run(fleet, file=tmp_path / "last-night.tar", separate_server=True)
    assert done.is_green, broken(done)


def test_a_file_that_does_not_restore_is_a_red_drill(fleet: tuple[Settings, Conninfo], tmp_path: Path) -> None:
    path = tmp_path / "last-night.tar"
    backups.backup(fleet[1], path, now=NOW)
    path.write_bytes(path.read_bytes()[:9_000])
    before = databases(fleet[1])
    done = run(fleet, file=path)
    assert not done.is_green
    assert "last-night.tar" in done.stopped_by
    assert databases(fleet[1]) == before
    assert "RED" in drill.write(done, tmp_path).read_text().splitlines()[0]


def nothing_ever_fails(conninfo: Conninfo, logins: dict[str, Conninfo]) -> Proved:
    del conninfo, logins
    return Proved(100, ())


def everything_fails(conninfo: Conninfo, logins: dict[str, Conninfo]) -> Proved:
    del conninfo, logins
    return Proved(100, ("A1",))


@pytest.mark.parametrize("prove", [nothing_ever_fails, everything_fails])
def test_attacks_that_cannot_tell_a_sound_fence_from_a_broken_one_make_it_red(
    fleet: tuple[Settings, Conninfo], prove: Callable[[Conninfo, dict[str, Conninfo]], Proved]
) -> None:
    assert not run(fleet, prove=prove).is_green


def test_a_time_limit_ends_it_and_leaves_nothing(fleet: tuple[Settings, Conninfo]) -> None:
    def for_ever(conninfo: Conninfo, logins: dict[str, Conninfo]) -> Proved:
        del conninfo, logins
        time.sleep(60)
        raise AssertionError

    before = databases(fleet[1])
    done = run(fleet, prove=for_ever, time_limit_s=8)
    assert done.stopped_by == "it took longer than 8 s"
    assert not done.is_green
    assert databases(fleet[1]) == before


def interrupted(fleet: tuple[Settings, Conninfo], number: signal.Signals, *options: str) -> None:
    """Run a drill in a process of its own and send it a signal while it attacks."""
    settings, conninfo = fleet
    program = (
        "import json, sys, time, datetime; from pathlib import Path; from dataclasses import replace\n"
        "from fleetmem import config; from fleetmem.admin import drill\n"
        "def wait(*_): print('attacking', flush=True); time.sleep(60)\n"
        "drill.run(replace(config.load({}), home=Path(sys.argv[1])), json.loads(sys.argv[2]), prove=wait, say=lambda _: None,"
        " now=datetime.datetime.now(datetime.UTC), clock=time.time, separate_server='separate' in sys.argv)"
    )
    command = [sys.executable, "-c", program, str(settings.home), json.dumps(conninfo), *options]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert running.stdout is not None
    assert running.stdout.readline() == b"attacking\n"
    os.kill(running.pid, number)
    assert running.wait(30) != 0
    running.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_leaves_nothing(fleet: tuple[Settings, Conninfo], number: signal.Signals) -> None:
    before = databases(fleet[1]), {*fleet[0].home.iterdir()}
    interrupted(fleet, number)
    assert (databases(fleet[1]), {*fleet[0].home.iterdir()}) == before


def test_what_a_killed_drill_left_is_gone_after_the_next(fleet: tuple[Settings, Conninfo]) -> None:
    before = databases(fleet[1]), {*fleet[0].home.iterdir()}
    interrupted(fleet, signal.SIGKILL, "separate")
    assert (databases(fleet[1]), {*fleet[0].home.iterdir()}) != before
    assert run(fleet, separate_server=True).is_green
    assert (databases(fleet[1]), {*fleet[0].home.iterdir()}) == before


def test_roles_that_are_not_as_declared_are_not_put_right_in_passing(fleet: tuple[Settings, Conninfo]) -> None:
    with psycopg.connect(**fleet[1], autocommit=True) as connection:
        connection.execute("alter role fleetmem_auditor createdb")
        try:
            with pytest.raises(SetupInvalid, match="fleetmem_auditor has CREATEDB"):
                run(fleet)
            is_still_so = connection.execute("select rolcreatedb from pg_roles where rolname = 'fleetmem_auditor'")
            assert is_still_so.fetchone() == (True,)
        finally:
            connection.execute("alter role fleetmem_auditor nocreatedb")


def test_a_setting_of_the_server_is_found_and_a_role_is_not_mended_by_looking(fleet: tuple[Settings, Conninfo]) -> None:
    with psycopg.connect(**fleet[1], autocommit=True) as connection:
        connection.execute("alter system set debug_print_plan = on")
        connection.execute("select pg_reload_conf()")
        connection.execute("alter role fleetmem_auditor createdb")
        try:
            time.sleep(0.3)
            reports = [verify.verify(fleet[1]), verify.verify(fleet[1])]
        finally:
            connection.execute("alter system reset debug_print_plan")
            connection.execute("alter role fleetmem_auditor nocreatedb")
            connection.execute("select pg_reload_conf()")
    for report in reports:
        told = [finding.what for finding in report.findings]
        assert "fleetmem_auditor has CREATEDB" in told
        assert "the server's setting debug_print_plan is on, not off" in told


def test_another_login_of_the_owners_finds_the_same_fence(fleet: tuple[Settings, Conninfo]) -> None:
    with psycopg.connect(**fleet[1], autocommit=True) as connection:
        connection.execute("create role second_owner superuser login password 'as good'")
        theirs: Conninfo = {**fleet[1], "user": "second_owner", "password": "as good"}
        try:
            report = verify.verify(theirs)
        finally:
            connection.execute("drop role second_owner")
    assert report.is_clean, [finding.sentence() for finding in report.findings]


def test_the_fleet_itself_needs_its_logins_passwords(fleet: tuple[Settings, Conninfo], tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    done = run((replace(fleet[0], home=tmp_path / "home"), fleet[1]))
    assert "password" in done.stopped_by
