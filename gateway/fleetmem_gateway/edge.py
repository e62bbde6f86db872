"""The outermost layer, around every request: its id, its log line, its metrics, and an answer whatever happens.

A HEAD is answered as its GET without the body. Method-override headers are not read.
"""

from __future__ import annotations

import os
from typing import Final, cast

from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from structlog.typing import FilteringBoundLogger

from fleetmem.ids import is_request_id
from fleetmem_gateway import clock, problems, trace
from fleetmem_gateway.metrics import Metrics
from fleetmem_gateway.trace import Trace

_UNMATCHED: Final = "unmatched"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_FAULTS: Final = 500
# What nginx logs for a client that went away before its answer; it is never sent.
_GONE: Final = 499


class Edge:
    """Wraps the application of one service."""

    __slots__ = ("_app", "_log", "_metrics")

    def __init__(self, app: ASGIApp, log: FilteringBoundLogger, metrics: Metrics) -> None:
        self._app = app
        self._log = log
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass the server's life cycle on."""
        if str(scope["type"]) == "http":
            await self._answer(cast("HTTPScope", scope), receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        started_s = clock.monotonic_s()
        about = Trace(_request_id(scope))
        trace.attach(scope, about)
        method = str(scope["method"])
        out = _Out(send, about.request_id.encode(), has_body=method != "HEAD")
        if method == "HEAD":
            scope["method"] = "GET"
        self._metrics.in_flight += 1
        try:
            await self._app(scope, receive, out.send)
        except Exception as error:  # noqa: BLE001 -- the gateway's edge: nothing may leave without an answer and a line
            if out.status:
                about.code, about.fault = "internal", {"exception": type(error).__name__}
            else:
                await problems.document(about, error)(scope, receive, out.send)
        finally:
            self._metrics.in_flight -= 1
            self._note(scope, about, method, out.status or _GONE, clock.monotonic_s() - started_s)

    def _note(self, scope: HTTPScope, about: Trace, method: str, status: int, seconds: float) -> None:
        route = str(scope.get("path_template") or _UNMATCHED)
        method = method if method in _METHODS else "OTHER"
        self._metrics.observe(method=method, route=route, status=status, seconds=seconds)
        write = self._log.error if status >= _FAULTS else self._log.info
        write(
            "request",
            method=method,
            route=route,
            status=status,
            ms=round(seconds * 1000, 2),
            request_id=about.request_id,
            bearer=about.bearer,
            **({"code": about.code} if about.code else {}),
            **about.fault,
        )


class _Out:
    """Sends an answer on, with the request's id among its headers."""

    __slots__ = ("_has_body", "_request_id", "_send", "status")

    def __init__(self, send: Send, request_id: bytes, *, has_body: bool) -> None:
        self._send = send
        self._request_id = request_id
        self._has_body = has_body
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message["headers"], (b"x-request-id", self._request_id)]
        elif message["type"] == "http.response.body" and not self._has_body:
            message["body"] = b""
        await self._send(message)


def _request_id(scope: HTTPScope) -> str:
    """Take the caller's id for its request where it has the form of one; else make one."""
    given = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-request-id"]
    return given[0] if len(given) == 1 and is_request_id(given[0]) else os.urandom(16).hex()
