"""Occupations: what a text is about, told by what people do. A note and a profile that share no word still meet here.

Gabrilovich and Markovitch call this explicit semantic analysis: a text is the vector of its similarities with texts on known
subjects ("Computing Semantic Relatedness using Wikipedia-based Explicit Semantic Analysis", IJCAI 2007). The subjects here are
the lines of policies/routing/occupations.yaml.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final

from fleetmem.errors import SetupInvalid

Strengths = tuple[float, ...]
"""How near a text is to each occupation, in their order."""


@dataclass(frozen=True, slots=True)
class Occupations:
    """Every occupation's lines, in one list; `spans` says which are whose, as [start, end)."""

    version: str
    lines: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]


def parse(document: Mapping[str, object]) -> Occupations:
    """Read `title: duties | matter | matter …`.

    Raises:
        SetupInvalid: the document says something else.
    """
    version, entries = document.get("version"), document.get("occupations")
    if not isinstance(version, str) or not isinstance(entries, Mapping) or len(entries) < _FEWEST:
        raise SetupInvalid(f"occupations need a `version` and at least {_FEWEST} lines", rule="format")
    lines: list[str] = []
    spans = []
    for title, said in entries.items():
        start = len(lines)
        lines += _lines(title, said)
        spans.append((start, len(lines)))
    return Occupations(version, tuple(lines), tuple(spans))


def _lines(title: object, said: object) -> list[str]:
    parts = [part.strip() for part in said.split("|")] if isinstance(said, str) else []
    if not isinstance(title, str) or len(parts) < _PARTS or not all(parts):
        raise SetupInvalid(f"occupation {title!r} must say `duties | matter | matter …`", rule="format")
    return [title, f"{title}: {parts[0]}", *parts[1:]]


def strengths(occupations: Occupations, cosines: Sequence[float]) -> Strengths:
    """Return how near a text is to each occupation, from its cosines with every line."""
    return tuple(resemblance(cosines[start:end]) for start, end in occupations.spans)


def resemblance(cosines: Sequence[float]) -> float:
    """Return how near a text is to one that is given in parts: half the two best, half all. Needs at least one."""
    best = sorted(cosines)[-2:]
    return (sum(best) / len(best) + sum(cosines) / len(cosines)) / 2


def focus(near: Strengths) -> Strengths:
    """Return the same of unit length with all but the nearest faded out, so that a dot product compares two texts' subjects."""
    top = max(near)
    least = sorted(near, reverse=True)[min(_KEPT, len(near)) - 1]
    raised = [math.exp(_SHARPNESS * (each - top)) if each >= least else 0.0 for each in near]
    length = math.sqrt(sum(map(mul, raised, raised)))
    return tuple(each / length for each in raised)


_FEWEST: Final = 20
_PARTS: Final = 2
# Measured on the labelled notes: flat from 10 to 30, and from 12 to 40 kept.
_SHARPNESS: Final = 20.0
_KEPT: Final = 40
