"""Take one memory out of one workspace, see that it is gone, and say so."""

from __future__ import annotations

from uuid import UUID

from fleetmem.errors import WorkspaceRefused
from fleetmem.worker import workspaces
from fleetmem.worker.jobs import land
from fleetmem.worker.means import Means


def run(means: Means, *, landing: UUID) -> None:
    """Remove what is to be removed. What cannot be stays to be removed, with the reason, and the sweep tries again.

    Raises:
        WorkspaceRefused: the workspace is not to be had for the moment.
    """
    asked = land.read(means, landing)
    if asked is None or asked.status != "removing":
        return
    try:
        land.take_away(means, asked)
    except WorkspaceRefused as error:
        if workspaces.passes(error):
            raise
        _say(means, "worker_landing_stays", landing, workspaces.why(error))
        means.metrics.landing("stays")
        return
    _say(means, "worker_landing_removed", landing)
    means.metrics.landing("removed")


def _say(means: Means, statement: str, *values: object) -> None:
    with means.session.transaction() as transaction:
        transaction.run("worker_ledger_lock")
        transaction.value(statement, *values)
