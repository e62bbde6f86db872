"""The scorer: measures of a note and an agent in, one number out. Logistic; its numbers are data, made by calibration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from fleetmem.memory.likeness import ACCEPTED


@dataclass(frozen=True, slots=True)
class Term:
    """One measure's part: `weight * (value - mean) / scale`, where the fraction is held within four either way."""

    mean: float
    scale: float
    weight: float

    def part(self, value: float) -> float:
        """Return what a value adds. One measure out of all bounds cannot decide alone."""
        return self.weight * max(-_WIDEST, min(_WIDEST, (value - self.mean) / self.scale))


@dataclass(frozen=True, slots=True)
class Head:
    """Terms by measure, and what stands before them."""

    intercept: float
    terms: Mapping[str, Term]

    def score(self, measured: Mapping[str, float]) -> float:
        """Return the probability, 0 to 1, that the agent should have the note, as far as the labels knew.

        Raises:
            KeyError: a measure is missing.
        """
        total = self.intercept + math.fsum(term.part(measured[name]) for name, term in self.terms.items())
        return 1 / (1 + math.exp(-max(-_FAR, min(_FAR, total))))


@dataclass(frozen=True, slots=True)
class Scorer:
    """Two heads with one threshold: by profile alone, and where accepted notes of the agent are known."""

    profile: Head
    accepted: Head
    threshold: float

    def score(self, measured: Mapping[str, float]) -> float:
        """Return the score of an agent whose measures these are."""
        return (self.accepted if ACCEPTED[0] in measured else self.profile).score(measured)


_WIDEST: Final = 4.0
_FAR: Final = 60.0
