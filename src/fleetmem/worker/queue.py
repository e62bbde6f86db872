"""The queue's manager: procrastinate's, with what its locks need to never stand still.

Five of its known behaviours would stop or delay a pipeline (each seen in release 3.10):

* A job that fails while another one with its queueing lock waits cannot go back into the queue (a unique violation), and
  would count as running for ever. The one that waits stands for both.
* A retry that is scheduled for later holds back every ready job of its lock. So a retry has the least priority.
* Nobody is woken when a job ends whose lock others wait for; they would wait for the next poll.
* A wake-up that comes while a worker asks for a job is forgotten, though the answer may be older than the job it speaks of.
* Jobs of a worker that was killed stay "doing" until somebody looks. Somebody looks here, beside the jobs and not as one,
  so that no job can keep it from looking.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import Callable, Iterable
from typing import Any, Final, LiteralString

from procrastinate import exceptions
from procrastinate.connector import BaseConnector
from procrastinate.jobs import Job, Notification, Status
from procrastinate.manager import QUEUEING_LOCK_CONSTRAINT, JobManager, NotificationCallback
from procrastinate.retry import BaseRetryStrategy, RetryDecision

from fleetmem.sql import statement

QUEUE: Final = "memory"
MOST_ATTEMPTS: Final = 8
_LONGEST_WAIT_S: Final = 300
_AFTER_ALL_OTHERS: Final = -10
_WRITES: Final = 5
_PAUSE_S: Final = 0.5


class Backoff(BaseRetryStrategy):
    """Try a job again after 1, 2, 4, … seconds, at most five minutes, behind every job that was not tried yet."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return when, or None where it was tried often enough."""
        del exception
        return None if is_last(job) else again(job)


def is_last(job: Job) -> bool:
    """Tell whether the attempt that a job is in is its last."""
    return job.attempts + 1 >= MOST_ATTEMPTS


def again(job: Job) -> RetryDecision:
    """Return when a job is tried again."""
    wait_s = min(_LONGEST_WAIT_S, 2**job.attempts)
    return RetryDecision(retry_in={"seconds": wait_s}, priority=_AFTER_ALL_OTHERS)


class Manager(JobManager):
    """The queue as the worker sees it."""

    def __init__(self, connector: BaseConnector) -> None:
        """Stand before a queue that was not asked for anything yet."""
        super().__init__(connector)
        self._woken = 0

    async def listen_for_jobs(  # noqa: D102 -- procrastinate's
        self, *, on_notification: NotificationCallback, queues: Iterable[str] | None = None
    ) -> None:
        async def wake(*, channel: str, notification: Notification) -> None:
            self._woken += 1
            await on_notification(channel=channel, notification=notification)

        await super().listen_for_jobs(on_notification=wake, queues=queues)

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:  # noqa: D102 -- procrastinate's
        while True:
            woken = self._woken
            job = await super().fetch_job(queues, worker_id)
            if job is not None or woken == self._woken:
                return job

    async def retry_job(  # noqa: D102 -- procrastinate's
        self,
        job: Job,
        retry_at: dt.datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        async def put_back() -> None:
            try:
                await JobManager.retry_job(self, job, retry_at=retry_at, priority=priority, queue=queue, lock=lock)
            except exceptions.UniqueViolation as error:
                if error.constraint_name != QUEUEING_LOCK_CONSTRAINT:
                    raise
                await JobManager.finish_job(self, job, Status.SUCCEEDED, delete_job=True)

        await _persistently(put_back)
        await self._wake(job)

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:  # noqa: D102, FBT001 -- procrastinate's
        await _persistently(lambda: JobManager.finish_job(self, job, status, delete_job))
        await self._wake(job)

    async def recover(self, *, stalled_s: float, give_up: Callable[[Job], Any]) -> int:
        """Put the jobs of workers that are no more back into the queue; return how many there were.

        A worker without a heartbeat for `stalled_s` seconds counts as dead. If it is not, a job runs twice, which does
        no harm: each is idempotent. One that was tried often enough ends instead, and `give_up` is told: it may be what
        kills the workers.
        """
        stalled = [*await self._stalled(stalled_s)]
        for job in stalled:
            # Another worker may have been faster.
            with contextlib.suppress(exceptions.ConnectorException):
                if is_last(job):
                    await super().finish_job(job, Status.FAILED, delete_job=False)
                    await asyncio.to_thread(give_up, job)
                else:
                    await self.retry_job(job, priority=_AFTER_ALL_OTHERS)
        await self.prune_stalled_workers(stalled_s)
        return len(stalled)

    async def due(self) -> int:
        """Count the jobs that could be begun now."""
        rows = await self.connector.execute_query_all_async(query=_sql("worker_jobs_due"))
        return int(rows[0]["due"])

    async def _stalled(self, stalled_s: float) -> Iterable[Job]:
        silent = await self.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=stalled_s)
        rows = await self.connector.execute_query_all_async(query=_sql("worker_jobs_stuck"))
        found = {job.id: job for job in silent}
        for row in rows:
            found |= {job.id: job for job in await self.list_jobs_async(id=row["id"])}
        return found.values()

    async def _wake(self, job: Job) -> None:
        """Wake whoever waits for the lock of a job that ended. A wake-up that fails costs one interval of polling."""
        if job.lock is not None:
            with contextlib.suppress(exceptions.ConnectorException):
                await self.connector.execute_query_async(query=_sql("worker_wake"))


async def _persistently(write: Callable[[], Any]) -> None:
    """Write down what became of a job, also across a short outage; else the job would count as running."""
    for attempt in range(_WRITES):
        try:
            await write()
        except exceptions.UniqueViolation:
            raise
        except exceptions.ConnectorException:
            if attempt + 1 == _WRITES:
                raise
            await asyncio.sleep(_PAUSE_S * 2**attempt)
        else:
            return


def _sql(name: str) -> LiteralString:
    return statement(name)
