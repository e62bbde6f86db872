"""What the handlers of one service share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar, cast

import msgspec
from litestar import Request

from fleetmem.errors import Forbidden
from fleetmem.fleet.agent import Rol
from fleetmem.store.session import Retry, Session
from fleetmem.wire import NoQuery
from fleetmem_gateway import intake, trace
from fleetmem_gateway.auth import Caller, Door
from fleetmem_gateway.limits import Places
from fleetmem_gateway.metrics import Metrics

T = TypeVar("T", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """One running service."""

    session: Session
    door: Door
    metrics: Metrics
    bodies: Places
    wide_bodies: Places
    body_limit_bytes: int
    body_wait_s: float
    fence_version: str


def of(request: Request[Any, Any, Any]) -> Gateway:
    """Find the service that a request came to."""
    return cast("Gateway", request.app.state.gateway)


async def admit(request: Request[Any, Any, Any]) -> Caller:
    """Find out who sent a request.

    Raises:
        Unauthenticated: nobody we know.
        RateLimited: somebody who sends too fast.
    """
    return await of(request).door.admit(request.scope)


def operator(caller: Caller) -> Caller:
    """Say no to an auditor in so many words; the database would take its claim for no claim at all.

    Raises:
        Forbidden: the bearer is an auditor.
    """
    if caller.bearer.rol is not Rol.OPERATOR:
        raise Forbidden("Auditors look on and change nothing")
    return caller


async def receive(request: Request[Any, Any, Any], shape: type[T], *, times: int = 1) -> tuple[T, Retry]:
    """Read what a POST asks for, and what makes it safe to send twice; its body may be `times` the usual limit.

    Raises:
        RequestInvalid: the query, the body or the idempotency key breaks a rule.
        RateLimited: too many bodies of this bearer are on their way already.
    """
    intake.query(request.scope, NoQuery)
    here = of(request)
    places = here.bodies if times == 1 else here.wide_bodies
    with places.held(trace.of(request.scope).bearer or ""):
        given = await intake.body(request, shape, limit_bytes=here.body_limit_bytes * times, wait_s=here.body_wait_s)
    return given, intake.retry(request.scope, given)
