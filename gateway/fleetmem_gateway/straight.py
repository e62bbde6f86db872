"""A straight way to the handlers of the few addresses that agents poll.

Litestar's routing, parameters and responses cost as much again as everything this package does for a request (measured:
64 us of CPU with it, 34 without), and a request to an address without parameters needs none of it. It is the same handler
either way, a test holds the two ways' answers equal, and whatever is not known here goes to Litestar.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from litestar import Litestar, Request
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send


class StraightWay:
    """Calls the handler of an exact method and path; errors are its caller's to answer."""

    __slots__ = ("_app", "_handlers")

    def __init__(self, app: Litestar, handlers: Sequence[HTTPRouteHandler]) -> None:
        self._app = app
        self._handlers = {
            (str(method), path): handler.fn
            for handler in handlers
            for path in handler.paths
            for method in handler.http_methods
            if "{" not in path
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it to Litestar."""
        of_http = cast("HTTPScope", scope)
        is_http = str(scope["type"]) == "http"
        handler = self._handlers.get((str(of_http["method"]), of_http["path"])) if is_http else None
        if handler is None:
            await self._app(scope, receive, send)
            return
        of_http["litestar_app"] = self._app
        of_http["path_template"] = of_http["path"]
        answer: ASGIApp = await handler(Request(of_http, receive, send))
        await answer(scope, receive, send)
