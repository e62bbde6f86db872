"""Run a worker until it is told to stop: `python -m fleetmem.worker`, or `--drain` to work off what is there and end.

On SIGTERM or SIGINT it takes no more jobs, finishes what it is at, and ends. A database that goes away is waited for.
Exit codes: 0 stopped in order; 64 called wrongly; 75 the database does not answer, try again; 78 something must be
repaired first, and one sentence on standard error says what.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from contextlib import ExitStack
from typing import Final

from procrastinate import App
from procrastinate.exceptions import ConnectorException
from psycopg_pool import PoolTimeout

from fleetmem import config
from fleetmem.config import Settings
from fleetmem.errors import ConfigInvalid, FleetmemError, Unavailable
from fleetmem.memory import segment
from fleetmem.models import choose_extractor
from fleetmem.sql import safety_files
from fleetmem.worker import app as composition
from fleetmem.worker import place, session, startup
from fleetmem.worker.jobs import sweep
from fleetmem.worker.logs import make_logger
from fleetmem.worker.means import OFF, Means
from fleetmem.worker.metrics import Metrics
from fleetmem.worker.queue import QUEUE, Manager
from fleetmem.worker.recognition import Recognition

USAGE: Final = 64
TRY_AGAIN: Final = 75
REPAIR_FIRST: Final = 78
_DRAIN: Final = "--drain"
_BEATS: Final = 5  # heartbeats until a worker counts as dead
_POLL_S: Final = 2.0
_PAUSE_S: Final = 2.0
_FINISH_S: Final = 15.0  # below the supervisor's own patience


def main(arguments: list[str]) -> int:
    """Run a worker; return the exit code."""
    if arguments not in ([], [_DRAIN]):
        sys.stderr.write(f"usage: python -m fleetmem.worker [{_DRAIN}]\n")
        return USAGE
    try:
        run(config.load(), drain=bool(arguments))
    except FleetmemError as error:
        sys.stderr.write(f"{place.LOGIN}: {error.detail}\n")
        return TRY_AGAIN if isinstance(error, Unavailable) else REPAIR_FIRST
    return 0


def run(settings: Settings, *, drain: bool) -> None:
    """Run a worker under these settings until it is told to stop, or until nothing is left to begin.

    Raises:
        SetupInvalid: something must be repaired first.
        Unavailable: the database does not answer.
    """
    where = place.address(settings)
    log = make_logger(log_format=settings.log_format, level=settings.log_level)
    recognition = Recognition(settings)
    recognition.refuse_missing()
    with ExitStack() as stack:
        door = stack.enter_context(session.opened(where, size=settings.worker_jobs + 1))
        startup.check(door)
        metrics, policy = Metrics(), safety_files.shipped_policy()
        _serve_metrics(stack, metrics, settings.worker_metrics_port)
        means = Means(
            session=door,
            workspaces=settings.workspaces,
            extractor=choose_extractor.extractor(settings, policy.secrets),
            recognition=recognition,
            policy=policy,
            rules=segment.Rules(idle_s=settings.segment_idle_s),
            log=log,
            metrics=metrics,
        )
        app, manager = composition.make(means, where, with_periodic=not drain)
        _tell(means, settings)
        asyncio.run(_drained(app, manager, means, settings) if drain else _kept(app, manager, means, settings))
        log.info("stopped")


def _tell(means: Means, settings: Settings) -> None:
    means.log.info("ready", jobs=settings.worker_jobs, recognizer=settings.recognizer, extractor=settings.extractor)
    if not means.recognition.is_on:
        means.log.warning("recognition is off: segments are kept, and none is distilled until it is on")
    if settings.extractor == OFF:
        means.log.warning("extraction is off: segments are kept, and none is distilled until it is on")


def _serve_metrics(stack: ExitStack, metrics: Metrics, port: int) -> None:
    try:
        stack.enter_context(metrics.served(port))
    except OSError as error:
        variable = "FLEETMEM_WORKER_METRICS_PORT"
        raise ConfigInvalid(
            f"cannot listen on 127.0.0.1:{port}: {error.strerror}; set {variable}", field=variable
        ) from error


async def _kept(app: App, manager: Manager, means: Means, settings: Settings) -> None:
    """Work until a signal, across outages of the database."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    while not stopping.is_set():
        try:
            async with app.open_async():
                await _until(
                    stopping, _work(app, settings), _recovering(manager, means, settings), _loading(means.recognition)
                )
        except (ConnectorException, PoolTimeout) as error:
            means.log.warning("database away", fault=type(error).__name__)
            await app.close_async()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), _PAUSE_S)


async def _drained(app: App, manager: Manager, means: Means, settings: Settings) -> None:
    """Work off what can be begun now and what follows from it; jobs that wait for their next attempt are left."""
    sweep.run(means)
    async with app.open_async():
        await manager.recover(
            stalled_s=settings.worker_stalled_s, give_up=lambda job: composition.give_up(means, job, None)
        )
        while await manager.due():
            await _work(app, settings, wait=False)


async def _work(app: App, settings: Settings, *, wait: bool = True) -> None:
    await app.run_worker_async(
        queues=[QUEUE],
        concurrency=settings.worker_jobs,
        wait=wait,
        fetch_job_polling_interval=_POLL_S,
        install_signal_handlers=False,
        delete_jobs="successful",
        update_heartbeat_interval=settings.worker_stalled_s / _BEATS,
        stalled_worker_timeout=settings.worker_stalled_s,
    )


async def _recovering(manager: Manager, means: Means, settings: Settings) -> None:
    """Look for the jobs of dead workers, beside the jobs, for as long as this worker lives."""
    while True:
        found = await manager.recover(
            stalled_s=settings.worker_stalled_s, give_up=lambda job: composition.give_up(means, job, None)
        )
        if found:
            means.log.warning("recovered", jobs=found)
        await asyncio.sleep(settings.worker_stalled_s / _BEATS)


async def _loading(recognition: Recognition) -> None:
    """Load the models while jobs that need none are done already; what cannot be loaded ends the worker."""
    if recognition.is_on:
        await asyncio.to_thread(recognition.load)
    await asyncio.Event().wait()


async def _until(stopping: asyncio.Event, *acts: object) -> None:
    """Run acts until one ends or a stop is asked for; a worker that is cancelled finishes what it is at."""
    tasks = [asyncio.ensure_future(act) for act in acts]  # type: ignore[call-overload]
    waiting = asyncio.create_task(stopping.wait())
    await asyncio.wait([waiting, *tasks], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    # Asked once, a worker finishes its jobs; asked as it was just starting it may wait for ever, so it is asked again. What
    # it leaves is done again by another.
    unfinished = set(tasks)
    while unfinished:
        for task in unfinished:
            task.cancel()
        _, unfinished = await asyncio.wait(unfinished, timeout=_FINISH_S)
    for task in tasks:
        if not task.cancelled() and isinstance(outcome := task.exception(), Exception):
            raise outcome
