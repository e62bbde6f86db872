"""What is measured of a note and each member of a team, and how it becomes one score.

Nine measures. How a member compares with the others of its team says more than how near it is, because some notes are near to
everybody; how it compares with strangers keeps away what is nobody's. docs/calibration.md says what each is worth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final

from fleetmem.memory import occupations as trades
from fleetmem.memory import wording
from fleetmem.memory.occupations import Occupations, Strengths
from fleetmem.memory.profile import Member, Similar, phrases
from fleetmem.memory.wording import Rarity, Weights

PROFILE: Final = (
    "phrases",
    "occupation",
    "wording",
    "over_strangers",
    "phrases_over_next",
    "occupation_over_next",
    "wording_over_next",
    "phrases_over_rest",
    "occupation_over_rest",
)
ACCEPTED: Final = ("accepted", "accepted_over_next")
"""Two more, where accepted notes of a member are known."""


@dataclass(frozen=True, slots=True)
class World:
    """What every team is seen against: the occupations, and how rare letters are in them."""

    occupations: Occupations
    rarity: Rarity


@dataclass(frozen=True, slots=True)
class Profile:
    """A member, measured once."""

    member: Member
    phrases: tuple[str, ...]
    focus: Strengths
    strangers: tuple[int, ...]
    weights: Weights


@dataclass(frozen=True, slots=True)
class _Near:
    phrases: float
    occupation: float
    wording: float
    over_strangers: float
    accepted: float | None


def world(occupations: Occupations) -> World:
    """Measure the world once."""
    return World(occupations, Rarity([" ".join(occupations.lines[start:end]) for start, end in occupations.spans]))


def profile(member: Member, similar: Similar, seen: World) -> Profile:
    """Measure a member: which occupations it resembles, and which are strangers to it."""
    said = phrases(member)
    rows = [trades.strengths(seen.occupations, row) for row in similar(said, seen.occupations.lines)]
    near = tuple(trades.resemblance(column) for column in zip(*rows, strict=True))
    own = sorted(near, reverse=True)[min(_OWN, len(near)) - 1]
    strangers = tuple(place for place, each in enumerate(near) if each < own)
    return Profile(member, said, trades.focus(near), strangers, seen.rarity.weigh(member.text))


def measure(text: str, team: Sequence[Profile], similar: Similar, seen: World) -> list[dict[str, float]]:
    """Return the measures of a note with each member of a team, in the team's order.

    The cost is one call of `similar` for the occupations and one for all the phrases.
    """
    near = trades.strengths(seen.occupations, similar([text], seen.occupations.lines)[0])
    focus, weights = trades.focus(near), seen.rarity.weigh(text)
    said = [phrase for each in team for phrase in (*each.phrases, *each.member.exemplars)]
    cosines = iter(similar([text], said)[0])
    found = []
    for each in team:
        own = trades.resemblance([next(cosines) for _ in each.phrases])
        accepted = sorted((next(cosines) for _ in each.member.exemplars), reverse=True)[:2]
        found.append(
            _Near(
                phrases=own,
                occupation=sum(map(mul, focus, each.focus)),
                wording=wording.overlap(weights, each.weights),
                over_strangers=own - _best(near, each.strangers),
                accepted=sum(accepted) / len(accepted) if accepted else None,
            )
        )
    return [_compared(each, [other for other in found if other is not each]) for each in found]


def _best(near: Strengths, places: Sequence[int]) -> float:
    best = sorted((near[place] for place in places), reverse=True)[:_STRANGERS]
    return sum(best) / len(best) if best else 0.0


def _compared(own: _Near, others: Sequence[_Near]) -> dict[str, float]:
    """Put a member beside the others of its team; alone, it counts as equal to a second."""
    rest = others or [own]
    return _accepted(own, others) | {
        "phrases": own.phrases,
        "occupation": own.occupation,
        "wording": own.wording,
        "over_strangers": own.over_strangers,
        "phrases_over_next": own.phrases - max(each.phrases for each in rest),
        "occupation_over_next": own.occupation - max(each.occupation for each in rest),
        "wording_over_next": own.wording - max(each.wording for each in rest),
        "phrases_over_rest": own.phrases - math.fsum(each.phrases for each in rest) / len(rest),
        "occupation_over_rest": own.occupation - math.fsum(each.occupation for each in rest) / len(rest),
    }


def _accepted(own: _Near, others: Sequence[_Near]) -> dict[str, float]:
    """Return the two measures of a member that has accepted notes; none for one that has not."""
    if own.accepted is None:
        return {}
    rest = [each.accepted for each in others if each.accepted is not None]
    return {"accepted": own.accepted, "accepted_over_next": own.accepted - max(rest, default=own.accepted)}


# An agent's own occupations, which are no strangers to it; and how many strangers a note is held against.
_OWN: Final = 8
_STRANGERS: Final = 3
