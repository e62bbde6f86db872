"""Put whatever is pending and has no job back into the queue, and forget what was done long ago.

The queue is in no backup and may be lost whole: what is to be done stands in the tables, and the queue only says when.
"""

from __future__ import annotations

from typing import Final

from fleetmem.worker.means import Means

_PENDING: Final = ("tasks", "runs", "segments", "previews", "landings")


def run(means: Means) -> None:
    """Defer what has no job."""
    found = dict[str, int]()
    for what in _PENDING:
        with means.session.transaction() as transaction:
            found[what] = transaction.run(f"worker_sweep_{what}")
    with means.session.transaction() as transaction:
        transaction.run("worker_jobs_forget")
    if any(found.values()):
        means.log.info("swept", **found)
