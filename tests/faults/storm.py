"""Faults, each with how it begins and how it ends, and a run of them under load."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.faults.load import Notes, served, working
from tests.faults.rig import Rig
from tests.faults.verdict import Verdict, judge

_PATIENCE_S: Final = 60


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that happens to the fleet, lasts `lasts_s` seconds, and is over after `end`; a death ends by itself."""

    name: str
    begin: Callable[[Rig], None]
    end: Callable[[Rig], None] = lambda _: None
    lasts_s: float = 0.0


def _mend(rig: Rig) -> None:
    rig.front.mend()
    rig.back.mend()


PATH: Final = (
    Fault("the path to the gateway resets", lambda rig: rig.front.reset()),
    Fault("the path to the gateway stalls", lambda rig: rig.front.stall(), _mend, 2.5),
    Fault("the path to the gateway cuts requests and answers short", lambda rig: rig.front.cut(90), _mend, 0.6),
    Fault("the path to the database resets", lambda rig: rig.back.reset()),
    Fault("the path to the database stalls", lambda rig: rig.back.stall(), _mend, 2.5),
    Fault("the path to the database cuts messages short", lambda rig: rig.back.cut(37), _mend, 0.6),
)
DEATHS_OF_POSTGRES: Final = (
    Fault("Postgres is killed", Rig.kill_postgres),
    Fault("one backend is killed", Rig.kill_a_backend),
)
DEATHS_OF_THE_GATEWAY: Final = (
    Fault("the gateway is killed", Rig.kill_gateway),
    Fault("one worker of the gateway is killed", Rig.kill_a_worker),
    Fault("the gateway's parent process is killed", Rig.kill_gateway_main),
)
DEATHS: Final = (*DEATHS_OF_POSTGRES, *DEATHS_OF_THE_GATEWAY)


@dataclass(slots=True)
class Account:
    """What a run did, and what came of it."""

    notes: Notes
    faults: Counter[str] = field(default_factory=Counter)
    recoveries_s: dict[str, list[float]] = field(default_factory=dict)
    verdict: Verdict | None = None

    def sentences(self) -> list[str]:
        assert self.verdict is not None
        counts = self.notes.counts
        return [
            f"{sum(self.faults.values())} faults: {self.verdict.sentence}",
            f"{counts['reads']} lists read, {counts['rows read']} rows in them, each whole and its reader's to see",
            *(
                f"{name}: {len(times)} x, everyone served again after {max(times):.1f} s at most"
                for name, times in sorted(self.recoveries_s.items())
            ),
        ]


async def weather(
    rig: Rig, tokens: dict[str, str], faults: Iterable[Fault], *, between_s: float, seed: int = 0
) -> Account:
    """Let agents work while the faults happen one after another; then hold every row against every promise."""
    chance = random.Random(seed)  # noqa: S311 -- spreads moments, guards nothing
    account = Account(Notes())
    notes = account.notes
    async with working(rig.url, tokens, notes):
        await served(notes, list(tokens), since_s=time.monotonic())
        for fault in faults:
            await asyncio.sleep(between_s * (0.5 + chance.random()))
            fault.begin(rig)
            await asyncio.sleep(fault.lasts_s)
            fault.end(rig)
            account.faults[fault.name] += 1
            took_s = await _recovery(rig, notes, list(tokens))
            account.recoveries_s.setdefault(fault.name, []).append(took_s)
    with rig.owner() as owner:
        account.verdict = judge(owner, notes)
    return account


async def _recovery(rig: Rig, notes: Notes, names: list[str]) -> float:
    since_s = time.monotonic()
    try:
        return await served(notes, names, since_s=since_s, within_s=_PATIENCE_S)
    except TimeoutError as error:
        without = [name for name in names if notes.last_ack_s.get(name, 0) <= since_s]
        where = [f"{name} is at {_place(notes.tasks[name])}" for name in without]
        raise AssertionError("\n".join(("not served again:", *where, *rig.symptoms()))) from error


def _place(task: asyncio.Task[None]) -> str:
    """Say where an agent waits: each line of the chain of awaits, outermost first."""
    if task.done():
        return f"its end: {task!r}"
    chain: list[str] = []
    waiting: Any = task.get_coro()
    while waiting is not None:
        frame = (
            getattr(waiting, "cr_frame", None)
            or getattr(waiting, "ag_frame", None)
            or getattr(waiting, "gi_frame", None)
        )
        if frame is not None:
            chain.append(f"{frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno} {frame.f_code.co_name}")
        waiting = (
            getattr(waiting, "cr_await", None)
            or getattr(waiting, "ag_await", None)
            or getattr(waiting, "gi_yieldfrom", None)
        )
    return " > ".join(chain)
