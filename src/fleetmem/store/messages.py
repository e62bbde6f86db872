"""Messages of a team: posted and listed. Each function is one statement under the signed `claim`.

Answers are JSON documents as Postgres renders them; `wire.PostedMessage` and `wire.MessagePage` are their shape.
"""

from __future__ import annotations

from dataclasses import dataclass

from fleetmem.ids import RunId, TaskId
from fleetmem.store.session import Place, Retry, Session, Written
from fleetmem.wire import Speaker


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message to post, checked; `redacted_by` names the rules that found secrets in it."""

    team: str
    body: str
    audience: str
    speaker: Speaker
    task: TaskId | None
    run: RunId | None
    redacted_by: tuple[str, ...]


async def post(session: Session, claim: str, message: NewMessage, retry: Retry) -> Written:
    """Post a message; it comes after every message of its team that was committed before.

    Raises:
        Absent: the team, the task or the run is absent or hidden, or the run is another agent's.
        AudienceNotWritable: the team does not carry the audience, or the bearer does not write for it.
        TaskSettled: the task is settled.
    """
    return await session.write(
        "message_post",
        claim,
        retry.key,
        retry.sha256,
        message.team,
        message.body,
        message.audience,
        message.speaker,
        message.task,
        message.run,
        list(message.redacted_by),
    )


async def page(session: Session, claim: str, team: str, task: TaskId | None, place: Place) -> bytes:
    """Read what a team said, oldest first, after the message `place.before`, as far as the bearer may see it.

    Raises:
        Absent: there is no such team, or the bearer is no member of it.
    """
    return await session.read("message_list", claim, team, task, place.before, place.size)
