"""What doctor makes of worker, jobs, notes and incidents; also where the owner's login is no superuser."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from fleetmem.admin.database import Conninfo
from fleetmem.admin.doctor import Finding, State
from fleetmem.admin.doctor.pipeline import pipeline
from tests.clusters import Cluster
from tests.databases import Databases

type_connection = psycopg.Connection[tuple[Any, ...]]
TEAM = "insert into fleet.audience (name) values ('open'); insert into fleet.team (name, audiences) values ('yard', '{open}')"
HEARD = (
    "insert into queue.procrastinate_workers (last_heartbeat) values (clock_timestamp() - {}::interval) returning id"
)


@pytest.fixture(scope="module")
def place(pg_server: Cluster, databases: Databases) -> Conninfo:
    return databases.fresh(pg_server).psycopg()


@pytest.fixture
def owner(place: Conninfo) -> Iterator[type_connection]:
    """The owner's connection, whose work is rolled back."""
    with psycopg.connect(**place) as connection:
        yield connection
        connection.rollback()


def told(connection: type_connection) -> dict[str, Finding]:
    return {finding.what: finding for finding in pipeline(connection, silent_s=30)}


def test_a_new_fleet_is_sound(owner: type_connection) -> None:
    assert {finding.state for finding in told(owner).values()} == {State.SOUND}


def test_teams_without_a_worker_are_told_and_one_that_is_heard_of_is_enough(owner: type_connection) -> None:
    owner.execute(TEAM)
    assert told(owner)["worker"].state is State.OPEN
    owner.execute(HEARD.format("'10 minutes'"))
    assert "600 s ago" in told(owner)["worker"].found.replace("601", "600")
    owner.execute(HEARD.format("'3 seconds'"))
    assert told(owner)["worker"] == Finding(State.SOUND, "worker", "1 at work")


def test_a_job_of_a_dead_worker_is_stalled_and_one_of_a_living_worker_is_not(owner: type_connection) -> None:
    owner.execute("select fence.defer('land', '{}', null, 'land:1', 0), fence.defer('land', '{}', null, 'land:2', 0)")
    assert told(owner)["jobs"] == Finding(State.SOUND, "jobs", "2 waiting")
    (living,) = owner.execute(HEARD.format("'1 second'")).fetchone() or (0,)
    owner.execute(
        "update queue.procrastinate_jobs set status = 'doing', worker_id = %s where queueing_lock = 'land:1'", [living]
    )
    assert told(owner)["jobs"] == Finding(State.SOUND, "jobs", "1 waiting")
    owner.execute("update queue.procrastinate_workers set last_heartbeat = clock_timestamp() - interval '5 minutes'")
    assert told(owner)["jobs"].found == "1 begun by a worker that is gone, 1 waiting"


def test_what_waits_for_a_person_is_told(owner: type_connection) -> None:
    owner.execute(
        "select fence.report('drift', null, null, null, 'x', '{}'), fence.report('job', null, null, null, 'y', '{}')"
    )
    assert told(owner)["incidents"].found == "open: 1 drift, 1 job"
    assert told(owner)["review"].state is State.SOUND
