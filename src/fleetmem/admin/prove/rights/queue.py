"""The queue: the worker works it, the scribe's triggers fill it, and nobody else holds anything of it."""

from typing import Final

from fleetmem.admin.prove.rights.relations import (
    ALL,
    OWNER,
    SCRIBE,
    WORKER,
    May,
    Relation,
)

QUEUE: Final = (
    Relation(
        "queue.procrastinate_workers", OWNER,
        "id last_heartbeat",
        {
            WORKER: May(select=ALL, insert=ALL, update=ALL),
        },
    ),
    Relation(
        "queue.procrastinate_jobs", OWNER,
        "id queue_name task_name priority lock queueing_lock args status scheduled_at attempts abort_requested worker_id",
        {
            SCRIBE: May(select=ALL, insert=ALL),
            WORKER: May(select=ALL, insert=ALL, update=ALL),
        },
    ),
    Relation(
        "queue.procrastinate_periodic_defers", OWNER,
        "id task_name defer_timestamp job_id periodic_id",
        {
            WORKER: May(select=ALL, insert=ALL, update=ALL),
        },
    ),
    Relation(
        "queue.procrastinate_events", OWNER,
        "id job_id type at",
        {
            SCRIBE: May(insert=ALL),
            WORKER: May(select=ALL, insert=ALL, update=ALL),
        },
    ),
)  # fmt: skip
# Its counters, and who draws from them besides their owner.
SEQUENCES: Final = {f"{relation.name}_id_seq": (SCRIBE, WORKER) for relation in QUEUE}
