"""Probes and metrics: open to whoever can reach the port, and silent about agents and records."""

from __future__ import annotations

from typing import Any, Final

from litestar import Request, get
from litestar.types import ASGIApp

from fleetmem.errors import FleetmemError, Unavailable
from fleetmem.store import fence
from fleetmem.wire import Health, NoQuery
from fleetmem_gateway import answers, gateway, intake
from fleetmem_gateway.metrics import CONTENT_TYPE
from fleetmem_gateway.openapi import Doc

_OK: Final = Health(status="ok")
_EXAMPLE: Final = {"status": "ok"}


@get("/healthz", doc=Doc(summary="Is the process alive", answers={200: Health}, example=_EXAMPLE, public=True))
async def healthz(request: Request[Any, Any, Any]) -> ASGIApp:
    """Answer, which is all there is to say; the database is not asked."""
    intake.query(request.scope, NoQuery)
    return answers.encoded(_OK)


@get(
    "/readyz",
    doc=Doc(
        summary="May requests be sent here",
        answers={200: Health},
        example=_EXAMPLE,
        refuses=(Unavailable,),
        public=True,
    ),
)
async def readyz(request: Request[Any, Any, Any]) -> ASGIApp:
    """Ask whether the database answers, and stands under the fence this process was started with."""
    intake.query(request.scope, NoQuery)
    service = gateway.of(request)
    if not await fence.is_ready(service.session):
        raise Unavailable("The database does not answer", retry_after_s=1)
    if await _version(service) != service.fence_version:
        raise Unavailable("The database is under another fence than this process", retry_after_s=10)
    return answers.encoded(_OK)


@get("/metrics")
async def metrics(request: Request[Any, Any, Any]) -> ASGIApp:
    """Write this process's metrics in Prometheus' text format."""
    return answers.Answer(200, gateway.of(request).metrics.exposition(), ((b"content-type", CONTENT_TYPE),))


async def _version(service: gateway.Gateway) -> str | None:
    try:
        return await fence.version(service.session)
    except FleetmemError:
        return None


HANDLERS: Final = (healthz, readyz, metrics)
