"""From a closed segment to a file and back: through the console, the queue and a worker of its own, whose model takes no time.

What a reviewer thinks is no part of it: the clock stops when a memory can be approved, and goes on with the approval. Half of
the memories are landed while commits wait for no disk: what they are faster by is what durability costs.
"""

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeVar

import psycopg

from bench import files, ground, scripts
from bench.modelless import Modelless
from bench.report import Goal, Row
from bench.rounds import in_turns, ratio
from bench.sizes import Sizes
from fleetmem import sql
from fleetmem.admin import deployment, workspaces
from fleetmem.admin.up import Fleet
from fleetmem.client import ConsoleClient, FleetClient
from fleetmem.errors import SetupInvalid

T = TypeVar("T")

_OPERATOR: Final = "hearth-keeper"
_SPEAKERS: Final = (ground.READER, "facilities")
_RULE: Final = "Visitors must ring at the garden gate and never use the cellar door while the pump of house {} runs."
_SECTION: Final = "a memory comes and goes (p50 ms, no model, no reviewer)"
_JOBS: Final = ("distil", "preview", "land", "remove")
_PATIENCE_S: Final = 60.0
_POLL_S: Final = 0.002
_SYNCED: Final = {True: "on", False: "off"}

_PLACED: Final = """
select not exists (select from queue.procrastinate_jobs where status in ('todo', 'doing'))
   and (select count(*) from fleet.segment_run where run = any(%s::uuid[])) = %s"""
