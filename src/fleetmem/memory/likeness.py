"""What is measured of a note and each member of a team.

Nine measures. How a member compares with the others of its team says more than how near it is, because some notes are near to
everybody; how it compares with strangers keeps away what is nobody's. docs/calibration.md says what was found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import islice
from operator import mul
from typing import Final

from fleetmem.memory import occupations as trades
from fleetmem.memory import wording
from fleetmem.memory.occupations import Occupations, Strengths
from fleetmem.memory.profile import Member, Similar, phrases
from fleetmem.memory.wording import Rarity, Weights

MEASURES: Final = (
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


@dataclass(frozen=True, slots=True)
class World:
    """What every team is seen against: the occupations, and how rare letters are in them."""

    occupations: Occupations
    rarity: Rarity


@dataclass(frozen=True, slots=True)
class Sight:
    """A note, measured once: how near each occupation is, and their places, nearest first."""

    text: str
    near: Strengths
    nearest: tuple[int, ...]
    focus: Strengths
    weights: Weights


@dataclass(frozen=True, slots=True)
class Profile:
    """A member, measured once. `is_taught`: accepted notes have told more of its occupations than its own words."""

    member: Member
    phrases: tuple[str, ...]
    focus: Strengths
    strangers: frozenset[int]
    weights: Weights
    is_taught: bool = False


@dataclass(frozen=True, slots=True)
class _Near:
    phrases: float
    occupation: float
    wording: float
    over_strangers: float


def world(occupations: Occupations) -> World:
    """Measure the world once."""
    return World(occupations, Rarity([" ".join(occupations.lines[start:end]) for start, end in occupations.spans]))


def sight(text: str, similar: Similar, seen: World) -> Sight:
    """Measure a note: which occupations it resembles."""
    near = trades.strengths(seen.occupations, similar([text], seen.occupations.lines)[0])
    nearest = tuple(sorted(range(len(near)), key=near.__getitem__, reverse=True))
    return Sight(text, near, nearest, trades.focus(near), seen.rarity.weigh(text))


def profile(member: Member, similar: Similar, seen: World) -> Profile:
    """Measure a member: which occupations it and the notes accepted for it resemble, and which are strangers to it."""
    said = phrases(member)
    rows = [trades.strengths(seen.occupations, row) for row in similar(said, seen.occupations.lines)]
    near = tuple(trades.resemblance(column) for column in zip(*rows, strict=True))
    own = nlargest(_OWN, near)[-1]
    strangers = frozenset(place for place, each in enumerate(near) if each < own)
    bare = Profile(member, said, trades.focus(near), strangers, seen.rarity.weigh(member.text))
    return taught(bare, [sight(each, similar, seen) for each in member.exemplars])


def taught(bare: Profile, accepted: Sequence[Sight]) -> Profile:
    """Return the profile as accepted notes complete it: they and the member's own words count half each."""
    if not accepted:
        return bare
    theirs = _unit([math.fsum(column) for column in zip(*(each.focus for each in accepted), strict=True)])
    return replace(bare, focus=_unit([a + b for a, b in zip(bare.focus, theirs, strict=True)]), is_taught=True)


def measure(note: Sight, team: Sequence[Profile], similar: Similar) -> list[dict[str, float]]:
    """Return the measures of a note with each member of a team, in the team's order."""
    cosines = iter(similar([note.text], [phrase for each in team for phrase in each.phrases])[0])
    found = []
    for each in team:
        own = trades.resemblance([next(cosines) for _ in each.phrases])
        strangers = list(islice((note.near[at] for at in note.nearest if at in each.strangers), _STRANGERS))
        found.append(
            _Near(
                phrases=own,
                occupation=sum(map(mul, note.focus, each.focus)),
                wording=wording.overlap(note.weights, each.weights),
                over_strangers=own - sum(strangers) / len(strangers) if strangers else own,
            )
        )
    return [_compared(each, [other for other in found if other is not each]) for each in found]


def _compared(own: _Near, others: Sequence[_Near]) -> dict[str, float]:
    """Put a member beside the others of its team; alone, it counts as equal to a second."""
    rest = others or [own]
    return {
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


def _unit(vector: Sequence[float]) -> Strengths:
    length = math.sqrt(math.fsum(each * each for each in vector))
    return tuple(each / length for each in vector)


# An agent's own occupations, which are no strangers to it; and how many strangers a note is held against.
_OWN: Final = 8
_STRANGERS: Final = 3
