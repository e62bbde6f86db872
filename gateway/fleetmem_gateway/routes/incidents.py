"""Incidents: what a person should look at. Operators close them, auditors look."""

from __future__ import annotations

from typing import Any, Final

from litestar import Request, get, post
from litestar.types import ASGIApp

from fleetmem import errors, wire
from fleetmem.store import incidents
from fleetmem_gateway import answers, gateway, intake, redrafted
from fleetmem_gateway.openapi import Doc


@get("/v1/incidents", doc=Doc(summary="List incidents", answers={200: wire.IncidentPage}, query=wire.IncidentQuery))
async def list_incidents(request: Request[Any, Any, Any]) -> ASGIApp:
    """List incidents, newest first: quarantines, drift, landings that failed, and what a revoked note left behind."""
    caller = await gateway.admit(request)
    query = intake.query(request.scope, wire.IncidentQuery)
    place = intake.place(query.cursor, query.limit)
    return answers.passed(
        await caller.ask(incidents.page, caller.bearer.rol, status=query.status, kind=query.kind, place=place)
    )


@post(
    "/v1/incidents/{id:str}/close",
    doc=Doc(
        summary="Close an incident",
        answers={200: wire.Incident},
        body=wire.IncidentClosing,
        refuses=(errors.Absent, errors.Conflict, errors.SecretInBody),
    ),
)
async def close_incident(request: Request[Any, Any, Any]) -> ASGIApp:
    """Say what an incident was: a real one, or none."""
    caller = gateway.operator(await gateway.admit(request))
    incident = intake.record_id(request.scope)
    given, retry = await gateway.receive(request, wire.IncidentClosing)
    remark = await redrafted.remark(given.remark)
    return answers.written(
        await caller.ask(incidents.close, incident, outcome=given.outcome, remark=remark, retry=retry)
    )


HANDLERS: Final = (list_incidents, close_incident)
