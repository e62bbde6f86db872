"""Messages of a team: post and list."""

from __future__ import annotations

from typing import Any, Final

from litestar import Request, get, post
from litestar.types import ASGIApp

from fleetmem import errors, wire
from fleetmem.board import capture
from fleetmem.ids import RunId, TaskId
from fleetmem.store import messages
from fleetmem_gateway import answers, gateway, intake, screened
from fleetmem_gateway.openapi import Doc

_MESSAGE: Final[dict[str, object]] = {
    "id": "01981d03-1f77-7c08-9b1d-5e0a44c9d217",
    "team": "website",
    "task": "01981d02-5c1b-7a90-8e44-0c2f9a1be7d3",
    "run": None,
    "author": "security",
    "speaker": "agent",
    "body": "The frontend needs only the public API contract.",
    "audience": "client",
    "created_at": "2026-07-20T09:14:50.031000+00:00",
}
_WIDE: Final = 4


@post(
    "/v1/teams/{team:str}/messages",
    doc=Doc(
        summary="Post a message",
        answers={201: wire.PostedMessage},
        body=wire.MessageDraft,
        example=_MESSAGE | {"redacted_by": []},
        body_example={"body": _MESSAGE["body"], "audience": _MESSAGE["audience"], "task": _MESSAGE["task"]},
        refuses=(errors.Absent, errors.AudienceNotWritable, errors.TaskSettled),
    ),
)
async def post_message(request: Request[Any, Any, Any]) -> ASGIApp:
    """Say something within a team. Secrets in it are rewritten before it is kept."""
    caller = await gateway.admit(request)
    team = intake.plain_name(request.scope, "team")
    draft, retry = await gateway.receive(request, wire.MessageDraft, times=_WIDE)
    return answers.written(await caller.ask(messages.post, await _checked(team, draft), retry))


@get(
    "/v1/teams/{team:str}/messages",
    doc=Doc(
        summary="List a team's messages, oldest first",
        answers={200: wire.MessagePage},
        query=wire.MessageQuery,
        example={"items": [_MESSAGE], "next": None},
        refuses=(errors.Absent,),
    ),
)
async def list_messages(request: Request[Any, Any, Any]) -> ASGIApp:
    """List what a team said as far as the bearer may see it, in the order it was committed."""
    caller = await gateway.admit(request)
    team = intake.plain_name(request.scope, "team")
    query = intake.query(request.scope, wire.MessageQuery)
    place = intake.place_after(query.after, query.cursor, query.limit)
    task = None if query.task is None else TaskId(query.task)
    return answers.passed(await caller.ask(messages.page, team, task, place))


async def _checked(team: str, draft: wire.MessageDraft) -> messages.NewMessage:
    body = capture.words(draft.body, field="body", longest=capture.LONGEST_MESSAGE)
    kept = await screened.redacted({"body": body})
    return messages.NewMessage(
        team=team,
        body=kept.texts["body"][: capture.LONGEST_MESSAGE],
        audience=draft.audience,
        speaker=draft.speaker,
        task=None if draft.task is None else TaskId(draft.task),
        run=None if draft.run is None else RunId(draft.run),
        redacted_by=kept.rules,
    )


HANDLERS: Final = (post_message, list_messages)
