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
# A task is unsettled while it, or a run of it, has not come to an end.
_THREADS: Final = """
select count(distinct s.id) filter (where s.status = 'open'), count(t.id) filter (where s.status = 'open'),
       count(t.id) filter (where s.status = 'open' and x.unsettled),
       count(distinct s.id) filter (where s.status = 'closed'), count(distinct s.id) filter (where s.status = 'closed' and x.unsettled)
  from fleet.segment s
  left join fleet.segment_task k on k.segment = s.id
  left join fleet.task t on t.id = k.task
  left join lateral (select t.status = 'open'
                            or exists (select from fleet.run r where r.task = t.id and r.settled_at is null)) x (unsettled) on true
 where s.status <> 'flushed'
"""
_FAILED: Final = """
select count(*), string_agg(distinct split_part(coalesce(s.detail, 'failed'), ':', 1), ', '), max(s.id::text)
  from fleet.segment s
 where s.outcome = 'failed' and s.flushed_at > clock_timestamp() - make_interval(days => %s)
"""
_DAYS: Final = 7
_WAITING: Final = "select count(*) from fleet.note where status = 'candidate'"


def pipeline(connection: psycopg.Connection[Any], *, silent_s: float, idle_s: float) -> Iterator[Finding]:
    """Look at worker, jobs, threads of work, notes and incidents.

    A worker that was not heard of for `silent_s` seconds does not count; a thread ends after `idle_s` seconds of nothing.
    """
    yield from _worker(connection, silent_s)
    yield from _jobs(connection, silent_s)
    yield _threads(connection, idle_s)
    yield _distilling(connection)
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


def _threads(connection: psycopg.Connection[Any], idle_s: float) -> Finding:
    """Say why no note may have come yet."""
    open_, tasks, unsettled, closed, held_up = connection.execute(_THREADS).fetchone() or (0, 0, 0, 0, 0)
    parts = []
    if open_:
        ends = f"it ends by another subject, by its size, or when nothing happens for {idle_s / 60:g} minutes"
        parts.append(
            f"{open_} open with {tasks} tasks, {unsettled} of them unsettled ({ends}: FLEETMEM_SEGMENT_IDLE_S)"
        )
    if closed:
        parts.append(f"{closed} ended and not distilled yet, {held_up} of them with a task or run that is not settled")
    return Finding(State.SOUND, "threads", "; ".join(parts) or "none waits to be distilled")


def _distilling(connection: psycopg.Connection[Any]) -> Finding:
    failed, why, last = connection.execute(_FAILED, [_DAYS]).fetchone() or (0, "", "")
    if not failed:
        return Finding(State.SOUND, "distilling", f"no segment failed in the last {_DAYS} days")
    return Finding(
        State.OPEN,
        "distilling",
        f"{failed} segments of the last {_DAYS} days failed and gave no memory: {why}",
        f"mend the cause, then `fleetmem review reset {last}`; `fleetmem incident list --kind job` names each",
    )


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
