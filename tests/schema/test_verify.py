"""`fleetmem fence verify`: every change of a live fence by hand is found, named and explained; a sound fence is clean."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from fleetmem.admin import database, policies, verify
from fleetmem.admin.database import Conninfo
from fleetmem.admin.postgres import ConnInfo
from fleetmem.admin.verify import Row, Source, scratch
from fleetmem.admin.verify.declaration import build
from fleetmem.admin.verify.invariants import missing_fixes
from fleetmem.admin.verify.rows import render
from fleetmem.admin.verify.words import KINDS
from tests.clusters import Cluster
from tests.databases import Databases
from tests.schema.mutations import MUTATIONS, Mutation

REPAIRED: Final = tuple(
    each
    for each in MUTATIONS
    if each.kind in {"policy", "trigger state", "trigger", "relation privilege", "column privilege", "schema privilege",
                     "function owner", "function body", "function setting", "function privilege"}
    and "public" not in each.sql.split(" schema ")[-1].split(" ")[0]
    and not each.sql.startswith("create function")  # one outside the fence's schemas is the owner's to drop
    # What a migration made stays as it is found: the queue's own triggers and code.
    and (" queue." not in each.sql or each.kind in {"relation privilege", "function privilege", "function setting"})
)  # fmt: skip
ROLES: Final = "select to_jsonb(a) - 'rolpassword' from pg_authid a where rolname like '%fleetmem%' order by oid"

type_connection = psycopg.Connection[tuple[Any, ...]]
NEWEST_MAJOR: Final = 18
FIRST_OF_EACH_KIND: Final = frozenset({each.kind: each for each in reversed(MUTATIONS)}.values())


@pytest.fixture(scope="session")
def here(pg_server: Cluster, databases: Databases) -> Conninfo:
    return databases.fresh(pg_server).psycopg()


@pytest.fixture(scope="session")
def expected(here: Conninfo) -> frozenset[Row]:
    """Hold one declared side a server: building it anew for each mutation would take a second each time."""
    return _expected(here)


@pytest.fixture
def undone(here: Conninfo) -> Iterator[type_connection]:
    """A superuser's connection whose work is rolled back."""
    with psycopg.connect(**here) as connection:
        yield connection
        connection.rollback()


def test_a_fence_as_declared_is_clean(undone: type_connection, expected: frozenset[Row]) -> None:
    report = verify.inspect(undone, expected)
    assert report.is_clean, [finding.sentence() for finding in report.findings]
    assert report.rows > 1_000


@pytest.mark.parametrize(
    "told",
    [
        "log_statement=all",
        "log_statement=mod",
        "log_min_duration_statement=0",
        "log_min_duration_sample=100",
        "log_transaction_sample_rate=0.5",
        "log_parameter_max_length_on_error=-1",
        "log_min_error_statement=notice",
        "log_error_verbosity=verbose",
        "debug_print_parse=on",
        "debug_print_plan=on",
        "debug_print_rewritten=on",
    ],
)
def test_a_server_that_would_log_values_is_told_what_that_opens(
    told: str, here: Conninfo, expected: frozenset[Row]
) -> None:
    name = told.split("=", maxsplit=1)[0]
    assert {name: "log"} == {
        each: "log" for each, opens in _settings_found(here, expected, told).items() if "log" in opens
    }


def test_bound_values_matter_only_where_statements_are_logged(here: Conninfo, expected: frozenset[Row]) -> None:
    assert _settings_found(here, expected, "log_parameter_max_length=-1") == {}
    both = _settings_found(here, expected, "log_parameter_max_length=-1", "log_statement=all")
    assert both.keys() == {"log_parameter_max_length", "log_statement"}


def test_what_postgres_logs_by_default_is_no_drift(here: Conninfo, expected: frozenset[Row]) -> None:
    defaults = ("log_error_verbosity=default", "log_min_error_statement=error", "log_parameter_max_length=-1")
    assert _settings_found(here, expected, *defaults) == {}


def test_what_somebody_did_to_the_whole_server_is_never_taken_as_declared(
    here: Conninfo, expected: frozenset[Row], pg_server: Cluster
) -> None:
    with psycopg.connect(**pg_server.admin.psycopg(), autocommit=True) as connection:
        connection.execute("grant set on parameter deadlock_timeout to public")
        connection.execute("alter role all set deadlock_timeout = '2s'")
        try:
            assert build(here) == expected
        finally:
            connection.execute("alter role all reset deadlock_timeout")
            connection.execute("revoke set on parameter deadlock_timeout from public")


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[f"{each.kind}: {each.sql[:60]}" for each in MUTATIONS])
def test_a_change_by_hand_is_found_and_named(
    mutation: Mutation, undone: type_connection, expected: frozenset[Row], pg_server: Cluster
) -> None:
    if pg_server.major != NEWEST_MAJOR and mutation not in FIRST_OF_EACH_KIND:
        return  # an older server is held to one change of each kind
    undone.execute(mutation.sql.replace("{database}", undone.info.dbname).replace("{owner}", undone.info.user).encode())
    found = verify.inspect(undone, expected).findings
    named = [finding for finding in found if finding.kind == mutation.kind and mutation.names in finding.what]
    assert named, [finding.sentence() for finding in found]
    assert all(finding.opens and mutation.opens in finding.opens for finding in named)
    assert len(found) <= 20, [
        finding.sentence() for finding in found
    ]  # one change is not buried under its consequences


def test_every_kind_of_row_has_words_and_a_change_that_proves_them(expected: frozenset[Row]) -> None:
    assert {row.kind for row in expected} <= KINDS
    proved = {mutation.kind for mutation in MUTATIONS}
    # What no statement inside a transaction can change, or none of ours has: a slot, an extension's files, a view.
    assert KINDS - proved == {"logical slot", "extension", "relation definition", "database encoding"}


