"""Notes routed a second by the model that ships: one after the other, as a worker routes those of a segment, and in batches.

A note is some sixty tokens put together from what people in many trades say, so that no two are alike and nothing that is
remembered of one helps another.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from statistics import median
from typing import Final

from bench.report import Goal, Row
from bench.rounds import in_turns
from bench.sizes import Sizes
from fleetmem.admin import deployment
from fleetmem.config import Settings
from fleetmem.errors import ConfigInvalid
from fleetmem.memory.profile import Member
from fleetmem.models import recognizer
from fleetmem.models.recognizer import Recognizer
from fleetmem.sql import routing_files

_BATCH: Final = 64
_WORDS: Final = 50


def measure(settings: Settings, sizes: Sizes, say: Callable[[str], None]) -> tuple[list[Row], list[Goal]]:
    """Route notes among the agents of the roster, one at a time and in batches in turns."""
    held, members = _model(settings, say), _members(settings)
    goal = Goal(
        number="9",
        says="notes routed a second, as a worker does",
        bound=300,
        at_least=True,
        measured=None,
    )
    if held is None:
        return [], [goal]
    held.warm()
    held.decide("Whoever leaves last locks the door.", members)
    notes = iter(_notes(2 * sizes.notes))
    share = max(1, sizes.notes // sizes.rounds)

    def one_by_one() -> float:
        return _rate(held, members, [next(notes) for _ in range(share)], at_once=1)

    def in_batches() -> float:
        return _rate(held, members, [next(notes) for _ in range(share)], at_once=_BATCH)

    taken = in_turns({"one at a time": one_by_one, f"{_BATCH} encoded at once": in_batches}, rounds=sizes.rounds)
    section = f"routing among {len(members)} agents ({held.identity.model}, {held.identity.arithmetic})"
    rows = [Row(section, what, {"notes a second": median(rates)}) for what, rates in taken.items()]
    return rows, [replace(goal, measured=median(taken["one at a time"]), note=f"({held.identity.arithmetic})")]


def _model(settings: Settings, say: Callable[[str], None]) -> Recognizer | None:
    """Load the model; None, and a word about it, where it is not installed."""
    try:
        return recognizer.open_recognizer(replace(settings, recognizer="sbert", recognizer_path=None))
    except ConfigInvalid as error:
        say(f"routing is not measured: {error.detail}")
        return None


def _members(settings: Settings) -> list[Member]:
    agents = deployment.declared_roster(settings).agents
    return [Member(agent.name, agent.description, agent.instructions) for agent in agents]


def _rate(held: Recognizer, members: Sequence[Member], notes: Sequence[str], *, at_once: int) -> float:
    started = time.perf_counter()
    for first in range(0, len(notes), at_once):
        some = notes[first : first + at_once]
        if at_once > 1:
            held.space.learn(some)
        for note in some:
            held.decide(note, members)
    return len(notes) / (time.perf_counter() - started)


def _notes(count: int) -> list[str]:
    chance = Random(42)  # noqa: S311 -- texts, no secret
    words = [word for line in routing_files.world().occupations.lines for word in line.split()]
    return [" ".join(chance.choices(words, k=_WORDS)).capitalize() + "." for _ in range(count)]
