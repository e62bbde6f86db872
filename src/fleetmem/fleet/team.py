"""Teams of agents that work together, and the rules of what they may remember of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

FEWEST_MEMBERS: Final = 2
MOST_MEMBERS: Final = 8
MOST_AUDIENCES: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """One team of the roster.

    `members` are agents, in the order that the roster gives them. `audiences` are what the team's conversations carry; a
    memory of them goes to members who read all that it came from, and to nobody else. `two_person`: a memory for the whole
    team takes two reviewers.
    """

    name: str
    description: str
    members: tuple[str, ...]
    audiences: frozenset[str]
    two_person: bool = False


class OnNarrowing(StrEnum):
    """What happens to landed memory that its holder may no longer hold, once the roster says so."""

    AT_ONCE = "at_once"  # it is taken away
    PROPOSE = "propose"  # an incident is opened, and an operator decides


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRule:
    """What holds for every memory of the fleet; the defaults are the most careful ones.

    `review_all`: a person sees every memory. `auto_grant`: one that nothing speaks against is granted without a person,
    which takes a promoted calibration made from human labels whose precision is at least `least_precision` (lower bound
    of its 95 % interval, 0.5 to 1).
    """

    review_all: bool = False
    auto_grant: bool = False
    least_precision: float = 0.98
    on_narrowing: OnNarrowing = OnNarrowing.AT_ONCE


CAREFUL: Final = MemoryRule()
