"""Wording: how many letters two texts share, weighed by how rare they are.

It finds names and terms of a trade that a model of meaning does not know.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

Weights = Mapping[str, float]


class Rarity:
    """How rare each run of letters is among some texts."""

    __slots__ = ("_inverse", "_unheld")

    def __init__(self, texts: Sequence[str]) -> None:
        """Count in how many of the texts each run stands."""
        held = Counter(run for text in texts for run in _runs(text))
        self._inverse = {run: math.log((len(texts) + 1) / (count + 1)) + 1 for run, count in held.items()}
        self._unheld = math.log(len(texts) + 1) + 1

    def weigh(self, text: str) -> Weights:
        """Return the weights of a text's runs of 3 to 5 letters, of unit length together; empty without a letter."""
        raised = {
            run: (1 + math.log(count)) * self._inverse.get(run, self._unheld) for run, count in _runs(text).items()
        }
        length = math.sqrt(sum(weight * weight for weight in raised.values()))
        return {run: weight / length for run, weight in raised.items()}


def overlap(left: Weights, right: Weights) -> float:
    """Return the cosine of two texts' weights, 0 to 1."""
    few, many = sorted((left, right), key=len)
    return math.fsum(weight * many[run] for run, weight in few.items() if run in many)


def _runs(text: str) -> Counter[str]:
    counted = Counter[str]()
    for word in _WORD.findall(text[:_LONGEST].lower()):
        padded = f" {word} "
        for size in _SIZES:
            counted.update(padded[at : at + size] for at in range(len(padded) - size + 1))
    return counted


_SIZES: Final = (3, 4, 5)
_WORD: Final = re.compile(r"\w+")
_LONGEST: Final = 8_000
