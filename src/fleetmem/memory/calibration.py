"""Calibrations: the evidence behind a threshold, read strictly. Without evidence of the model that runs, nothing is routed.

A calibration names the labelled file and the model by their hashes, carries the scorer's numbers, and says what was measured at
the threshold, on teams that the scorer had not seen, with the bounds of each share's 95 % interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import msgspec

from fleetmem.errors import RequestInvalid
from fleetmem.memory.likeness import MEASURES
from fleetmem.memory.scorer import Head, Scorer, Term, couples

FORM: Final = "fleetmem-routing-1"

Unit = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Sha256 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a calibration; nothing in it is ignored."""


class Share(_Strict, frozen=True):
    """`found` of `of`; with the bounds of the 95 % interval, which must be those that follow from the two."""

    found: Count
    of: Count
    share: Unit
    low: Unit
    high: Unit


class Source(_Strict, frozen=True):
    """The labelled file: its name, its hash, who made its labels, and how much it holds."""

    name: Name
    sha256: Sha256
    labels: Literal["human", "synthetic"]
    teams: Annotated[int, msgspec.Meta(ge=2)]
    notes: Annotated[int, msgspec.Meta(ge=1)]


class Model(_Strict, frozen=True):
    """The model whose vectors were scored, and the occupations beside it."""

    name: Name
    sha256: Sha256
    arithmetic: Name
    occupations: Name


class Measured(_Strict, frozen=True):
    """What was measured at the threshold, each team judged by a scorer that had not seen it."""

    precision: Share
    recall: Share
    top1: Share
    nobody_misrouted: Share
    foreign_misrouted: Share
    precision_with_accepted: Share
    recall_with_accepted: Share


class Weights(_Strict, frozen=True):
    """One head: an intercept, (mean, scale, weight) for each measure, and a weight for every two, written `a b`."""

    intercept: float
    terms: dict[str, tuple[float, float, float]]
    together: dict[str, float]


class Calibration(_Strict, frozen=True):
    """The whole record, as the file holds it."""

    form: Literal["fleetmem-routing-1"]
    source: Source
    model: Model
    threshold: Annotated[float, msgspec.Meta(gt=0, lt=1)]
    target_precision: Unit
    measured: Measured
    profile: Weights
    accepted: Weights

    @property
    def scorer(self) -> Scorer:
        """Return the scorer that this calibration is of."""
        return Scorer(_head(self.profile), _head(self.accepted), self.threshold)


def read(raw: bytes) -> Calibration:
    """Read a calibration.

    Raises:
        RequestInvalid: it is malformed, incomplete, holds what is none of ours, or contradicts itself.
    """
    try:
        found = msgspec.json.decode(raw, type=Calibration)
    except msgspec.DecodeError as error:
        raise RequestInvalid(f"no calibration: {error}", field="CALIBRATION", rule="format") from error
    for name in ("profile", "accepted"):
        _check_head(name, getattr(found, name))
    for name in Measured.__struct_fields__:
        _check_share(name, getattr(found.measured, name))
    return found


def write(calibration: Calibration) -> bytes:
    """Write a calibration as `read` reads it, the same bytes for the same numbers."""
    return msgspec.json.format(msgspec.json.encode(calibration), indent=1) + b"\n"


def share(found: int, of: int) -> Share:
    """Return a share with its interval; of nothing it is 0, anywhere from 0 to 1.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.
    """
    if not of:
        return Share(0, 0, 0.0, 0.0, 1.0)
    portion, spread = found / of, _Z * _Z / of
    centre = (portion + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(portion * (1 - portion) / of + spread / (4 * of)) / (1 + spread)
    low = 0.0 if not found else max(centre - half, 0.0)
    high = 1.0 if found == of else min(centre + half, 1.0)
    return Share(found, of, round(portion, 4), round(low, 4), round(high, 4))


@dataclass(frozen=True, slots=True)
class Row:
    """What the database keeps of a calibration, in its own columns. `evidence` is the whole record, as JSON."""

    kind: str
    file_name: str
    file_sha256: str
    labels: str
    model: str
    model_sha256: str
    threshold: float
    precision: float
    precision_low: float
    recall: float
    recall_low: float
    evidence: Any


def row(calibration: Calibration) -> Row:
    """Return a calibration's columns."""
    precision, recall = calibration.measured.precision, calibration.measured.recall
    return Row(
        kind="routing",
        file_name=calibration.source.name,
        file_sha256=calibration.source.sha256,
        labels=calibration.source.labels,
        model=calibration.model.name,
        model_sha256=calibration.model.sha256,
        threshold=calibration.threshold,
        precision=precision.share,
        precision_low=precision.low,
        recall=recall.share,
        recall_low=recall.low,
        evidence=msgspec.to_builtins(calibration),
    )


def _head(weights: Weights) -> Head:
    return Head(
        weights.intercept,
        {name: Term(*numbers) for name, numbers in weights.terms.items()},
        {(pair.split(" ")[0], pair.split(" ")[1]): weight for pair, weight in weights.together.items()},
    )


def _check_head(name: str, weights: Weights) -> None:
    if set(weights.terms) != set(MEASURES):
        raise RequestInvalid(f"`{name}` must weigh exactly {', '.join(MEASURES)}", field=name, rule="measures")
    if set(weights.together) != {" ".join(pair) for pair in couples(MEASURES)}:
        raise RequestInvalid(f"`{name}` must weigh exactly every two of its measures", field=name, rule="measures")
    alone = [number for three in weights.terms.values() for number in three]
    numbers = [weights.intercept, *alone, *weights.together.values()]
    if not all(math.isfinite(number) for number in numbers) or any(three[1] <= 0 for three in weights.terms.values()):
        raise RequestInvalid(f"`{name}` needs numbers, and scales above 0", field=name, rule="numbers")


def _check_share(name: str, told: Share) -> None:
    if told.found > told.of or told != share(told.found, told.of):
        raise RequestInvalid(f"`{name}` does not follow from {told.found} of {told.of}", field=name, rule="share")


_Z: Final = 1.959964
