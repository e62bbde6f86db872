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
    return {finding.what: finding for finding in pipeline(connection, silent_s=30, idle_s=1800)}


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


SEGMENTS = """
set local session_replication_role = replica;
insert into fleet.task (id, team, opened_by, prompt, audience, status, opened_seq, created_at, settled_at)
values ('00000000-0000-7000-8000-0000000000b1', 'yard', 'ann', 'Do it.', 'open', 'done', 1, now(), now()),
       ('00000000-0000-7000-8000-0000000000b2', 'yard', 'ann', 'Do it.', 'open', 'open', 2, now(), null);
insert into fleet.segment (id, team, ordinal, status, boundary, from_seq, to_seq, opened_at, active_at, closed_at, flushed_at, outcome, detail)
values ('00000000-0000-7000-8000-0000000000a1', 'yard', 1, 'flushed', 'idle', 0, 1, now(), now(), now(), now(), 'failed', 'refused: status 403'),
       ('00000000-0000-7000-8000-0000000000a2', 'yard', 2, 'open', null, 1, null, now(), now(), null, null, null, null);
insert into fleet.segment_task (segment, task)
select '00000000-0000-7000-8000-0000000000a2', t.id from fleet.task t;
"""


def test_threads_that_are_still_open_are_told_with_what_ends_them(owner: type_connection) -> None:
    assert told(owner)["threads"].found == "none waits to be distilled"
    owner.execute(TEAM)
    owner.execute(SEGMENTS)
    found = told(owner)["threads"]
    assert found.state is State.SOUND
    assert found.found.startswith("1 open with 2 tasks, 1 of them unsettled")
    assert "nothing happens for 30 minutes" in found.found


def test_segments_that_failed_lately_are_told_with_their_rescue(owner: type_connection) -> None:
    owner.execute(TEAM)
    owner.execute(SEGMENTS)
    found = told(owner)["distilling"]
    assert (found.state, found.found) == (
        State.OPEN,
        "1 segments of the last 7 days failed and gave no memory: refused",
    )
    assert "fleetmem review reset 00000000-0000-7000-8000-0000000000a1" in (found.remedy or "")
    owner.execute("update fleet.segment set flushed_at = now() - interval '8 days' where outcome = 'failed'")
    assert told(owner)["distilling"].state is State.SOUND
