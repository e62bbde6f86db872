"""Tasks: opened, listed, read, settled. Each function is one statement under the signed `claim`.

Answers are JSON documents as Postgres renders them; `wire.OpenedTask`, `wire.Task`, `wire.TaskDetail` and `wire.TaskPage`
are their shape.
"""

from __future__ import annotations

from dataclasses import dataclass

from fleetmem.ids import TaskId
from fleetmem.store.session import Place, Retry, Session, Written
from fleetmem.wire import TaskOutcome, TaskStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTask:
    """A task to open, checked; `redacted_by` names the rules that found secrets in its prompt."""

    team: str
    prompt: str
    audience: str
    redacted_by: tuple[str, ...]


async def open_(session: Session, claim: str, task: NewTask, retry: Retry) -> Written:
    """Open a task.

    Raises:
        Absent: there is no such team, or the bearer is no member of it.
        AudienceNotWritable: the team does not carry the audience, or the bearer does not write for it.
    """
    return await session.write(
        "task_open", claim, retry.key, retry.sha256, task.team, task.prompt, task.audience, list(task.redacted_by)
    )


async def page(session: Session, claim: str, team: str, status: TaskStatus | None, place: Place) -> bytes:
    """Read a team's newest tasks, as far as the bearer may see them.

    Raises:
        Absent: there is no such team, or the bearer is no member of it.
    """
    return await session.read("task_list", claim, team, status, place.before, place.size)


async def get(session: Session, claim: str, task_id: TaskId) -> bytes:
    """Read one task with its runs.

    Raises:
        Absent: there is none, or none the bearer may see.
    """
    return await session.read("task_get", claim, task_id)


async def settle(session: Session, claim: str, task_id: TaskId, outcome: TaskOutcome, retry: Retry) -> Written:
    """Say how a task ended, as whoever opened it or ran at it.

    Raises:
        Absent: there is none, or none the bearer may see.
        Forbidden: the bearer neither opened it nor has a run in it.
        TaskSettled: it is settled already.
    """
    return await session.write("task_settle", claim, retry.key, retry.sha256, task_id, outcome)
