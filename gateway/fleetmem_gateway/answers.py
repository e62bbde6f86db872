"""Answers as ASGI applications: a status and bytes that are JSON already, sent as they are."""

from __future__ import annotations

from typing import Final

import msgspec
from litestar.types import ASGIApp, Receive, Scope, Send

from fleetmem.store.session import Written

_JSON: Final = (b"content-type", b"application/json")
_WRITTEN: Final = frozenset({200, 201})
_NEVER_STORED: Final = (b"cache-control", b"no-store")


class Answer:
    """One complete answer."""

    __slots__ = ("body", "headers", "status")

    def __init__(
        self, status: int, body: bytes, headers: tuple[tuple[bytes, bytes], ...] = (_JSON, _NEVER_STORED)
    ) -> None:
        """Answer `status` with `body`; `headers` need no Content-Length."""
        self.status = status
        self.body = body
        self.headers = headers

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send the answer; nothing of the request is read."""
        length = (b"content-length", b"%d" % len(self.body))
        await send({"type": "http.response.start", "status": self.status, "headers": [*self.headers, length]})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


def passed(document: bytes) -> ASGIApp:
    """Answer 200 with a document as Postgres rendered it."""
    return Answer(200, document)


def written(result: Written) -> ASGIApp:
    """Answer a write; a repeated first answer says so in `Idempotency-Replayed`.

    Raises:
        ValueError: a status that no write has. The server below would not survive one that HTTP does not know.
    """
    if result.status not in _WRITTEN:
        raise ValueError(f"a write cannot be answered with {result.status}")
    if result.replayed:
        return Answer(result.status, result.document, (_JSON, _NEVER_STORED, (b"idempotency-replayed", b"true")))
    return Answer(result.status, result.document)


def encoded(value: object, *, status: int = 200) -> ASGIApp:
    """Answer with a struct, encoded here."""
    return Answer(status, msgspec.json.encode(value))
