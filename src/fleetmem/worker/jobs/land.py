"""Write one memory into one workspace, and say so.

The file comes first and the row after it, so that a row never speaks of a file that is not there. What may come between
them is told in docs/life-of-a-memory.md: a job that finds its landing withdrawn sees that the file is gone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

import psycopg

from fleetmem import landing
from fleetmem.errors import RequestInvalid, WorkspaceRefused
from fleetmem.landing import Landed, Memory, Workspace
from fleetmem.worker import workspaces
from fleetmem.worker.means import Means

_MAY_NOT: Final = frozenset({"note_recipient_may_receive", "landing_agent_suspended"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A landing as the database holds it.

    `description` where it founds a skill, `founded_as` where it may found one again that is gone, `heading` what its note would
    found one with, `successor` what heads the skill when this note goes, `forbidden` why it may not be, `is_suspended` where its agent
    is given nothing for now.
    """

    id: UUID
    note: UUID
    agent: str
    nonce: str
    skill: str | None
    status: str
    path: str | None
    sha256: str | None
    content: str
    description: str | None
    founded_as: str | None
    heading: str
    successor: str | None
    workspace: str | None
    target: str | None
    forbidden: str | None
    is_suspended: bool

    def memory(self) -> Memory:
        """Return what is to be written."""
        return Memory(
            note=self.note, nonce=self.nonce, content=self.content, skill=self.skill, description=self.description
        )

    def landed(self) -> Landed:
        """Return what is to be taken away."""
        return Landed(
            note=self.note,
            skill=self.skill,
            path=self.path or "",
            sha256=self.sha256 or "",
            heading=self.heading,
            successor=self.successor,
        )


def read(means: Means, which: UUID) -> Asked | None:
    """Return a landing as it is now."""
    with means.session.transaction() as transaction:
        return transaction.one(Asked, "worker_landing", which)


def run(means: Means, *, landing: UUID) -> None:
    """Land what is pending, unless its agent is suspended; see that what was withdrawn is not there.

    Raises:
        WorkspaceRefused: the workspace is not to be had for the moment.
    """
    asked = read(means, landing)
    if asked is None or asked.status in {"landed", "drifted"}:
        return
    if asked.status != "pending":
        take_away(means, asked)
    elif asked.forbidden is not None:
        _refuse(means, asked, f"may-not-receive: {asked.forbidden}")
    elif asked.is_suspended:
        _clear(means, asked)
    else:
        _land(means, asked)


def take_away(means: Means, asked: Asked) -> None:
    """See that a memory is not in a workspace, whatever wrote it.

    Raises:
        WorkspaceRefused: it cannot be told, or not be removed.
    """
    workspace = workspaces.of(means.workspaces, asked.workspace, asked.target)
    try:
        landing.remove(workspace, asked.landed())
    except WorkspaceRefused as error:
        if error.rule != "absent" or asked.path is not None:
            raise


def _land(means: Means, asked: Asked) -> None:
    try:
        workspace = workspaces.fit(means.workspaces, asked.workspace, asked.target)
        landed = _written(workspace, asked)
    except (WorkspaceRefused, RequestInvalid) as error:
        if workspaces.passes(error):
            raise
        _refuse(means, asked, workspaces.why(error))
        return
    if _say_landed(means, asked, landed):
        means.metrics.landing("landed")
        return
    now = read(means, asked.id)
    if now is None or now.status not in {"landed", "drifted"}:
        take_away(means, asked)
    if now is not None and now.status == "pending" and (now.forbidden is not None or not now.is_suspended):
        _refuse(means, asked, f"may-not-receive: {now.forbidden or 'changed'}")


def _written(workspace: Workspace, asked: Asked) -> Landed:
    try:
        return landing.land(workspace, asked.memory())
    except WorkspaceRefused as error:
        if error.rule != "no-skill" or asked.founded_as is None:
            raise
    return landing.land(workspace, replace(asked.memory(), description=asked.founded_as))


def _say_landed(means: Means, asked: Asked, landed: Landed) -> bool:
    """Record a landing; False where it was withdrawn meanwhile, or its recipient may not have it now."""
    try:
        with means.session.transaction() as transaction:
            transaction.run("worker_ledger_lock")
            return transaction.value("worker_landing_landed", asked.id, landed.path, landed.sha256) is not None
    except psycopg.errors.CheckViolation as error:
        if error.diag.constraint_name not in _MAY_NOT:
            raise
        return False


def _refuse(means: Means, asked: Asked, reason: str) -> None:
    """Record that a memory does not land; an earlier attempt of this landing may have written it, so it is taken away.

    One that may stand in a file which nobody can change stays pending: what is refused is never looked at again.

    Raises:
        WorkspaceRefused: the workspace is not to be had for the moment, or what stands there cannot be told.
    """
    _clear(means, asked)
    with means.session.transaction() as transaction:
        transaction.run("worker_ledger_lock")
        transaction.value("worker_landing_refused", asked.id, reason)
    means.metrics.landing("refused")


def _clear(means: Means, asked: Asked) -> None:
    """Take away what an earlier attempt may have written."""
    try:
        take_away(means, asked)
    except WorkspaceRefused as error:
        if workspaces.passes(error) or _may_stand(means, asked):
            raise


def _may_stand(means: Means, asked: Asked) -> bool:
    try:
        return landing.mentions(workspaces.of(means.workspaces, asked.workspace, asked.target), asked.note)
    except WorkspaceRefused as error:
        return workspaces.passes(error)
