"""Teams: which the bearer is a member of."""

from __future__ import annotations

from typing import Any, Final

from litestar import Request, get
from litestar.types import ASGIApp

from fleetmem import wire
from fleetmem.store import teams
from fleetmem_gateway import answers, gateway, intake
from fleetmem_gateway.openapi import Doc

_TEAM: Final = {
    "name": "website",
    "description": "Keeps the client's website running",
    "audiences": ["client", "open"],
    "members": [{"name": "backend", "description": "Looks after the service and its database"}],
}


@get("/v1/teams", doc=Doc(summary="List one's teams", answers={200: wire.TeamList}, example={"items": [_TEAM]}))
async def list_teams(request: Request[Any, Any, Any]) -> ASGIApp:
    """List the active teams that the bearer is a member of, with their members."""
    caller = await gateway.admit(request)
    intake.query(request.scope, wire.NoQuery)
    return answers.passed(await caller.ask(teams.every))


HANDLERS: Final = (list_teams,)
