"""Calibration: a scorer fitted to labelled notes, and evidence of what it does on teams that it was not fitted to.

Each team is judged by a scorer fitted to the other teams' agents and notes alone. The threshold is the lowest at which those
judgements together reach the precision asked for; then the scorer that ships is fitted to all teams.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np

from fleetmem.admin.routing_corpus import Corpus
from fleetmem.admin.routing_measure import Pair, Tallies, tally
from fleetmem.errors import RequestInvalid
from fleetmem.memory import calibration
from fleetmem.memory.calibration import Calibration, Measured, Model, Source, Weights
from fleetmem.memory.likeness import MEASURES
from fleetmem.memory.scorer import WIDEST, Head, Term, couples
from fleetmem.models.encoder import Identity

FEWEST_TEAMS: Final = 3


def calibrate(
    corpus: Corpus,
    found: Sequence[Pair],
    identity: Identity,
    occupations: str,
    *,
    labels: Literal["human", "synthetic"],
    precision: float,
) -> Calibration:
    """Fit a scorer and gather its evidence.

    Raises:
        RequestInvalid: there are fewer than three teams, or no threshold reaches the precision.
    """
    if len(corpus.teams) < FEWEST_TEAMS:
        raise RequestInvalid(f"calibration needs {FEWEST_TEAMS} teams", field="FILE", rule="teams")
    plain = _judged(found, lambda pair: pair.plain, corpus)
    taught = [pair for pair in found if pair.richer is not None]
    richer = _judged(taught, _richer, corpus)
    threshold = _threshold(found, plain, precision)
    shift = _logit(threshold) - _logit(_threshold(taught, richer, precision - _GIVEN_AWAY))
    bare = tally(found, lambda pair: plain[id(pair)], threshold)
    more = tally(taught, lambda pair: _moved(richer[id(pair)], shift), threshold)
    return Calibration(
        form=calibration.FORM,
        source=Source(corpus.name, corpus.sha256, labels, len(corpus.teams), len(corpus.notes)),
        model=Model(identity.model, identity.sha256, identity.arithmetic, occupations),
        threshold=threshold,
        target_precision=precision,
        measured=_measured(bare, more),
        profile=_weights(fit([(pair.plain, pair.is_recipient) for pair in found if pair.is_home]), 0.0),
        accepted=_weights(fit([(_richer(pair), pair.is_recipient) for pair in taught]), shift),
    )


def _measured(bare: Tallies, more: Tallies) -> Measured:
    return Measured(
        precision=bare.precision,
        recall=bare.recall,
        top1=bare.top1,
        nobody_misrouted=bare.nobody_misrouted,
        foreign_misrouted=bare.foreign_misrouted,
        precision_with_accepted=more.precision,
        recall_with_accepted=more.recall,
    )


def _judged(found: Sequence[Pair], measures: Callable[[Pair], Mapping[str, float]], corpus: Corpus) -> dict[int, float]:
    """Return every pair's score, by `id`, from the scorer that saw neither the pair's team nor any of its notes."""
    scores: dict[int, float] = {}
    for team in corpus.teams:
        head = fit([(measures(pair), pair.is_recipient) for pair in found if pair.is_home and pair.team != team])
        scores |= {id(pair): head.score(measures(pair)) for pair in found if pair.team == team}
    return scores


def _richer(pair: Pair) -> Mapping[str, float]:
    return pair.richer or {}


def _threshold(found: Sequence[Pair], scores: Mapping[int, float], precision: float) -> float:
    """Return the lowest score at and above which the home pairs have the precision.

    Raises:
        RequestInvalid: none has.
    """
    ranked = sorted(((scores[id(pair)], pair.is_recipient) for pair in found if pair.is_home), reverse=True)
    right, best = 0, None
    for place, (score, is_recipient) in enumerate(ranked, start=1):
        right += is_recipient
        is_last_of_its_score = place == len(ranked) or ranked[place][0] < score
        if is_last_of_its_score and place >= _FEWEST_MATCHES and right / place >= precision:
            best = score
    if best is None:
        raise RequestInvalid(f"no threshold reaches a precision of {precision}", field="FILE", rule="precision")
    return math.floor(best * _GRAIN) / _GRAIN


def fit(labelled: Sequence[tuple[Mapping[str, float], bool]]) -> Head:
    """Fit a logistic head with a quadratic penalty, by Newton's method: the same numbers for the same labels."""
    values = np.array([[measured[name] for name in MEASURES] for measured, _ in labelled])
    labels = np.array([float(label) for _, label in labelled])
    mean, scale = values.mean(axis=0), np.maximum(values.std(axis=0), _LEAST_SCALE)
    standard = np.clip((values - mean) / scale, -WIDEST, WIDEST)
    one, other = np.triu_indices(len(MEASURES))
    inputs = np.hstack([standard, standard[:, one] * standard[:, other], np.ones((len(labels), 1))])
    weights = [round(float(each), 6) for each in _newton(inputs, labels)]
    terms = {
        name: Term(round(float(middle), 6), round(float(spread), 6), weight)
        for name, middle, spread, weight in zip(MEASURES, mean, scale, weights[: len(MEASURES)], strict=True)
    }
    return Head(weights[-1], terms, dict(zip(couples(MEASURES), weights[len(MEASURES) : -1], strict=True)))


def _newton(inputs: Any, labels: Any) -> Any:
    penalty = np.full(inputs.shape[1], _PENALTY)
    penalty[-1] = 0.0  # the intercept is free
    weights = np.zeros(inputs.shape[1])
    for _ in range(_ROUNDS):
        likely = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (likely - labels) + penalty * weights
        bend = (inputs * (likely * (1 - likely))[:, None]).T @ inputs + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < _STILL:
            break
    return weights


def _weights(head: Head, shift: float) -> Weights:
    return Weights(
        round(head.intercept + shift, 6),
        {name: (term.mean, term.scale, term.weight) for name, term in head.terms.items()},
        {" ".join(pair): weight for pair, weight in head.together.items()},
    )


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def _moved(score: float, shift: float) -> float:
    return 1 / (1 + math.exp(-(_logit(score) + shift)))


# Measured with each team left out: as good from 50 to 200, and more at the top than without products (docs/calibration.md).
_PENALTY: Final = 50.0
# Accepted notes have been seen by a person: where they are known, this much precision is given for a third more recall.
_GIVEN_AWAY: Final = 0.01
_ROUNDS: Final = 50
_STILL: Final = 1e-9
_LEAST_SCALE: Final = 1e-6
_FEWEST_MATCHES: Final = 20
_GRAIN: Final = 10_000
