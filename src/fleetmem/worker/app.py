"""The jobs on their queue: which function does which, how often it is tried, and what is left of one that is given up."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from procrastinate import App, PsycopgConnector
from procrastinate.job_context import JobContext
from procrastinate.jobs import Job

from fleetmem.worker.jobs import check_landings, distil, land, place_run, place_task, preview, remove, sweep
from fleetmem.worker.logs import fault
from fleetmem.worker.means import Means
from fleetmem.worker.place import Address
from fleetmem.worker.queue import QUEUE, Backoff, Manager, is_last

Act = Callable[..., None]
ACTS: Final[Mapping[str, Act]] = {
    "place_task": place_task.run,
    "place_run": place_run.run,
    "distil": distil.run,
    "preview": preview.run,
    "land": land.run,
    "remove": remove.run,
}
PERIODIC: Final[Mapping[str, tuple[str, Act]]] = {
    "sweep": ("* * * * *", sweep.run),
    "check_landings": ("*/5 * * * *", check_landings.run),
}
_CONNECTIONS: Final = 3
# That a job was begun or has ended waits for no disk: where the database crashes and forgets it, the job is done again, which
# changes nothing. What a job does, and that it is to be done, is in other transactions, and those wait.
_OPTIONS: Final = "-c search_path=queue,pg_catalog -c synchronous_commit=off"


def make(means: Means, where: Address, *, with_periodic: bool) -> tuple[App, Manager]:
    """Make the application over a database; it is not open yet."""
    connector = PsycopgConnector(
        kwargs={**where, "application_name": "fleetmem queue", "options": _OPTIONS},
        min_size=1,
        max_size=_CONNECTIONS,
    )
    app = App(connector=connector)
    manager = app.job_manager = Manager(connector)
    for name, act in ACTS.items():
        app.task(name=name, queue=QUEUE, retry=Backoff(), pass_context=True)(_job(means, name, act))
    for name, (cron, act) in PERIODIC.items():
        # No lock: one whose worker was killed would keep every later one from running.
        task = app.task(name=name, queue=QUEUE, queueing_lock=name, pass_context=True)(_periodic(means, name, act))
        if with_periodic:
            app.periodic(cron=cron)(task)
    return app, manager


def give_up(means: Means, job: Job, error: BaseException | None) -> None:
    """Leave an incident about a job that was tried in vain; a segment that cannot be distilled is flushed as failed."""
    why, ids = _why(error), _ids(job)
    means.log.error("given up", job=job.task_name, attempts=job.attempts + 1, fault=why, **ids)
    if "segment" in ids:
        distil.fail(means, ids["segment"], f"{why}, {job.attempts + 1} times")
        return
    named = " ".join(f"{name} {value}" for name, value in ids.items())
    detail = f"the job {job.task_name} failed {job.attempts + 1} times: {named} ({why})"
    with means.session.transaction() as transaction:
        transaction.run("worker_report_job", ids.get("note"), ids.get("landing"), detail)


def _why(error: BaseException | None) -> str:
    if error is None:
        return "its worker ended"
    return str(error) if isinstance(error, distil.Unserved) else fault(error)


def _job(means: Means, name: str, act: Act) -> Callable[..., None]:
    def run(context: JobContext, **ids: str) -> None:
        _measured(means, name, lambda: act(means, **{each: UUID(value) for each, value in ids.items()}), context.job)

    return run


def _periodic(means: Means, name: str, act: Act) -> Callable[..., None]:
    def run(context: JobContext, timestamp: int = 0) -> None:
        del timestamp
        _measured(means, name, lambda: act(means), context.job)

    return run


def _measured(means: Means, name: str, act: Callable[[], None], job: Job) -> None:
    started, ids = time.monotonic(), _ids(job)
    try:
        act()
    except Exception as error:
        seconds = time.monotonic() - started
        means.metrics.job(name, "failed", seconds)
        means.log.warning("job", job=name, outcome="failed", attempt=job.attempts + 1, fault=_why(error), **ids)
        if name in ACTS and is_last(job):
            give_up(means, job, error)
        raise
    seconds = time.monotonic() - started
    means.metrics.job(name, "done", seconds)
    means.log.info("job", job=name, outcome="done", ms=round(seconds * 1000), **ids)


def _ids(job: Job) -> dict[str, UUID]:
    """Return the ids that a job is about; whatever else somebody put there is not repeated."""
    found = dict[str, UUID]()
    for name, value in job.task_kwargs.items():
        with contextlib.suppress(ValueError):
            found[name] = UUID(str(value))
    return found
