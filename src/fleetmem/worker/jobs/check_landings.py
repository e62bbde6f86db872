"""Look whether every landed memory is still where it was written, and every removed one still gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

import psycopg

from fleetmem import landing
from fleetmem.errors import WorkspaceRefused
from fleetmem.landing import Landed, Standing, Workspace
from fleetmem.worker import workspaces
from fleetmem.worker.means import Means

_AGAIN: Final = "the block was there again after its removal, and was removed"
_BUSY: Final = "busy"
_PATIENCE_S: Final = 1.0
_MAY_RECEIVE: Final = "note_recipient_may_receive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """A landing that has been in its workspace."""

    id: UUID
    note: UUID
    agent: str
    skill: str | None
    status: str
    path: str | None
    sha256: str | None
    reason: str | None
    workspace: str | None
    target: str | None

    def landed(self) -> Landed:
        """Return it as the file system is asked about it."""
        return Landed(note=self.note, skill=self.skill, path=self.path or "", sha256=self.sha256 or "")


def run(means: Means) -> None:
    """Compare what was landed with what is there. A workspace that is held by somebody is looked at the next time."""
    with means.session.transaction() as transaction:
        every = transaction.rows(Landing, "worker_landings_standing")
    busy = set[str]()
    for each in every:
        if each.agent in busy:
            continue
        try:
            _look(means, each)
        except WorkspaceRefused as error:
            if error.rule == _BUSY:
                busy.add(each.agent)
            means.log.warning("check", landing=each.id, agent=each.agent, refused=workspaces.why(error))


def _look(means: Means, each: Landing) -> None:
    workspace = workspaces.of(means.workspaces, each.workspace, each.target)
    stands = landing.inspect(workspace, each.landed(), patience_s=_PATIENCE_S)
    if each.status == "removed":
        if stands in {Standing.HELD, Standing.EDITED, Standing.MOVED}:
            _remove_again(means, workspace, each)
    elif stands is Standing.HELD:
        if each.status == "drifted":
            _say(means, each, "landed", None)
    elif (each.status, each.reason) != ("drifted", stands.value):
        _say(means, each, "drifted", stands.value)
        means.metrics.landing("drifted")


def _say(means: Means, each: Landing, status: str, reason: str | None) -> None:
    try:
        with means.session.transaction() as transaction:
            transaction.run("worker_ledger_lock")
            transaction.value("worker_landing_stands", each.id, status, reason)
    except psycopg.errors.CheckViolation as error:
        # What its holder may not hold any more does not come back into force; an operator works that incident.
        if error.diag.constraint_name != _MAY_RECEIVE:
            raise


def _remove_again(means: Means, workspace: Workspace, each: Landing) -> None:
    landing.remove(workspace, each.landed())
    with means.session.transaction() as transaction:
        transaction.run("worker_report_landing", each.note, each.id, each.agent, _AGAIN)
