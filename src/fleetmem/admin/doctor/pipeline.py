"""What becomes of what teams say: whether a worker works, what waits for one, and what waits for a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import psycopg

from fleetmem.admin.doctor.finding import Finding, State

_TEAMS: Final = "select count(*) from fleet.team where active"
_HEARD: Final = (
    "select count(*) filter (where last_heartbeat > clock_timestamp() - make_interval(secs => %s)),"
    " extract(epoch from clock_timestamp() - max(last_heartbeat))::bigint from queue.procrastinate_workers"
)
# A job is stalled while it counts as being done by a worker that is not heard of any more.
_JOBS: Final = """
select count(*) filter (where j.status = 'todo'),
       count(*) filter (where j.status = 'doing' and not coalesce(w.last_heartbeat > clock_timestamp() - make_interval(secs => %s), false))
  from queue.procrastinate_jobs j left join queue.procrastinate_workers w on w.id = j.worker_id
 where j.status in ('todo', 'doing')
"""
_INCIDENTS: Final = """
select coalesce(string_agg(x.said, ', ' order by x.kind), '')
  from (select i.kind, count(*) || ' ' || i.kind as said from fleet.incident i where i.status = 'open' group by i.kind) x
"""
_WAITING: Final = "select count(*) from fleet.note where status = 'candidate'"


def pipeline(connection: psycopg.Connection[Any], *, silent_s: float) -> Iterator[Finding]:
    """Look at worker, jobs, notes and incidents; a worker that was not heard of for `silent_s` seconds does not count."""
    yield from _worker(connection, silent_s)
    yield from _jobs(connection, silent_s)
    yield from _people(connection)


def _worker(connection: psycopg.Connection[Any], silent_s: float) -> Iterator[Finding]:
    alive, silent = connection.execute(_HEARD, [silent_s]).fetchone() or (0, None)
    teams = _number(connection, _TEAMS)
    if alive:
        yield Finding(State.SOUND, "worker", f"{alive} at work")
    elif not teams:
        yield Finding(State.SOUND, "worker", "none is at work, and the fleet has no team to work for")
    else:
        heard = "none is at work" if silent is None else f"none is at work: the last was heard of {silent} s ago"
        yield Finding(
            State.OPEN,
            "worker",
            f"{heard}; what {teams} teams say becomes no memory",
            "run `fleetmem worker`, or `fleetmem up`",
        )


def _jobs(connection: psycopg.Connection[Any], silent_s: float) -> Iterator[Finding]:
    waiting, stalled = connection.execute(_JOBS, [silent_s]).fetchone() or (0, 0)
    if stalled:
        found = f"{stalled} begun by a worker that is gone"
        yield Finding(State.OPEN, "jobs", f"{found}, {waiting} waiting", "the next worker begins them again: run one")
    else:
        yield Finding(State.SOUND, "jobs", f"{waiting} waiting")


def _people(connection: psycopg.Connection[Any]) -> Iterator[Finding]:
    (open_,) = connection.execute(_INCIDENTS).fetchone() or ("",)
    if open_:
        yield Finding(
            State.OPEN, "incidents", f"open: {open_}", "read them with `fleetmem incident list`, and close each"
        )
    else:
        yield Finding(State.SOUND, "incidents", "none is open")
    candidates = _number(connection, _WAITING)
    if candidates:
        yield Finding(
            State.OPEN, "review", f"{candidates} notes wait for a person", "read them with `fleetmem review list`"
        )
    else:
        yield Finding(State.SOUND, "review", "no note waits for a person")


def _number(connection: psycopg.Connection[Any], question: str) -> int:
    (found,) = connection.execute(question.encode()).fetchone() or (0,)
    return int(found)
