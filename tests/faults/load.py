"""Agents that read and write through whatever happens, and note down every promise they were given.

Each write carries its own idempotency key and a text that says whose it is, for whom, and its own checksum; so a text cut
short, a text that was written twice and an answer meant for somebody else can all be told by looking.
"""

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Final, TypeVar
from uuid import UUID

from fleetmem import wire
from fleetmem.client import AsyncFleetClient, Patience

# Longer than any fault lasts; a try is given up early enough that a stalled path costs little.
_PATIENCE: Final = Patience(retries=200, first_pause_s=0.05, longest_pause_s=1.0)
_TRY_S: Final = 2.0
_PAUSE_S: Final = 0.02
_TOPICS: Final = 3
_PADDING: Final = "All of this must arrive or none of it. " * 12

T = TypeVar("T")


@dataclass(slots=True)
class Write:
    """One promise asked for; `id` is the record it was given, None while nothing was acknowledged."""

    who: str
    key: str
    text: str
    audience: str
    to: str | None = None
    id: UUID | None = None


@dataclass(slots=True)
class Notes:
    """What all agents of one run asked for, were promised and saw."""

    beats: dict[str, Write] = field(default_factory=dict)
    handoffs: dict[str, Write] = field(default_factory=dict)
    moves: dict[tuple[UUID, str], str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    last_ack_s: dict[str, float] = field(default_factory=dict)
    tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def acknowledged(self) -> int:
        given = [*self.beats.values(), *self.handoffs.values()]
        return sum(each.id is not None for each in given) + len(self.moves)


def text_of(who: str, audience: str, number: int) -> str:
    head = f"by {who} for {audience} number {number} "
    return f"{head}{_PADDING}{hashlib.sha256(head.encode()).hexdigest()}"


def is_whole(text: str, *, who: str, audience: str) -> bool:
    """Tell whether a text is all there, and was written by and for whom its record says."""
    head, found, tail = text.partition(_PADDING)
    meant = head.startswith(f"by {who} for {audience} number ")
    return bool(found) and meant and tail == hashlib.sha256(head.encode()).hexdigest()


@dataclass(slots=True)
class Agent:
    """One agent at work: publishes, asks a colleague, answers what it was asked, and reads what it may."""

    name: str
    client: AsyncFleetClient
    colleague: str
    notes: Notes
    _me: wire.Me | None = None

    async def work(self) -> None:
        self._me = await self.client.me()
        for number in count():
            await self._publish(self._me.writes[number % len(self._me.writes)], number)
            await self._look(number)
            if number % 3 == 0:
                await self._send(self._me.writes[0], number)
            if number % 3 == 1:
                await self._answer()
            await asyncio.sleep(_PAUSE_S)

    async def _publish(self, audience: str, number: int) -> None:
        text = text_of(self.name, audience, number)
        write = self.notes.beats[text] = Write(self.name, f"{self.name}-b{number}", text, audience)
        got = await self._timed(
            self.client.publish(f"topic {number % _TOPICS}", text, audience=audience, idempotency_key=write.key)
        )
        self._expect(
            got.body == text and got.author == self.name, f"publish was answered with {got.id} of {got.author}"
        )
        write.id = got.id

    async def _send(self, audience: str, number: int) -> None:
        text = text_of(self.name, audience, number)
        write = Write(self.name, f"{self.name}-h{number}", text, audience, to=self.colleague)
        self.notes.handoffs[text] = write
        got = await self._timed(self.client.send(self.colleague, text, audience=audience, idempotency_key=write.key))
        self._expect(
            got.request == text and got.sender == self.name, f"send was answered with {got.id} of {got.sender}"
        )
        write.id = got.id

    async def _answer(self) -> None:
        """Take on the newest request that waits, and finish it."""
        async for asked in self.client.inbox(status="open", page_size=5):
            self._expect(asked.recipient == self.name, f"the inbox of {self.name} holds one for {asked.recipient}")
            self._whole(asked.request, asked.sender, asked.audience)
            got = await self._timed(self.client.accept(asked.id, idempotency_key=f"a-{asked.id}"))
            self._moved(asked.id, got, "accepted")
            done = self.client.answer(asked.id, "done", "It is done.", idempotency_key=f"d-{asked.id}")
            self._moved(asked.id, await self._timed(done), "done")
            return

    def _moved(self, asked: UUID, got: wire.Handoff, status: wire.HandoffStatus) -> None:
        self._expect((got.id, got.status) == (asked, status), f"{status} was answered with {got.id} {got.status}")
        self.notes.moves[asked, status] = self.name

    async def _look(self, number: int) -> None:
        assert self._me is not None
        if number % 5 == 0:
            me = await self._timed(self.client.me())
            self._expect(me == self._me, f"{self.name} was told to be {me.name}")
        seen = 0
        async for beat in self.client.beats(page_size=20):
            mine = beat.author == self.name and beat.audience in self._me.writes
            self._expect(
                mine or beat.audience in self._me.reads, f"{self.name} was shown {beat.id} for {beat.audience}"
            )
            self._whole(beat.body, beat.author, beat.audience)
            seen += 1
            if seen == 20:
                break
        async for each in self.client.handoffs(page_size=10):
            party = self.name in {each.sender, each.recipient}
            self._expect(party or each.audience in self._me.reads, f"{self.name} was shown the handoff {each.id}")
            self._whole(each.request, each.sender, each.audience)
            seen += 1
            if seen >= 30:
                break
        self.notes.counts["rows read"] += seen
        self.notes.counts["reads"] += 2

    async def _timed(self, asking: Awaitable[T]) -> T:
        since_s = time.monotonic()
        got = await asking
        now_s = time.monotonic()
        self.notes.slowest_s = max(self.notes.slowest_s, now_s - since_s)
        self.notes.last_ack_s[self.name] = now_s
        return got

    def _whole(self, text: str, who: str, audience: str) -> None:
        self._expect(
            is_whole(text, who=who, audience=audience), f"{self.name} was shown a text that is not {who}'s own"
        )

    def _expect(self, holds: bool, otherwise: str) -> None:  # noqa: FBT001 -- reads as a claim
        if not holds:
            self.notes.wrong.append(otherwise)


@asynccontextmanager
async def working(url: str, tokens: dict[str, str], notes: Notes) -> AsyncIterator[None]:
    """Let every holder of a token work for as long as the block lasts.

    Raises:
        ExceptionGroup: an agent met an error that no fault explains, or lost its patience.
    """
    names = sorted(tokens)
    clients = []
    for place, name in enumerate(names):
        client = AsyncFleetClient(url, token=tokens[name], timeout_s=_TRY_S, patience=_PATIENCE)
        clients.append(client)
        agent = Agent(name, client, names[(place + 1) % len(names)], notes)
        notes.tasks[name] = asyncio.create_task(agent.work(), name=name)
    try:
        yield
    finally:
        for task in notes.tasks.values():
            task.cancel()
        ended = await asyncio.gather(*notes.tasks.values(), return_exceptions=True)
        for client in clients:
            await client.aclose()
    broken = [each for each in ended if isinstance(each, Exception)]
    if broken:
        raise ExceptionGroup("agents broke off", broken)


async def served(notes: Notes, names: list[str], *, since_s: float, within_s: float = 30) -> float:
    """Wait until every agent was answered after `since_s`, on the monotonic clock; return how long that took.

    Raises:
        TimeoutError: the fleet did not recover.
        Exception: what an agent broke off with.
    """
    async with asyncio.timeout(within_s):
        while any(notes.last_ack_s.get(name, 0) <= since_s for name in names):
            for task in notes.tasks.values():
                if task.done():
                    task.result()
            await asyncio.sleep(0.02)
    return max(notes.last_ack_s[name] for name in names) - since_s
