"""Put whatever is pending and has no job back into the queue, and forget what was done long ago.

The queue is in no backup and may be lost whole: what is to be done stands in the tables, and the queue only says when.
"""

from __future__ import annotations

from typing import Final

from fleetmem.worker.means import Means

_PENDING: Final = ("tasks", "runs", "previews", "landings")


def run(means: Means) -> None:
    """Close what is idle, and defer what has no job. Where no segment is distilled, none is deferred."""
    with means.session.transaction() as transaction:
        found = {"idle": len(transaction.values("worker_segments_idle", means.rules.idle_s))}
    for what in (*_PENDING, *(["segments"] if means.distils else [])):
        with means.session.transaction() as transaction:
            found[what] = transaction.run(f"worker_sweep_{what}")
    with means.session.transaction() as transaction:
        transaction.run("worker_jobs_forget")
    if any(found.values()):
        means.log.info("swept", **found)
