"""The asyncio client."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar
from uuid import UUID

import httpx

from fleetmem import wire
from fleetmem.client import calls, replies
from fleetmem.client.access import Access, find
from fleetmem.client.async_teamwork import AsyncTeamwork
from fleetmem.client.call import Call, Page
from fleetmem.client.patience import Patience
from fleetmem.client.transport import transport
from fleetmem.errors import TokenInvalid, Unavailable

T = TypeVar("T")


class AsyncFleetClient(AsyncTeamwork):
    """One agent's way into the fleet, for asyncio; what `FleetClient` does, it does with `await` and `async for`.

    `url`, `token` and `token_file` come from FLEETMEM_URL, FLEETMEM_TOKEN and FLEETMEM_TOKEN_FILE where they are not
    given. A token that is replaced in its file is taken up when the old one is refused. `timeout_s` bounds each try.
    `insecure` allows http:// to another machine, which shows the token to the network.

    Every method raises a class of `fleetmem.errors`. A record that is hidden from this agent and one that does not exist
    are both `Absent`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        token_file: Path | None = None,
        insecure: bool = False,
        timeout_s: float = 10.0,
        patience: Patience = Patience(),  # noqa: B008 -- frozen
    ) -> None:
        self._access = find(url=url, token=token, token_file=token_file, insecure=insecure)
        self._patience = patience
        self._http = httpx.AsyncClient(**transport(self._access, timeout_s=timeout_s))

    async def me(self) -> wire.Me:
        """Say who this agent is, what it may read and write, and who its colleagues are."""
        return await self._ask(calls.me())

    async def publish(
        self,
        topic: str,
        body: str,
        *,
        audience: str,
        expires_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> wire.Beat:
        """Publish a beat; this agent's live one on the same topic is superseded. It lives seven days unless told."""
        return await self._ask(
            calls.publish(topic, body, audience=audience, expires_at=expires_at, idempotency_key=idempotency_key)
        )

    def beats(
        self,
        *,
        topic: str | None = None,
        author: str | None = None,
        audience: str | None = None,
        since: datetime | None = None,
        live: bool = True,
        page_size: int = wire.PAGE_SIZE,
    ) -> AsyncIterator[wire.Beat]:
        """Yield the beats this agent may see, newest first, fetching page by page; only live ones unless told."""
        return self._items(
            lambda cursor: calls.beats(
                topic=topic,
                author=author,
                audience=audience,
                since=since,
                live=live,
                page_size=page_size,
                cursor=cursor,
            )
        )

    async def beat(self, beat_id: UUID | str) -> wire.Beat:
        """Read one beat, whatever its status."""
        return await self._ask(calls.beat(beat_id))

    def history(self, beat_id: UUID | str, *, page_size: int = wire.PAGE_SIZE) -> AsyncIterator[wire.Beat]:
        """Yield what a beat's author said on its topic, newest first, as far as this agent may see it."""
        return self._items(lambda cursor: calls.history(beat_id, page_size=page_size, cursor=cursor))

    async def retract(self, beat_id: UUID | str, *, idempotency_key: str | None = None) -> wire.Beat:
        """End one of this agent's own live beats; it stays readable."""
        return await self._ask(calls.retract(beat_id, idempotency_key=idempotency_key))

    async def send(
        self,
        recipient: str,
        request: str,
        *,
        audience: str,
        due_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> wire.Handoff:
        """Ask a colleague to do something. The two of you always see it; others by its audience."""
        return await self._ask(
            calls.send(recipient, request, audience=audience, due_at=due_at, idempotency_key=idempotency_key)
        )

    def inbox(
        self, *, status: wire.HandoffStatus | None = None, overdue: bool = False, page_size: int = wire.PAGE_SIZE
    ) -> AsyncIterator[wire.Handoff]:
        """Yield what was asked of this agent, newest first."""
        return self.handoffs("inbox", status=status, overdue=overdue, page_size=page_size)

    def outbox(
        self, *, status: wire.HandoffStatus | None = None, overdue: bool = False, page_size: int = wire.PAGE_SIZE
    ) -> AsyncIterator[wire.Handoff]:
        """Yield what this agent asked of others, newest first."""
        return self.handoffs("outbox", status=status, overdue=overdue, page_size=page_size)

    def handoffs(
        self,
        box: wire.Box = "visible",
        *,
        status: wire.HandoffStatus | None = None,
        overdue: bool = False,
        page_size: int = wire.PAGE_SIZE,
    ) -> AsyncIterator[wire.Handoff]:
        """Yield a box, newest first: `inbox`, `outbox`, or everything this agent may see."""
        return self._items(
            lambda cursor: calls.handoffs(box, status=status, overdue=overdue, page_size=page_size, cursor=cursor)
        )

    async def handoff(self, handoff_id: UUID | str) -> wire.HandoffDetail:
        """Read one handoff with every move it made."""
        return await self._ask(calls.handoff(handoff_id))

    async def accept(
        self, handoff_id: UUID | str, reply: str | None = None, *, idempotency_key: str | None = None
    ) -> wire.Handoff:
        """Take an open handoff on, as its recipient."""
        return await self._ask(calls.move(handoff_id, "accept", reply=reply, idempotency_key=idempotency_key))

    async def decline(
        self, handoff_id: UUID | str, reply: str | None = None, *, idempotency_key: str | None = None
    ) -> wire.Handoff:
        """Turn an open handoff down, as its recipient."""
        return await self._ask(calls.move(handoff_id, "decline", reply=reply, idempotency_key=idempotency_key))

    async def withdraw(
        self, handoff_id: UUID | str, reply: str | None = None, *, idempotency_key: str | None = None
    ) -> wire.Handoff:
        """Take an open handoff back, as its sender."""
        return await self._ask(calls.move(handoff_id, "withdraw", reply=reply, idempotency_key=idempotency_key))

    async def answer(
        self, handoff_id: UUID | str, outcome: wire.Outcome, reply: str, *, idempotency_key: str | None = None
    ) -> wire.Handoff:
        """Say how an accepted handoff ended, `done` or `failed`, as its recipient."""
        return await self._ask(calls.answer(handoff_id, outcome, reply, idempotency_key=idempotency_key))

    async def aclose(self) -> None:
        """Close the connections; the client is of no use afterwards."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._access.url)!r})"

    async def _items(self, page: Callable[[str | None], Call[Page[T]]]) -> AsyncIterator[T]:
        cursor: str | None = None
        while True:
            got = await self._ask(page(cursor))
            for item in got.items:
                yield item
            if got.next is None:
                return
            cursor = got.next

    async def _ask(self, call: Call[T]) -> T:
        tried = 0
        while True:
            access = self._access
            try:
                return replies.read(await self._send(call, access), call.shape)
            except TokenInvalid:
                if not self._has_another(access):
                    raise
                continue
            except Unavailable as error:
                tried += 1
                pause_s = self._patience.pause_s(tried, retry_after_s=error.retry_after_s, jitter=random.random())  # noqa: S311 -- spreads load, guards nothing
                if pause_s is None:
                    raise
            await asyncio.sleep(pause_s)

    def _has_another(self, refused: Access) -> bool:
        """Take up a token that has replaced the refused one in its file; tell whether there is another to try."""
        if self._access is refused:
            self._access = refused.reread()
        return self._access is not refused

    async def _send(self, call: Call[T], access: Access) -> httpx.Response:
        try:
            return await self._http.request(
                call.method,
                call.path,
                params=call.query,
                content=call.content,
                headers={**access.headers(), **call.headers},
            )
        except httpx.TransportError as error:
            raise replies.unreachable(access.url, error) from error
