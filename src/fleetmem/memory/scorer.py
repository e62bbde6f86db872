"""The scorer: measures of a note and an agent in, one number out.

Logistic in the measures and in the products of every two of them, because two signs that agree say more than either. Its
numbers are data, made by calibration.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Final

WIDEST: Final = 4.0


def couples(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return every two of the measures, each with itself too, in their order."""
    return tuple(combinations_with_replacement(names, 2))


@dataclass(frozen=True, slots=True)
class Term:
    """One measure: where its middle is, how far it spreads, and what weight it has by itself."""

    mean: float
    scale: float
    weight: float

    def standard(self, value: float) -> float:
        """Return the value in spreads from the middle, four at most: none out of all bounds decides alone."""
        return max(-WIDEST, min(WIDEST, (value - self.mean) / self.scale))


@dataclass(frozen=True, slots=True)
class Head:
    """Terms by measure, the weights of their products, and what stands before them."""

    intercept: float
    terms: Mapping[str, Term]
    together: Mapping[tuple[str, str], float]

    def score(self, measured: Mapping[str, float]) -> float:
        """Return the probability, 0 to 1, that the agent should have the note, as far as the labels knew.

        Raises:
            KeyError: a measure is missing.
        """
        at = {name: term.standard(measured[name]) for name, term in self.terms.items()}
        alone = math.fsum(term.weight * at[name] for name, term in self.terms.items())
        total = self.intercept + alone + math.fsum(w * at[a] * at[b] for (a, b), w in self.together.items())
        return 1 / (1 + math.exp(-max(-_FAR, min(_FAR, total))))


@dataclass(frozen=True, slots=True)
class Scorer:
    """Two heads with one threshold: by profile alone, and where accepted notes of the agent are known."""

    profile: Head
    accepted: Head
    threshold: float

    def score(self, measured: Mapping[str, float], *, is_taught: bool) -> float:
        """Return the score of an agent whose measures these are; `is_taught`: they count accepted notes in."""
        return (self.accepted if is_taught else self.profile).score(measured)


_FAR: Final = 60.0
