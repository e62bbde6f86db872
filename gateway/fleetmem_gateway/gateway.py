"""What the handlers of one service share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from litestar import Request

from fleetmem.store.session import Session
from fleetmem_gateway.auth import Caller, Door
from fleetmem_gateway.metrics import Metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """One running service."""

    session: Session
    door: Door
    metrics: Metrics
    body_limit_bytes: int
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
