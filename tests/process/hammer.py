"""Agents that ask a running gateway without a pause, and remember when each request was sent and how it was answered."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Final

import httpx

_PAUSE_S: Final = 0.005
Token = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Answer:
    """One request: when it left and when it was answered, in Unix seconds as the database counts them too."""

    method: str
    sent_s: float
    answered_s: float
    status: int
    code: str

    @property
    def is_good(self) -> bool:
        return self.status in {200, 201}


@dataclass(slots=True)
class Hammer:
    """One agent's requests over one kept-alive connection, a read and a write in turn."""

    who: str
    token: Token
    answers: list[Answer] = field(default_factory=list)

    def good(self) -> list[Answer]:
        return [each for each in self.answers if each.is_good]

    def bad(self) -> list[Answer]:
        return [each for each in self.answers if not each.is_good]

    def sent_after(self, moment_s: float) -> list[Answer]:
        return [each for each in self.answers if each.sent_s > moment_s]

    async def swing(self, url: str) -> None:
        async with httpx.AsyncClient(base_url=url, timeout=20) as client:
            for number in count():
                await self._ask(client, "GET", "/v1/me", None)
                body = {"topic": f"hammer-{self.who}-{number % 5}", "body": f"{number}", "audience": "open"}
                await self._ask(client, "POST", "/v1/beats", body)
                await asyncio.sleep(_PAUSE_S)

    async def _ask(self, client: httpx.AsyncClient, method: str, path: str, body: object) -> None:
        token = self.token()
        sent_s = now_s()
        answer = await client.request(method, path, headers={"Authorization": f"Bearer {token}"}, json=body)
        code = "" if answer.is_success else answer.json()["code"]
        self.answers.append(Answer(method, sent_s, now_s(), answer.status_code, code))
        if answer.is_success and method == "GET":
            assert answer.json()["name"] == self.who


@asynccontextmanager
async def swinging(url: str, *hammers: Hammer) -> AsyncIterator[None]:
    """Let them ask for as long as the block lasts, and see that none broke off."""
    tasks = [asyncio.create_task(each.swing(url)) for each in hammers]
    try:
        await until(lambda: all(len(each.answers) > 5 for each in hammers))
        yield
        running = [len(each.answers) for each in hammers]
        await until(lambda: all(len(each.answers) > seen for each, seen in zip(hammers, running, strict=True)))
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(each, asyncio.CancelledError) for each in ended), ended


async def until(true: Callable[[], bool], *, within_s: float = 30) -> None:
    async with asyncio.timeout(within_s):
        while not true():  # noqa: ASYNC110 -- what is waited for happens in another process
            await asyncio.sleep(0.02)


def now_s() -> float:
    return time.time()  # noqa: TID251 -- compared with moments that the database recorded