_REVIEWABLE: Final = """
select n.id, n.revision, array_agg(p.workspace || '/' || v.path) as paths
  from fleet.note n
  join fleet.note_recipient r on r.note = n.id and r.active
  join fleet.principal p on p.name = r.agent
  left join fleet.landing_preview v on v.note = n.id and v.revision = n.revision and v.agent = r.agent
 where n.segment = any(%s) and n.status = 'candidate'
 group by n.id, n.revision
having bool_and(v.path is not null)"""
_QUIET: Final = "select not exists (select from queue.procrastinate_jobs where status in ('todo', 'doing'))"
_WORKER_UP: Final = "select exists (select from queue.procrastinate_workers)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """Milliseconds of one memory: from its closed segment to a reviewer, from the approval to its files, from revocation to none."""

    reviewable_ms: float
    landed_ms: float
    gone_ms: float

    @property
    def whole_ms(self) -> float:
        """From the closed segment to the files, without the reviewer."""
        return self.reviewable_ms + self.landed_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stage:
    """Everybody who takes part, and two connections: one past the fence to look, one as the worker to close a segment."""

    fleet: Fleet
    speakers: tuple[FleetClient, ...]
    operator: ConsoleClient
    looking: psycopg.Connection[Any]
    closing: psycopg.Connection[Any]


def measure(fleet: Fleet, sizes: Sizes) -> tuple[list[Row], list[Goal]]:
    """Land and revoke one memory after the other."""
    with _stage(fleet) as stage:
        _course(stage)  # the first one loads what is loaded once
        log = fleet.settings.home / "log" / "worker.log"
        begun = log.stat().st_size
        taken = in_turns({synced: _turn(stage, synced=synced) for synced in (True, False)}, rounds=sizes.landings)
        _commit(stage, synced=True)
        jobs = _jobs(log, begun)
    alone = files.measure(fleet.settings.workspaces, _SECTION, rounds=sizes.landings)
    return [*_rows(taken, jobs), *alone], _goals(taken[True])


def _turn(stage: _Stage, *, synced: bool) -> Callable[[], Course]:
    def turn() -> Course:
        _commit(stage, synced=synced)
        return _course(stage)

    return turn


def _course(stage: _Stage) -> Course:
    task, runs = _talk(stage)
    _awaited("the worker", lambda: _one(stage, _PLACED, runs, len(runs)))
    closed_s = time.perf_counter()
    segments = [row[0] for row in stage.closing.cursor().execute(sql.statement("worker_segments_idle"), [0]).fetchall()]
    note, revision, paths = _awaited("a candidate", lambda: _row(stage, _REVIEWABLE, segments))
    reviewable_s = time.perf_counter()
    places, rule = [stage.fleet.settings.workspaces / path for path in paths], _RULE.format(task).encode()
    approved_s = time.perf_counter()
    stage.operator.approve(note, revision)
    _awaited("the file", lambda: all(_holds(place, rule) for place in places))
    landed_s = time.perf_counter()
    _awaited("the queue", lambda: _one(stage, _QUIET))
    revoked_s = time.perf_counter()
    stage.operator.revoke(note)
    _awaited("the removal", lambda: not any(_holds(place, rule) for place in places))
    gone_s = time.perf_counter()
    _awaited("the queue", lambda: _one(stage, _QUIET))
    return Course(
        reviewable_ms=1000 * (reviewable_s - closed_s),
        landed_ms=1000 * (landed_s - approved_s),
        gone_ms=1000 * (gone_s - revoked_s),
    )


def _talk(stage: _Stage) -> tuple[str, list[str]]:
    """Let a task be asked, worked at by both and settled; return it, and the runs at it."""
    first = stage.speakers[0]
    task = str(first.open_task(scripts.TEAM, "Agree on how visitors come in.", audience=scripts.AUDIENCE).id)
    runs = []
    for speaker in stage.speakers:
        run = str(speaker.open_run(task).id)
        speaker.post_message(scripts.TEAM, _RULE.format(task), audience=scripts.AUDIENCE, task=task, run=run)
        speaker.settle_run(run, "succeeded", output="Understood.")
        runs.append(run)
    first.settle_task(task, "done")
    return task, runs


def _holds(file: Path, rule: bytes) -> bool:
    try:
        return rule in file.read_bytes()
    except FileNotFoundError:
        return False


@contextmanager
def _stage(fleet: Fleet) -> Iterator[_Stage]:
    """Start a worker, and let everybody in."""
    settings = replace(fleet.settings, recognizer="sbert", extractor="rules", log_level="info", log_format="json")
    workspaces.prepare_all(settings.workspaces, deployment.declared_roster(settings).members(), deployment.silent)
    worker = Modelless("worker", settings)
    way = deployment.as_login(settings.home, fleet.owner, "fleetmem_worker")
    with ExitStack() as undo:
        stage = _Stage(
            fleet=fleet,
            speakers=tuple(
                undo.enter_context(FleetClient(fleet.agents.url, token=fleet.token(name))) for name in _SPEAKERS
            ),
            operator=undo.enter_context(ConsoleClient(fleet.console.url, token=fleet.token(_OPERATOR))),
            looking=undo.enter_context(psycopg.connect(**fleet.owner, autocommit=True)),
            closing=undo.enter_context(psycopg.connect(**way, autocommit=True, cursor_factory=psycopg.RawCursor)),
        )
        undo.callback(worker.stop)
        worker.start()
        _awaited("the worker's start", lambda: _up(stage, worker))
        yield stage


def _up(stage: _Stage, worker: Modelless) -> bool:
    if worker.has_ended:
        raise SetupInvalid(f"the worker ended at once:\n{worker.last_words()}")
    return bool(_one(stage, _WORKER_UP))


def _commit(stage: _Stage, *, synced: bool) -> None:
    """Let every commit from here on wait for the disk, or none; connections that are open heed it with their next statement."""
    stage.looking.execute(f"alter system set synchronous_commit = {_SYNCED[synced]}".encode())
    stage.looking.execute("select pg_reload_conf()")


def _row(stage: _Stage, statement: str, *values: object) -> tuple[Any, ...] | None:
    found: tuple[Any, ...] | None = stage.looking.execute(statement.encode(), values).fetchone()
    return found


def _one(stage: _Stage, statement: str, *values: object) -> object:
    found = _row(stage, statement, *values)
    return found and found[0]


def _awaited(what: str, look: Callable[[], T | None]) -> T:
    """Look again and again, a few hundred times a second, until there is something."""
    deadline = time.perf_counter() + _PATIENCE_S
    while time.perf_counter() < deadline:
        if found := look():
            return found
        time.sleep(_POLL_S)
    raise SetupInvalid(f"{what} did not come within {_PATIENCE_S:g} s")


def _jobs(log: Path, begun: int) -> dict[str, list[float]]:
    """Return how long the worker was at each kind of job, in milliseconds, by its own log from a place in it on."""
    found: dict[str, list[float]] = {name: [] for name in _JOBS}
    with log.open("rb") as lines:
        lines.seek(begun)
        for line in lines:
            with contextlib.suppress(ValueError, KeyError):
                told = json.loads(line)
                found[told["job"]].append(told["ms"])
    return found


def _rows(taken: dict[bool, list[Course]], jobs: dict[str, list[float]]) -> list[Row]:
    legs = {
        "closed to reviewable": "reviewable_ms",
        "approved to file": "landed_ms",
        "both": "whole_ms",
        "revoked to no file": "gone_ms",
    }
    rows = []
    for what, leg in legs.items():
        synced, unsynced = ([getattr(course, leg) for course in taken[way]] for way in (True, False))
        figures = {
            "p50": median(synced),
            "worst": max(synced),
            "commits not synced": median(unsynced),
            "ratio": ratio(unsynced, synced),
        }
        rows.append(Row(_SECTION, what, {**figures}))
    rows += [Row(_SECTION, f"of it, in the job {name}", {"p50": median(ms)}) for name, ms in jobs.items() if ms]
    return rows


def _goals(courses: list[Course]) -> list[Goal]:
    return [
        Goal(
            number="9",
            says="ms from a closed segment to its file, no model and no reviewer, p50",
            bound=150,
            at_least=False,
            measured=median(course.whole_ms for course in courses),
        ),
        Goal(
            number="10",
            says="ms from a memory's revocation until its file is gone, the worst",
            bound=1000,
            at_least=False,
            measured=max(course.gone_ms for course in courses),
        ),
    ]
