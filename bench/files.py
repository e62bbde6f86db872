"""A memory's file alone, written and taken away by the lander in this process: what is left of a landing without its queue."""

import os
import secrets
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeVar

from bench.report import Row
from fleetmem import landing
from fleetmem.landing import Memory, Workspace

T = TypeVar("T")

_NAME: Final = "bench"
_INSTRUCTIONS: Final = "You keep the house in order."
_CONTENT: Final = "Visitors must ring at the garden gate and never use the cellar door while the pump runs."


class _Clock:
    """Milliseconds of each act, and how many of them went by in fsync."""

    def __init__(self) -> None:
        self.acts_ms: list[float] = []
        self.syncs_ms: list[float] = []

    def timed(self, act: Callable[[], T]) -> T:
        with _counted_syncs() as syncs_s:
            started = time.perf_counter()
            done = act()
            self.acts_ms.append(1000 * (time.perf_counter() - started))
        self.syncs_ms.append(1000 * sum(syncs_s))
        return done

    def row(self, section: str, what: str) -> Row:
        return Row(section, what, {"p50": median(self.acts_ms), "of it fsync": median(self.syncs_ms)})


def measure(root: Path, section: str, *, rounds: int) -> list[Row]:
    """Found a skill and take it away again, that many times, in a workspace of its own below `root`."""
    workspace = Workspace(root=root, name=_NAME)
    landing.prepare(workspace)
    landing.instruct(workspace, _INSTRUCTIONS)
    writing, removing = _Clock(), _Clock()
    for _ in range(rounds):
        memory = Memory(
            note=uuid.uuid4(),
            nonce=secrets.token_hex(16),
            content=_CONTENT,
            skill="visitors",
            description="When visitors come.",
        )
        landed = writing.timed(lambda: landing.land(workspace, memory))  # noqa: B023 -- called at once
        removing.timed(lambda: landing.remove(workspace, landed))  # noqa: B023
    return [writing.row(section, "of it, the file written"), removing.row(section, "of it, the file taken away")]


@contextmanager
def _counted_syncs() -> Iterator[list[float]]:
    """Hold the seconds of each fsync of this process while the block lasts."""
    system: Any = os
    sync, spent_s = os.fsync, list[float]()

    def counted(descriptor: int) -> None:
        started = time.perf_counter()
        sync(descriptor)
        spent_s.append(time.perf_counter() - started)

    system.fsync = counted
    try:
        yield spent_s
    finally:
        system.fsync = sync
