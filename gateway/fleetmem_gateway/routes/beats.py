"""Beats: publish, list, read, retract."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from litestar import Request, get, post
from litestar.types import ASGIApp

from fleetmem import errors, wire
from fleetmem.board import beat, limits
from fleetmem.ids import BeatId
from fleetmem.store import beats
from fleetmem_gateway import answers, clock, gateway, intake, screened
from fleetmem_gateway.openapi import Doc

_BEAT: Final = {
    "id": "01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8",
    "author": "facilities",
    "topic": "Boiler service",
    "body": "The engineer comes on Thursday between 9 and 11.",
    "audience": "open",
    "status": "live",
    "created_at": "2026-07-20T08:15:30.123456+00:00",
    "expires_at": "2026-07-27T08:15:30.123456+00:00",
    "ended_at": None,
}
_PAGE: Final = {"items": [_BEAT], "next": None}
_DRAFT: Final = {"topic": _BEAT["topic"], "body": _BEAT["body"], "audience": _BEAT["audience"]}
_EVER: Final = datetime.min.replace(tzinfo=UTC)


@post(
    "/v1/beats",
    doc=Doc(
        summary="Publish a beat",
        answers={201: wire.Beat},
        body=wire.BeatDraft,
        example=_BEAT,
        body_example=_DRAFT,
        refuses=(errors.AudienceNotWritable, errors.SecretInBody),
    ),
)
async def publish_beat(request: Request[Any, Any, Any]) -> ASGIApp:
    """Publish a beat; the author's live one on the same topic, if any, is superseded."""
    caller = await gateway.admit(request)
    draft, retry = await gateway.receive(request, wire.BeatDraft)
    return answers.written(await caller.ask(beats.publish, await _checked(draft), retry))


@get(
    "/v1/beats",
    doc=Doc(summary="List beats, newest first", answers={200: wire.BeatPage}, query=wire.BeatQuery, example=_PAGE),
)
async def list_beats(request: Request[Any, Any, Any]) -> ASGIApp:
    """List the beats the bearer may see, newest first: only live ones unless `live` is false."""
    caller = await gateway.admit(request)
    query = intake.query(request.scope, wire.BeatQuery)
    return answers.passed(await caller.ask(beats.page, _filter(query), intake.place(query.cursor, query.limit)))


@get(
    "/v1/beats/{id:str}",
    doc=Doc(summary="Read a beat", answers={200: wire.Beat}, example=_BEAT, refuses=(errors.Absent,)),
)
async def get_beat(request: Request[Any, Any, Any]) -> ASGIApp:
    """Read one beat, whatever its status."""
    caller = await gateway.admit(request)
    intake.query(request.scope, wire.NoQuery)
    return answers.passed(await caller.ask(beats.get, BeatId(intake.record_id(request.scope))))


@get(
    "/v1/beats/{id:str}/history",
    doc=Doc(
        summary="Read a beat's history",
        answers={200: wire.BeatPage},
        query=wire.PageQuery,
        example=_PAGE,
        refuses=(errors.Absent,),
    ),
)
async def get_beat_history(request: Request[Any, Any, Any]) -> ASGIApp:
    """List every beat of the same author and topic that the bearer may see, newest first."""
    caller = await gateway.admit(request)
    query = intake.query(request.scope, wire.PageQuery)
    place = intake.place(query.cursor, query.limit)
    return answers.passed(await caller.ask(beats.history, BeatId(intake.record_id(request.scope)), place))


@post(
    "/v1/beats/{id:str}/retract",
    doc=Doc(
        summary="Retract a beat",
        answers={200: wire.Beat},
        body=wire.Nothing,
        body_optional=True,
        example=_BEAT | {"status": "retracted", "ended_at": "2026-07-20T09:00:00.000000+00:00"},
        refuses=(errors.Absent, errors.BeatEnded),
    ),
)
async def retract_beat(request: Request[Any, Any, Any]) -> ASGIApp:
    """End one's own live beat; it stays readable, and nothing is deleted."""
    caller = await gateway.admit(request)
    beat_id = BeatId(intake.record_id(request.scope))
    _, retry = await gateway.receive(request, wire.Nothing)
    return answers.written(await caller.ask(beats.retract, beat_id, retry))


async def _checked(draft: wire.BeatDraft) -> beats.NewBeat:
    given = draft.expires_at
    return beats.NewBeat(
        topic=await screened.text(beat.topic(draft.topic), field="topic"),
        body=await screened.text(beat.body(draft.body), field="body"),
        audience=draft.audience,
        expires_at=None if given is None else beat.expires_at(given, now=clock.now()),
    )


def _filter(query: wire.BeatQuery) -> beats.Filter:
    since = query.since
    return beats.Filter(
        topic=None if query.topic is None else beat.topic(query.topic),
        author=query.author,
        audience=query.audience,
        # Any moment of the calendar may be asked about: the one rule is how it is written.
        since=None if since is None else limits.moment(since, field="since", now=_EVER, at_most=timedelta.max),
        live_only=query.live,
    )


HANDLERS: Final = (publish_beat, list_beats, get_beat, get_beat_history, retract_beat)
