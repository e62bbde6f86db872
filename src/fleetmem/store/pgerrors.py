"""SQLSTATE and constraint names, turned into the error tree: the only module that knows them.

A rule the database enforces (23514) says which by its message, a stable code, or by its constraint's name. What is not
listed here is `Internal`: its text stays in the log.
"""

from __future__ import annotations

from typing import Final

import asyncpg

from fleetmem import errors
from fleetmem.errors import FleetmemError

# Constraint -> (field, rule). The gateway checks each of these first; the database has the last word.
FIELD_RULES: Final = {
    "beat_topic_length": ("topic", "too-long"),
    "beat_body_length": ("body", "too-long"),
    "beat_expires_range": ("expires_at", "range"),
    "handoff_request_length": ("request", "too-long"),
    "handoff_reply_length": ("reply", "too-long"),
    "handoff_due_range": ("due_at", "range"),
    "handoff_flags": ("request", "flags"),
    "handoff_reply_given": ("reply", "required"),
    "idempotency_key_length": ("Idempotency-Key", "format"),
    "task_prompt_length": ("prompt", "too-long"),
    "task_status": ("outcome", "choice"),
    "message_body_length": ("body", "too-long"),
    "message_speaker": ("speaker", "choice"),
    "run_node_length": ("node", "too-long"),
    "run_instruction_length": ("instruction", "too-long"),
    "run_output_length": ("output", "too-long"),
    "run_failure_length": ("failure", "too-long"),
    "run_status": ("status", "choice"),
    "span_seq": ("seq", "range"),
    "span_kind": ("kind", "choice"),
    "span_name_length": ("name", "too-long"),
    "span_body_length": ("body", "too-long"),
    "span_tokens": ("input_tokens", "too-small"),
    "context_injection_size": ("injection", "too-long"),
    "context_injection_messages": ("messages", "of-the-team"),
    "context_injection_withheld": ("withheld", "of-the-team"),
    "context_injection_dependencies": ("dependencies", "of-the-team"),
    "note_content_length": ("content", "too-long"),
    "note_description_length": ("description", "too-long"),
    "note_skill_key": ("skill_key", "too-long"),
    "note_recipient_skill": ("skill", "too-long"),
    "note_review_remark_length": ("remark", "too-long"),
    "incident_remark_length": ("remark", "too-long"),
}
_STATES: Final = {"28000": errors.TokenInvalid, "P0002": errors.Absent, "FM409": errors.IdempotencyConflict}
_TOLD: Final[tuple[type[FleetmemError], ...]] = (
    errors.TransitionRefused,
    errors.BeatEnded,
    errors.TaskSettled,
    errors.RunSettled,
    errors.RecipientUnknown,
    errors.AudienceNotWritable,
    errors.NoteDecided,
    errors.NoteEdited,
    errors.NoteQuarantined,
)
# "note.decided" is told of a recipient for a note that stands, or that somebody has signed.
_CODES: Final = {error.code: error for error in _TOLD} | {"note.decided": errors.NoteDecided}
# Conflicts that no caller tells apart by code.
_CONFLICTS: Final = {
    "note.signatures": "The note needs another reviewer's signature",
    "note.review": "A person must look at the note first",
    "incident.transition": "The incident is closed already",
    "segment.transition": "The segment has not been distilled yet",
}
_ROW_SECURITY: Final = "new row violates row-level security policy"
# Nobody's fault and over soon: connection, resources, operator intervention, time-outs, a server that only reads.
_PASSING_CLASSES: Final = ("08", "53", "57", "58")
_PASSING_STATES: Final = frozenset({"25006", "55P03", "3D000", "28P01"})
RACES: Final = frozenset({"idempotency_pkey", "beat_one_live"})
_RETRY_AFTER_S: Final = 1
# What PgBouncer says to a setting that it does not hand on: the process took it for a server.
_POOLER_UNTOLD: Final = "unsupported startup parameter"

