"""Who am I, and what may I do."""

from __future__ import annotations

from typing import Any, Final

from litestar import Request, get
from litestar.types import ASGIApp

from fleetmem.store import agents
from fleetmem.wire import Me, NoQuery
from fleetmem_gateway import answers, gateway, intake
from fleetmem_gateway.openapi import Doc

_EXAMPLE: Final = {
    "name": "health",
    "description": "Appointments, prescriptions and diets",
    "reads": ["health", "open"],
    "writes": ["health", "open"],
    "audiences": [{"name": "health", "description": "Medical matters"}, {"name": "open", "description": "The fleet"}],
    "colleagues": [{"name": "finance", "description": "Bills and budgets"}],
}


@get("/v1/me", doc=Doc(summary="Who the bearer is", answers={200: Me}, example=_EXAMPLE))
async def me(request: Request[Any, Any, Any]) -> ASGIApp:
    """Say who the bearer is, what it may read and write, and whom it may hand work to."""
    caller = await gateway.admit(request)
    intake.query(request.scope, NoQuery)
    return answers.passed(await caller.ask(agents.me))
