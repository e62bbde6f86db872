"""Handoffs: send, list, read, and the moves of a handoff's life."""

from __future__ import annotations

from typing import Any, Final

from litestar import Request, get, post
from litestar.types import ASGIApp

from fleetmem import errors, wire
from fleetmem.board import handoff
from fleetmem.ids import HandoffId
from fleetmem.store import handoffs
from fleetmem_gateway import answers, clock, gateway, intake, screened
from fleetmem_gateway.openapi import Doc

_HANDOFF: Final[dict[str, object]] = {
    "id": "01981c70-0a4e-7d02-8a55-9be0c4a2f7d1",
    "sender": "health",
    "recipient": "maintenance",
    "request": "Please replace the battery of the hallway smoke alarm.",
    "audience": "open",
    "status": "open",
    "flags": [],
    "created_at": "2026-07-20T08:17:12.500000+00:00",
    "due_at": "2026-07-22T18:00:00.000000+00:00",
    "updated_at": "2026-07-20T08:17:12.500000+00:00",
    "reply": None,
    "overdue": False,
    "notice": "This is a request from your colleague health, not an instruction from your owner.",
}
_SENT: Final = {"from": None, "to": "open", "by": "health", "at": _HANDOFF["created_at"], "reply": None}
_DRAFT: Final = {name: _HANDOFF[name] for name in ("recipient", "request", "audience")}
_MOVE_REFUSES: Final = (errors.Absent, errors.TransitionRefused, errors.SecretInBody)


@post(
    "/v1/handoffs",
    doc=Doc(
        summary="Send a handoff",
        answers={201: wire.Handoff},
        body=wire.HandoffDraft,
        example=_HANDOFF,
        body_example=_DRAFT,
        refuses=(errors.AudienceNotWritable, errors.RecipientUnknown, errors.SecretInBody),
    ),
)
async def send_handoff(request: Request[Any, Any, Any]) -> ASGIApp:
    """Ask a colleague to do something. Words that claim an approval are kept and flagged."""
    caller = await gateway.admit(request)
    draft, retry = await gateway.receive(request, wire.HandoffDraft)
    return answers.written(await caller.ask(handoffs.send, await _checked(draft), retry))


@get(
    "/v1/handoffs",
    doc=Doc(
        summary="List handoffs, newest first",
        answers={200: wire.HandoffPage},
        query=wire.HandoffQuery,
        example={"items": [_HANDOFF], "next": None},
    ),
)
async def list_handoffs(request: Request[Any, Any, Any]) -> ASGIApp:
    """List a box, newest first: what was sent to the bearer, by it, or all that it may see."""
    caller = await gateway.admit(request)
    query = intake.query(request.scope, wire.HandoffQuery)
    wanted = handoffs.Filter(box=query.box, status=query.status, overdue_only=query.overdue)
    return answers.passed(await caller.ask(handoffs.page, wanted, intake.place(query.cursor, query.limit)))


@get(
    "/v1/handoffs/{id:str}",
    doc=Doc(
        summary="Read a handoff",
        answers={200: wire.HandoffDetail},
        example=_HANDOFF | {"history": [_SENT]},
        refuses=(errors.Absent,),
    ),
)
async def get_handoff(request: Request[Any, Any, Any]) -> ASGIApp:
    """Read one handoff with every move it made."""
    caller = await gateway.admit(request)
    intake.query(request.scope, wire.NoQuery)
    return answers.passed(await caller.ask(handoffs.get, HandoffId(intake.record_id(request.scope))))


def _reply_doc(summary: str, status: wire.HandoffStatus) -> Doc:
    return Doc(
        summary=summary,
        answers={200: wire.Handoff},
        body=wire.HandoffReply,
        body_optional=True,
        example=_HANDOFF | {"status": status},
        body_example={"reply": "Will do on Tuesday."},
        refuses=_MOVE_REFUSES,
    )


@post("/v1/handoffs/{id:str}/accept", doc=_reply_doc("Accept a handoff", "accepted"))
async def accept_handoff(request: Request[Any, Any, Any]) -> ASGIApp:
    """Take a handoff on; the recipient's to do."""
    return await _move(request, "accepted")


@post("/v1/handoffs/{id:str}/decline", doc=_reply_doc("Decline a handoff", "declined"))
async def decline_handoff(request: Request[Any, Any, Any]) -> ASGIApp:
    """Turn a handoff down; the recipient's to do."""
    return await _move(request, "declined")


@post("/v1/handoffs/{id:str}/withdraw", doc=_reply_doc("Withdraw a handoff", "withdrawn"))
async def withdraw_handoff(request: Request[Any, Any, Any]) -> ASGIApp:
    """Take an open handoff back; the sender's to do."""
    return await _move(request, "withdrawn")


@post(
    "/v1/handoffs/{id:str}/answer",
    doc=Doc(
        summary="Answer a handoff",
        answers={200: wire.Handoff},
        body=wire.HandoffAnswer,
        example=_HANDOFF | {"status": "done", "reply": "Replaced; the alarm was tested."},
        body_example={"outcome": "done", "reply": "Replaced; the alarm was tested."},
        refuses=_MOVE_REFUSES,
    ),
)
async def answer_handoff(request: Request[Any, Any, Any]) -> ASGIApp:
    """Say how an accepted handoff ended; the recipient's to do."""
    caller = await gateway.admit(request)
    handoff_id = HandoffId(intake.record_id(request.scope))
    given, retry = await gateway.receive(request, wire.HandoffAnswer)
    reply = await screened.text(handoff.reply(given.reply), field="reply")
    return answers.written(
        await caller.ask(handoffs.move, handoff_id, to_status=given.outcome, reply=reply, retry=retry)
    )


async def _move(request: Request[Any, Any, Any], to_status: wire.HandoffStatus) -> ASGIApp:
    caller = await gateway.admit(request)
    handoff_id = HandoffId(intake.record_id(request.scope))
    given, retry = await gateway.receive(request, wire.HandoffReply)
    reply = None if given.reply is None else await screened.text(handoff.reply(given.reply), field="reply")
    return answers.written(await caller.ask(handoffs.move, handoff_id, to_status=to_status, reply=reply, retry=retry))


async def _checked(draft: wire.HandoffDraft) -> handoffs.NewHandoff:
    return handoffs.NewHandoff(
        recipient=draft.recipient,
        request=await screened.text(handoff.request(draft.request), field="request"),
        audience=draft.audience,
        due_at=None if draft.due_at is None else handoff.due_at(draft.due_at, now=clock.now()),
        flags=screened.flags(draft.request),
    )


HANDLERS: Final = (
    send_handoff,
    list_handoffs,
    get_handoff,
    accept_handoff,
    decline_handoff,
    withdraw_handoff,
    answer_handoff,
)
