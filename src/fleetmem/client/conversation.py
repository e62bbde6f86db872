"""How the blocking clients speak: ask again where that helps, and take up a token that was replaced."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self, TypeVar

import httpx

from fleetmem.client import replies
from fleetmem.client.access import Access
from fleetmem.client.call import Call, Page
from fleetmem.client.patience import Patience
from fleetmem.client.transport import transport
from fleetmem.errors import TokenInvalid, Unavailable

T = TypeVar("T")


class Conversation:
    """One bearer's connections to one service; safe to use from several threads. `timeout_s` bounds each try."""

    def __init__(self, access: Access, *, timeout_s: float, patience: Patience) -> None:
        self._access = access
        self._patience = patience
        self._http = httpx.Client(**transport(access, timeout_s=timeout_s))

    @property
    def url(self) -> str:
        """Where it speaks to."""
        return str(self._access.url).rstrip("/")

    def close(self) -> None:
        """Close the connections; the client is of no use afterwards."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._access.url)!r})"

    def _items(self, page: Callable[[str | None], Call[Page[T]]]) -> Iterator[T]:
        cursor: str | None = None
        while True:
            got = self._ask(page(cursor))
            yield from got.items
            if got.next is None:
                return
            cursor = got.next

    def _ask(self, call: Call[T]) -> T:
        tried = 0
        while True:
            access = self._access
            try:
                return replies.read(self._send(call, access), call.shape)
            except TokenInvalid:
                if not self._has_another(access):
                    raise
                continue
            except Unavailable as error:
                tried += 1
                pause_s = self._patience.pause_s(tried, retry_after_s=error.retry_after_s, jitter=random.random())  # noqa: S311 -- spreads load, guards nothing
                if pause_s is None:
                    raise
            time.sleep(pause_s)

    def _has_another(self, refused: Access) -> bool:
        """Take up a token that has replaced the refused one in its file; tell whether there is another to try."""
        if self._access is refused:
            self._access = refused.reread()
        return self._access is not refused

    def _send(self, call: Call[T], access: Access) -> httpx.Response:
        try:
            return self._http.request(
                call.method,
                call.path,
                params=call.query,
                content=call.content,
                headers={**access.headers(), **call.headers},
            )
        except httpx.TransportError as error:
            raise replies.unreachable(access.url, error) from error