# Every way in which the driver says that a statement failed.
FAILURES: Final = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)


def is_contention(error: BaseException) -> bool:
    """Tell whether a statement was undone whole only because another was faster, so that it may be sent again.

    Two requests with one idempotency key meet on that table's primary key; sent again, the loser reads the winner's
    answer.
    """
    if isinstance(error, asyncpg.UniqueViolationError):
        return error.constraint_name in RACES
    return isinstance(error, (asyncpg.SerializationError, asyncpg.DeadlockDetectedError))


def translate(error: BaseException) -> FleetmemError:
    """Return what a failure of the driver or of the database means to a caller."""
    if isinstance(error, asyncpg.PostgresError) and not is_contention(error):
        return _from_state(error)
    return errors.Unavailable(retry_after_s=_RETRY_AFTER_S)


def _from_state(error: asyncpg.PostgresError) -> FleetmemError:
    state = error.sqlstate or ""
    if str(error).startswith(_POOLER_UNTOLD):
        return errors.ConfigInvalid("the database is behind a pooler: set FLEETMEM_POOLER", field="FLEETMEM_POOLER")
    if state in _READ_FURTHER:
        return _READ_FURTHER[state](error)
    if state in _STATES:
        return _STATES[state]()
    if state.startswith(_PASSING_CLASSES) or state in _PASSING_STATES:
        return errors.Unavailable(retry_after_s=_RETRY_AFTER_S)
    return errors.Internal()


def _not_allowed(error: asyncpg.PostgresError) -> FleetmemError:
    message = str(error)
    if message.startswith(_ROW_SECURITY) or message == errors.AudienceNotWritable.code:
        return errors.AudienceNotWritable(field="audience")
    return errors.Forbidden()


def _broken_rule(error: asyncpg.PostgresError) -> FleetmemError:
    said = str(getattr(error, "message", None) or error)  # without the detail that the driver writes under it
    code = _CODES.get(said)
    if code is errors.RecipientUnknown:
        return code(field="recipient", rule="active-colleague")
    if code is not None:
        return code()
    if said in _ABOUT_AN_AGENT:
        return _ABOUT_AN_AGENT[said](*_agent_and_why(error))
    if said in _CONFLICTS:
        return errors.Conflict(_CONFLICTS[said])
    constraint = getattr(error, "constraint_name", None)
    if constraint in FIELD_RULES:
        field, rule = FIELD_RULES[constraint]
        return errors.RequestInvalid(f"`{field}` breaks the rule `{rule}`", field=field, rule=rule)
    return errors.Internal()


def _agent_and_why(error: asyncpg.PostgresError) -> tuple[str, str]:
    """Read what the database tells beside the code: an agent's name, and a word or sentence about it."""
    agent, _, why = (getattr(error, "detail", None) or "").partition(" ")
    return agent, why


def _may_not_receive(agent: str, why: str) -> FleetmemError:
    if not agent:
        return errors.NoteRecipients("The note must have somebody to receive it", field="recipients", rule="recipients")
    said = "reads less than went into it" if why == "audience" else "is no active member of its team"
    return errors.NoteRecipients(f"{agent} may not receive the note: it {said}", field=agent, rule=why)


def _unfit(agent: str, why: str) -> FleetmemError:
    if not why:
        return errors.NoteUnfit(f"What would be written for {agent} is not known yet", field=agent, rule="no-preview")
    return errors.NoteUnfit(
        f"The workspace of {agent} would not take the note: {why}", field=agent, rule="would-be-refused"
    )


def _unfit_text(_error: asyncpg.PostgresError) -> FleetmemError:
    return errors.RequestInvalid("A text holds a character that cannot be stored", field="body", rule="character")


_ABOUT_AN_AGENT: Final = {"note.recipients": _may_not_receive, "note.preview": _unfit}
_READ_FURTHER: Final = {"42501": _not_allowed, "23514": _broken_rule, "22021": _unfit_text, "22P05": _unfit_text}
