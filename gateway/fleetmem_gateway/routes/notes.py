"""Review: what teams' work was distilled into, and what operators decide about it. Auditors look."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from litestar import Request, get, post
from litestar.types import ASGIApp

from fleetmem import errors, wire
from fleetmem.store import notes
from fleetmem_gateway import answers, gateway, intake, redrafted
from fleetmem_gateway.openapi import Doc


@get("/v1/notes", doc=Doc(summary="List notes", answers={200: wire.NotePage}, query=wire.NoteQuery))
async def list_notes(request: Request[Any, Any, Any]) -> ASGIApp:
    """List notes, newest first: what was distilled, who would receive it, and where it stands."""
    caller = await gateway.admit(request)
    query = intake.query(request.scope, wire.NoteQuery)
    place = intake.place(query.cursor, query.limit)
    return answers.passed(
        await caller.ask(notes.page, caller.bearer.rol, status=query.status, team=query.team, place=place)
    )


@get("/v1/notes/{id:str}", doc=Doc(summary="Read a note", answers={200: wire.NoteDetail}, refuses=(errors.Absent,)))
async def get_note(request: Request[Any, Any, Any]) -> ASGIApp:
    """Read everything that a reviewer decides on: texts, sources, recipients, denials, the exact bytes, what was decided."""
    caller = await gateway.admit(request)
    intake.query(request.scope, wire.NoQuery)
    return answers.passed(await caller.ask(notes.get, caller.bearer.rol, intake.record_id(request.scope)))


@get(
    "/v1/notes/{id:str}/recall",
    doc=Doc(summary="Follow a note", answers={200: wire.Recall}, refuses=(errors.Absent,)),
)
async def recall_note(request: Request[Any, Any, Any]) -> ASGIApp:
    """Say who ever held a note, whether it is gone, and which records they wrote meanwhile; never what those say."""
    caller = await gateway.admit(request)
    intake.query(request.scope, wire.NoQuery)
    return answers.passed(await caller.ask(notes.recall, caller.bearer.rol, intake.record_id(request.scope)))


@post(
    "/v1/notes/{id:str}/approve",
    doc=Doc(
        summary="Approve a note",
        answers={200: wire.NoteDecision},
        body=wire.Approval,
        refuses=(
            errors.Absent,
            errors.NoteDecided,
            errors.NoteEdited,
            errors.NoteUnfit,
            errors.NoteQuarantined,
            errors.NoteRecipients,
            errors.SecretInBody,
        ),
    ),
)
async def approve_note(request: Request[Any, Any, Any]) -> ASGIApp:
    """Sign the revision that was seen; with the last signature it needs, the note is approved and lands."""
    caller = gateway.operator(await gateway.admit(request))
    note = intake.record_id(request.scope)
    given, retry = await gateway.receive(request, wire.Approval)
    remark = await redrafted.remark(given.remark)
    return answers.written(await caller.ask(notes.approve, note, revision=given.revision, remark=remark, retry=retry))


@post(
    "/v1/notes/{id:str}/edit",
    doc=Doc(
        summary="Edit a candidate",
        answers={200: wire.NoteDecision},
        body=wire.NoteEdit,
        refuses=(
            errors.Absent,
            errors.NoteDecided,
            errors.NoteEdited,
            errors.NoteRecipients,
            errors.SecretInBody,
        ),
    ),
)
async def edit_note(request: Request[Any, Any, Any]) -> ASGIApp:
    """Change a candidate's words, or who receives it: fewer, or other members of its team, never past its audiences."""
    caller = gateway.operator(await gateway.admit(request))
    note = intake.record_id(request.scope)
    given, retry = await gateway.receive(request, wire.NoteEdit)
    seen = msgspec.json.decode(await caller.ask(notes.get, caller.bearer.rol, note), type=wire.NoteDetail)
    return answers.written(await caller.ask(notes.edit, note, await redrafted.edit(given, seen), retry))


@post(
    "/v1/notes/{id:str}/reject",
    doc=Doc(
        summary="Reject a candidate",
        answers={200: wire.NoteDecision},
        body=wire.Rejection,
        body_optional=True,
        refuses=(errors.Absent, errors.NoteDecided, errors.SecretInBody),
    ),
)
async def reject_note(request: Request[Any, Any, Any]) -> ASGIApp:
    """Decide that a candidate becomes no memory."""
    caller = gateway.operator(await gateway.admit(request))
    note = intake.record_id(request.scope)
    given, retry = await gateway.receive(request, wire.Rejection)
    return answers.written(await caller.ask(notes.reject, note, await redrafted.remark(given.remark), retry))


@post(
    "/v1/notes/{id:str}/revoke",
    doc=Doc(
        summary="Revoke a note",
        answers={200: wire.NoteDecision},
        body=wire.NoteRevocation,
        body_optional=True,
        refuses=(errors.Absent, errors.NoteDecided, errors.SecretInBody),
    ),
)
async def revoke_note(request: Request[Any, Any, Any]) -> ASGIApp:
    """Take an approved note back, from one agent or from all; it takes effect on an agent's next run."""
    caller = gateway.operator(await gateway.admit(request))
    note = intake.record_id(request.scope)
    given, retry = await gateway.receive(request, wire.NoteRevocation)
    remark = await redrafted.remark(given.remark)
    return answers.written(await caller.ask(notes.revoke, note, agent=given.agent, remark=remark, retry=retry))


@post(
    "/v1/segments/{id:str}/reset",
    doc=Doc(
        summary="Distil a segment again",
        answers={200: wire.SegmentReset},
        body=wire.Nothing,
        body_optional=True,
        refuses=(errors.Absent, errors.Conflict),
    ),
)
async def reset_segment(request: Request[Any, Any, Any]) -> ASGIApp:
    """Undo the notes of a segment that nobody decided about, and send it through the pipeline again."""
    caller = gateway.operator(await gateway.admit(request))
    segment = intake.record_id(request.scope)
    _, retry = await gateway.receive(request, wire.Nothing)
    return answers.written(await caller.ask(notes.reset, segment, retry))


HANDLERS: Final = (
    list_notes,
    get_note,
    recall_note,
    approve_note,
    edit_note,
    reject_note,
    revoke_note,
    reset_segment,
)