def test_verifying_changes_nothing(here: Conninfo, pg_server: Cluster) -> None:
    def everything() -> tuple[frozenset[Row], list[Any]]:
        with psycopg.connect(**here) as connection:
            return render(connection), connection.execute(ROLES).fetchall()

    before = everything()
    verify.verify(here)
    assert everything() == before
    assert _scratch_databases(pg_server) == []


def test_several_may_verify_at_once_and_beside_a_fence_that_is_being_applied(here: Conninfo) -> None:
    program = (
        "import json, sys; from fleetmem.admin import verify\n"
        "sys.exit(not verify.verify(json.loads(sys.argv[1])).is_clean)"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, json.dumps(here)]) for _ in range(3)]
    assert database.prepare(here, again=True).policies.is_empty
    assert [each.wait(60) for each in running] == [0, 0, 0]


def test_the_declared_side_is_kept_and_found_again(here: Conninfo, tmp_path: Path) -> None:
    cache = tmp_path / "run"
    assert verify.verify(here, cache=cache).is_clean
    (kept,) = cache.iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    written = kept.stat().st_mtime_ns
    assert verify.verify(here, cache=cache).is_clean
    assert kept.stat().st_mtime_ns == written
    kept.write_text("not what it was")
    assert verify.verify(here, cache=cache).is_clean


def test_applying_the_fence_again_repairs_what_was_found(here: Conninfo) -> None:
    with psycopg.connect(**here) as connection:
        connection.execute("alter policy agent_reads on fleet.beat using (true)")
        connection.execute("alter table fleet.beat disable trigger b_end")
        connection.execute("alter role fleetmem_gateway in database {} set work_mem = '8MB'".format(here["dbname"]))
    assert not verify.verify(here).is_clean
    database.prepare(here, again=True)
    assert verify.verify(here).is_clean


@pytest.mark.parametrize("mutation", REPAIRED, ids=[f"{each.kind}: {each.sql[:60]}" for each in REPAIRED])
def test_applying_the_fence_again_puts_back_policies_triggers_functions_and_rights(
    mutation: Mutation, database: ConnInfo
) -> None:
    here = database.psycopg()
    with psycopg.connect(**here) as connection:
        expected = _expected(here)
        connection.execute(mutation.sql.replace("{database}", connection.info.dbname).encode())
        policies.apply(connection, again=True)
        report = verify.inspect(connection, expected)
        connection.rollback()
    assert report.is_clean, [finding.sentence() for finding in report.findings]


def test_what_a_killed_run_left_is_swept_and_what_a_living_one_holds_is_not(here: Conninfo, pg_server: Cluster) -> None:
    with scratch.scratch(here) as held:
        with scratch.keeper(here) as connection:
            connection.execute(f"create database {scratch.PREFIX}abandoned template template0".encode())
            assert scratch.sweep(connection) == 1
        assert _scratch_databases(pg_server) == [held["dbname"]]
    assert _scratch_databases(pg_server) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_leaves_nothing_for_long(here: Conninfo, pg_server: Cluster, number: signal.Signals) -> None:
    program = (
        "import json, sys, time; from fleetmem.admin.verify import scratch\n"
        "with scratch.scratch(json.loads(sys.argv[1])): print('in', flush=True); time.sleep(60)"
    )
    told = json.dumps(here)
    running = subprocess.Popen([sys.executable, "-c", program, told], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert running.stdout is not None
    assert running.stdout.readline() == b"in\n"
    os.kill(running.pid, number)
    running.wait(20)
    running.stdout.close()
    deadline = time.monotonic() + 10
    while _scratch_databases(pg_server) and time.monotonic() < deadline:
        with scratch.keeper(here) as connection:
            scratch.sweep(connection)
    assert _scratch_databases(pg_server) == []


def test_a_server_without_a_known_fix_is_named_with_its_source() -> None:
    lacking = {finding.object: finding for finding in missing_fixes(15, 2)}
    assert {"CVE-2023-2455", "CVE-2023-39418", "CVE-2024-10976"} <= lacking.keys()
    assert "15.9" in lacking["CVE-2024-10976"].what
    assert "https://www.postgresql.org/" in lacking["CVE-2024-10976"].what
    assert lacking["CVE-2024-10976"].source is Source.SERVER
    assert list(missing_fixes(18, 6)) == []


def test_a_lint_of_the_policies_is_run_on_the_live_fence_too(undone: type_connection) -> None:
    undone.execute("create table fleet.bare (id uuid)")
    assert "row_security: fleet.bare" in policies.lint(undone)


@cache
def _declared(dsn: str) -> frozenset[Row]:
    here: Conninfo = json.loads(dsn)
    with psycopg.connect(**here) as connection:
        return verify.declared(here, connection)


def _expected(here: Conninfo) -> frozenset[Row]:
    return _declared(json.dumps(here))


def _settings_found(here: Conninfo, expected: frozenset[Row], *told: str) -> dict[str, str]:
    """What is found of the server's settings in a session that starts with these, and what each opens."""
    options = " ".join(f"-c {each}" for each in told)
    with psycopg.connect(**here, options=options) as connection:
        found = verify.inspect(connection, expected).findings
    return {finding.object: finding.opens for finding in found if finding.kind == "server setting"}


def _scratch_databases(cluster: Cluster) -> list[str]:
    with psycopg.connect(**cluster.admin.psycopg()) as connection:
        rows = connection.execute(
            "select datname from pg_database where starts_with(datname, %s) order by 1", [scratch.PREFIX]
        ).fetchall()
    return [str(name) for (name,) in rows]
