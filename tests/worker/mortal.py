"""A worker that is killed between two of its effects: `python -m tests.worker.mortal`, told what to do on standard input.

An effect is what outlives a process: a commit, a file, a job that is marked as ended. The worker passes a named point just
before and just after each. For every one of them it is run on a copy of the same database and workspaces and kills itself
there; then another worker does what is left. A process of its own, because one that forks must have no threads.
"""

import contextlib
import functools
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from procrastinate.psycopg_connector import PsycopgConnector
from psycopg import sql

from fleetmem import landing
from fleetmem.config import Settings, load
from fleetmem.models import fake
from fleetmem.sql import routing_files, safety_files
from fleetmem.worker import serve
from fleetmem.worker.session import Session

STALLED_S = 0.3


def main() -> None:
    told = json.load(sys.stdin)
    base, points = Path(told["base"]), list[str]()
    warm()
    while True:
        at = len(points)
        settings = copied(told, base, at)
        name = killed_at(settings, base, at)
        if name is None:
            break
        points.append(name)
        time.sleep(STALLED_S * 1.5)
        forked(partial(finish, settings))
    json.dump(points, sys.stdout)


def warm() -> None:
    """Make once what every worker would make for itself, so that the forks have it."""
    safety_files.shipped_policy()
    lines = routing_files.world().occupations.lines
    ours = functools.cache(fake._vector)  # noqa: SLF001 -- the tests' own encoder
    fake._vector = ours  # noqa: SLF001
    for line in lines:
        ours(line)


def finish(settings: Settings) -> None:
    """Do what the killed worker left, and what follows once its threads of work have ended."""
    for _ in range(2):
        serve.run(settings, drain=True)
        time.sleep(settings.segment_idle_s if settings.segment_idle_s < 1 else 0)


def copied(told: dict[str, Any], base: Path, at: int) -> Settings:
    """Copy the database and the workspaces, and return the settings of a worker for the copies."""
    dbname = f"{told['dbname']}_{at}"
    with psycopg.connect(**told["admin"], autocommit=True) as connection:
        made = sql.SQL("create database {} template {}").format(sql.Identifier(dbname), sql.Identifier(told["dbname"]))
        connection.execute(made)
    ready = base / "workspaces"
    if ready.exists():
        shutil.copytree(ready, base / str(at) / "workspaces")
    (base / str(at) / "home").mkdir(parents=True, exist_ok=True)
    url = told["url"].replace(f"/{told['dbname']}?", f"/{dbname}?")
    return load(
        told["environment"]
        | {
            "FLEETMEM_HOME": str(base / str(at) / "home"),
            "FLEETMEM_WORKSPACES": str(base / str(at) / "workspaces"),
            "FLEETMEM_SERVICE_DATABASE_URL": url,
            "FLEETMEM_WORKER_STALLED_S": str(STALLED_S),
            "FLEETMEM_WORKER_JOBS": "1",
            "FLEETMEM_LOG_LEVEL": "error",
        }
    )


def killed_at(settings: Settings, base: Path, at: int) -> str | None:
    """Run a worker that kills itself at point number `at`; its name, or None where it came to fewer."""
    note = base / str(at) / "point"

    def die() -> None:
        with passing(at, note):
            serve.run(settings, drain=True)

    was_killed = forked(die)
    return note.read_text(encoding="utf-8") if was_killed else None


def forked(act: Callable[[], None]) -> bool:
    """Run an act in a process of its own; True where a signal ended it."""
    child = os.fork()
    if child == 0:
        try:
            act()
            os._exit(0)
        except BaseException as error:  # noqa: BLE001 -- the child tells and ends
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            os._exit(1)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        raise SystemExit("a worker failed by itself")
    return os.WIFSIGNALED(status)


@contextmanager
def passing(at: int, note: Path) -> Iterator[None]:
    """Kill this process when it passes point number `at`, after noting the point's name."""
    seen = 0

    def passed(name: str) -> None:
        nonlocal seen
        if seen == at:
            note.write_text(name, encoding="utf-8")
            os.kill(os.getpid(), signal.SIGKILL)
        seen += 1

    wrap_commits(passed)
    wrap_files(passed)
    wrap_ends(passed)
    yield


def wrap_commits(passed: Callable[[str], None]) -> None:
    ours = Session.transaction

    @contextmanager
    def transaction(self: Session) -> Iterator[Any]:
        with ours(self) as opened:
            sent = list[str]()
            yield recording(opened, sent)
            if any(is_write(name) for name in sent):
                passed(f"before the commit of {sent[-1]}")
        if any(is_write(name) for name in sent):
            passed(f"after the commit of {sent[-1]}")

    Session.transaction = transaction  # type: ignore[method-assign]


def is_write(name: str) -> bool:
    return name not in {"worker_landing", "worker_preview_of", "worker_landings_standing"}


class recording:  # noqa: N801 -- stands for a transaction
    def __init__(self, opened: Any, sent: list[str]) -> None:
        self._opened, self._sent = opened, sent

    def __getattr__(self, verb: str) -> Any:
        act = getattr(self._opened, verb)

        def send(*values: Any) -> Any:
            self._sent.append(next(value for value in values if isinstance(value, str)))
            return act(*values)

        return send


def wrap_files(passed: Callable[[str], None]) -> None:
    for verb in ("land", "remove", "prepare"):
        act = getattr(landing, verb)

        def watched(*values: Any, act: Any = act, verb: str = verb) -> Any:
            passed(f"before the file system's {verb}")
            answer = act(*values)
            passed(f"after the file system's {verb}")
            return answer

        setattr(landing, verb, watched)


def wrap_ends(passed: Callable[[str], None]) -> None:
    ours = PsycopgConnector.execute_query_async

    async def execute(self: PsycopgConnector, query: Any, **values: Any) -> None:
        is_end = "finish_job" in query
        if is_end:
            passed("before the job is marked as ended")
        await ours(self, query, **values)
        if is_end:
            passed("after the job is marked as ended")

    PsycopgConnector.execute_query_async = execute  # type: ignore[method-assign]


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
