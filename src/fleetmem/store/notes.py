"""Notes as operators and auditors see them, and what operators decide; `rol` says as which somebody looks."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from fleetmem.fleet.agent import Rol
from fleetmem.store.session import Place, Retry, Session, Written


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What safety says of a note's texts: rules that redacted, rules that would quarantine it, under which policy."""

    redacted_by: tuple[str, ...]
    quarantined_by: tuple[str, ...]
    policy_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What changes of a candidate at `revision`; None stays as it is.

    `recipients` is JSON, [{"agent", "skill"}], of everyone who shall receive it. `judged` is None where no text changes.
    `reasons` are added to those for which a person must look.
    """

    revision: int
    content: str | None = None
    description: str | None = None
    severity: str | None = None
    skill_key: str | None = None
    recipients: str | None = None
    reasons: tuple[str, ...] = ()
    judged: Judged | None = None
    remark: str | None = None


async def page(session: Session, claim: str, rol: Rol, *, status: str | None, team: str | None, place: Place) -> bytes:
    """List notes, newest first, as `wire.NotePage`."""
    return await session.read("console_notes", claim, rol.value, status, team, place.before, place.size)


async def get(session: Session, claim: str, rol: Rol, note: UUID) -> bytes:
    """Read everything that a reviewer decides on, as `wire.NoteDetail`.

    Raises:
        Absent: there is no such note.
    """
    return await session.read("console_note", claim, rol.value, note)


async def recall(session: Session, claim: str, rol: Rol, note: UUID) -> bytes:
    """Read who ever held a note and what they wrote meanwhile, as `wire.Recall`.

    Raises:
        Absent: there is no such note.
    """
    return await session.read("console_note_recall", claim, rol.value, note)


async def approve(
    session: Session, claim: str, note: UUID, *, revision: int, remark: str | None, retry: Retry
) -> Written:
    """Sign a candidate as it was seen; with the last signature it needs, it is approved.

    Raises:
        Absent: there is no such note.
        NoteDecided, NoteEdited, NoteQuarantined, NoteRecipients, NoteUnfit: it cannot be approved as it stands.
    """
    return await session.write("console_note_approve", claim, retry.key, retry.sha256, note, revision, remark)


async def edit(session: Session, claim: str, note: UUID, change: Edit, retry: Retry) -> Written:
    """Change a candidate; its revision rises, and earlier signatures count no more.

    Raises:
        Absent: there is no such note.
        NoteDecided, NoteEdited, NoteRecipients: the edit is refused, and nothing of it is stored.
    """
    judged = change.judged
    return await session.write(
        "console_note_edit",
        claim,
        retry.key,
        retry.sha256,
        note,
        change.revision,
        change.content,
        change.description,
        change.severity,
        change.skill_key,
        list(change.reasons),
        [] if judged is None else list(judged.redacted_by),
        None if judged is None else list(judged.quarantined_by),
        None if judged is None else judged.policy_version,
        change.recipients,
        change.remark,
    )


async def reject(session: Session, claim: str, note: UUID, remark: str | None, retry: Retry) -> Written:
    """Decide that a candidate becomes no memory.

    Raises:
        Absent: there is no such note.
        NoteDecided: it is no candidate.
    """
    return await session.write("console_note_reject", claim, retry.key, retry.sha256, note, remark)


async def revoke(
    session: Session, claim: str, note: UUID, *, agent: str | None, remark: str | None, retry: Retry
) -> Written:
    """Take an approved note back, from one agent or from all.

    Raises:
        Absent: there is no such note, or the agent does not receive it.
        NoteDecided: it is not approved.
    """
    return await session.write("console_note_revoke", claim, retry.key, retry.sha256, note, agent, remark)


async def reset(session: Session, claim: str, segment: UUID, retry: Retry) -> Written:
    """Undo what nobody decided of a segment's notes, and send it through the pipeline again.

    Raises:
        Absent: there is no such segment.
        Conflict: it has not been distilled yet.
    """
    return await session.write("console_segment_reset", claim, retry.key, retry.sha256, segment)
