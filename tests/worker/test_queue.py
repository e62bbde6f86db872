"""What the queue promises: nothing lost, nothing twice, nothing that stands still, whatever dies or fails."""

import asyncio
import contextlib
import fcntl
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, LiteralString

import httpx
import psycopg
import pytest
from procrastinate import PsycopgConnector
from procrastinate.jobs import Job, Notification

from fleetmem import landing
from fleetmem.landing import Workspace
from fleetmem.worker.queue import MOST_ATTEMPTS, QUEUE, Manager
from tests.memory import Memory
from tests.worker.crew import TEAM, Crew, kill
from tests.worker.test_landings import RULE, SKILL, proposed

_PUT = "insert into queue.procrastinate_jobs (queue_name, task_name, args, lock, queueing_lock) values ('memory', %s, %s, %s, %s)"


_LISTENS = "select count(*) from pg_stat_activity where datname = current_database() and query ilike 'listen %%'"


@contextmanager
def held(crew: Crew, agent: str) -> Iterator[None]:
    """Keep every lander out of an agent's workspace, so that a job waits in the middle of its act."""
    workspace = Workspace(root=crew.folder / "workspaces", name=agent)
    landing.prepare(workspace)
    descriptor = os.open(workspace.path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def approved(crew: Crew, *recipients: str, **fields: Any) -> str:
    note = proposed(crew, *recipients, **fields)
    crew.drain()
    crew.approve(note)
    return note


def is_doing(crew: Crew, task: str) -> bool:
    return any((kind, status) == (task, "doing") for kind, status, _ in crew.jobs())


def test_a_task_that_is_rolled_back_leaves_no_job_and_one_that_is_kept_leaves_one(crew: Crew) -> None:
    with crew.login("fleetmem_gateway") as connection:
        ask = "select api.task_open(%s, null, null, %s, 'Ship it?', 'open', '{}')"
        with contextlib.suppress(RuntimeError), connection.transaction():
            connection.execute(ask, [crew.claim("backend"), TEAM])
            raise RuntimeError
        assert crew.jobs() == []
        with connection.transaction():
            connection.execute(ask, [crew.claim("backend"), TEAM])
    assert [(task, status) for task, status, _ in crew.jobs()] == [("place_task", "todo")]


def test_two_workers_at_once_land_each_memory_once(crew: Crew) -> None:
    memory = Memory(crew.cluster, crew.database)
    notes = list[str]()
    for number in range(6):
        told = memory.told(TEAM, [("security", RULE), ("backend", "Understood.")])
        notes += [
            memory.propose(
                told,
                recipients=["backend", "frontend", "security"],
                preview=False,
                severity="severe",
                content=f"Rule {number}.",
            )
        ]
        memory.flush(told)
    crew.drain()
    with crew.working(2):
        for note in notes:
            crew.approve(note)
        crew.until(lambda: crew.value("select count(*) from fleet.landing where status = 'landed'") == 18)
    assert crew.value("select count(*) from fleet.ledger where event = 'landed'") == 18
    for agent in ("backend", "frontend", "security"):
        held_there = crew.file(agent, "AGENTS.md") or ""
        assert [held_there.count(f"Rule {number}.") for number in range(6)] == [1] * 6


def test_what_a_killed_worker_was_at_is_done_by_another_in_bounded_time(crew: Crew) -> None:
    approved(crew)
    with held(crew, "backend"), crew.working() as workers:
        crew.until(lambda: is_doing(crew, "land"))
        kill(workers[0])
    with crew.working():
        waited = crew.until(lambda: crew.rows("select status from fleet.landing") == [("landed",)], within_s=15)
    # Dead after two seconds, looked for every 0.4, and what it left is due at once.
    assert waited < 5


def test_a_worker_that_is_told_to_stop_finishes_what_it_is_at(crew: Crew) -> None:
    approved(crew)
    with crew.working() as workers:
        with held(crew, "backend"):
            crew.until(lambda: is_doing(crew, "land"))
            workers[0].send_signal(signal.SIGTERM)
            crew.until(lambda: workers[0].poll() is None)
        workers[0].communicate(timeout=20)
        assert workers[0].returncode == 0
    assert crew.rows("select status from fleet.landing") == [("landed",)]
    assert crew.value("select count(*) from queue.procrastinate_workers") == 0


def test_a_job_that_comes_while_a_worker_asks_for_one_is_begun_at_once(crew: Crew) -> None:
    answer = asyncio.run(_asked_while_one_comes(crew))
    assert answer is not None
    assert answer.task_name == "sweep"


async def _asked_while_one_comes(crew: Crew) -> Job | None:
    """Ask an empty queue for a job, and let one come when the answer that there is none is on its way."""
    heard = asyncio.Event()

    class Slow(PsycopgConnector):
        async def execute_query_one_async(self, query: LiteralString, **arguments: Any) -> dict[str, Any]:
            answer: dict[str, Any] = await super().execute_query_one_async(query, **arguments)
            if "fetch_job" in query and not heard.is_set():
                crew.owner(_PUT, "sweep", "{}", None, None)
                await heard.wait()
            return answer

    async def hear(*, channel: str, notification: Notification) -> None:
        del channel, notification
        heard.set()

    options = {"options": "-c search_path=queue,pg_catalog"}
    connector = Slow(kwargs={**crew.cluster.login("fleetmem_worker", crew.database.dbname).psycopg(), **options})
    await connector.open_async()
    manager = Manager(connector)
    listening = asyncio.create_task(manager.listen_for_jobs(on_notification=hear, queues=[QUEUE]))
    try:
        await asyncio.to_thread(crew.until, lambda: crew.value(_LISTENS) > 0)
        return await manager.fetch_job([QUEUE], await manager.register_worker())
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        await connector.close_async()


def test_a_worker_outlives_its_connections(crew: Crew) -> None:
    note = approved(crew)
    with crew.working() as workers:
        crew.until(lambda: crew.rows("select status from fleet.landing") == [("landed",)])
        crew.owner(
            "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'fleetmem_worker'"
            " and datname = current_database()"
        )
        crew.revoke(note)
        crew.until(lambda: crew.rows("select status from fleet.landing") == [("removed",)])
        assert workers[0].poll() is None


def test_jobs_that_can_never_be_done_do_not_stop_the_others(crew: Crew) -> None:
    approved(crew)
    nobody = "00000000-0000-7000-8000-000000000000"
    for task, args in (
        ("no_such_job", "{}"),
        ("land", '{"landing": "none"}'),
        ("land", "{}"),
        ("land", f'{{"landing": "{nobody}", "more": 1}}'),
        ("remove", f'{{"landing": "{nobody}"}}'),
    ):
        crew.owner(_PUT, task, args, "workspace:backend", None)
    crew.drain()
    assert crew.file("backend", SKILL) is not None


def test_a_job_that_was_tried_in_vain_leaves_an_incident_without_a_text(crew: Crew) -> None:
    with crew.login("fleetmem_worker"):
        crew.owner(_PUT, "land", '{"landing": "a secret"}', None, None)
    for _ in range(MOST_ATTEMPTS):
        crew.owner("update queue.procrastinate_jobs set scheduled_at = null")
        crew.drain()
    assert [status for _, status, _ in crew.jobs()] == ["failed"]
    found = crew.rows("select kind, status, detail from fleet.incident")
    assert [(kind, status) for kind, status, _ in found] == [("job", "open")]
    assert "secret" not in found[0][2]


def test_a_job_that_fails_while_its_like_waits_makes_way_for_it(crew: Crew) -> None:
    crew.owner(_PUT, "land", "{}", "workspace:backend", "land:x")
    crew.owner("update queue.procrastinate_jobs set status = 'doing'")
    crew.owner(_PUT, "land", "{}", "workspace:backend", "land:x")
    crew.drain()
    assert [
        (status, attempts)
        for status, attempts in crew.rows("select status::text, attempts from queue.procrastinate_jobs")
    ] == [("todo", 1)]


def test_a_retry_that_waits_holds_nobody_back(crew: Crew) -> None:
    crew.owner(_PUT, "land", "{}", "workspace:backend", "land:x")
    crew.drain()
    assert crew.value("select scheduled_at > now() from queue.procrastinate_jobs")
    approved(crew)
    crew.drain()
    assert crew.file("backend", SKILL) is not None


def test_a_lost_queue_is_filled_again_from_what_is_pending(crew: Crew) -> None:
    approved(crew)
    crew.owner("delete from queue.procrastinate_jobs")
    crew.drain()
    assert crew.file("backend", SKILL) is not None


def test_a_worker_with_more_power_or_under_another_fence_does_not_start(crew: Crew) -> None:
    crew.owner("update fence.applied set sha256 = repeat('0', 64) where file = '83_worker.sql'")
    worker = crew.spawn("fleetmem.worker", "--drain")
    said, _ = worker.communicate(timeout=30)
    assert worker.returncode == 78
    assert b"other policies" in said


def test_the_worker_reads_no_beat_and_no_handoff_and_decides_nothing_for_a_person(crew: Crew) -> None:
    note = proposed(crew)
    with crew.login("fleetmem_worker") as connection:
        for statement in (
            "select 1 from fleet.beat",
            "select 1 from fleet.handoff",
            "select 1 from vault.bearer",
            f"update fleet.note set status = 'approved' where id = '{note}'",
            "update fleet.ledger set actor = 'olga'",
            "delete from fleet.note",
        ):
            with pytest.raises(psycopg.Error) as refused:
                connection.execute(statement)
            assert refused.value.sqlstate in {"42501", "23514"}, statement


def test_a_job_that_kills_every_worker_it_meets_is_given_up(crew: Crew) -> None:
    crew.owner(_PUT, "land", "{}", None, None)
    crew.owner("update queue.procrastinate_jobs set status = 'doing', attempts = %s", MOST_ATTEMPTS - 1)
    crew.drain()
    assert [status for _, status, _ in crew.jobs()] == ["failed"]
    assert crew.rows("select kind, detail from fleet.incident") == [
        ("job", f"the job land failed {MOST_ATTEMPTS} times:  (its worker ended)")
    ]


def test_a_worker_answers_prometheus_where_it_is_told_to(crew: Crew) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    approved(crew)
    with replace(crew, told={"worker_metrics_port": port}).working():
        crew.until(lambda: crew.rows("select status from fleet.landing") == [("landed",)])
        crew.until(lambda: crew.jobs() == [])
        shown = httpx.get(f"http://127.0.0.1:{port}/metrics").text
    assert 'fleetmem_worker_landings_total{outcome="landed"} 1.0' in shown
    assert 'fleetmem_worker_jobs_total{job="land",outcome="done"} 1.0' in shown
