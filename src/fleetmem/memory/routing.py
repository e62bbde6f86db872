"""Routing: which members of a team a memory is for, and where it goes in each one's workspace. Pure and deterministic.

The audience rule has been applied before: whoever calls passes the members that hold every audience of the note, and the
database holds whatever comes out to the same rule again. What is decided here can only narrow that set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from fleetmem.errors import RequestInvalid
from fleetmem.memory import likeness
from fleetmem.memory.likeness import Profile, World
from fleetmem.memory.profile import Similar
from fleetmem.memory.scorer import Scorer


class Verdict(StrEnum):
    """What became of one member."""

    MATCH = "match"
    FALLBACK = "fallback"  # nobody was near enough, so the nearest was taken, and a person must look
    BELOW_THRESHOLD = "below_threshold"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One member, its score (0 to 1) and what became of it."""

    agent: str
    score: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Decision:
    """Every member's outcome, best score first (then by name)."""

    outcomes: tuple[Outcome, ...]
    threshold: float

    @property
    def recipients(self) -> tuple[str, ...]:
        """Return who receives, best score first: at least one."""
        return tuple(each.agent for each in self.outcomes if each.verdict is not Verdict.BELOW_THRESHOLD)

    @property
    def is_fallback(self) -> bool:
        """Tell whether nobody reached the threshold."""
        return self.outcomes[0].verdict is Verdict.FALLBACK


def decide(
    text: str,
    members: Sequence[Profile],
    similar: Similar,
    seen: World,
    scorer: Scorer,
    *,
    rivals: Sequence[Profile] = (),
) -> Decision:
    """Decide who receives a note.

    `members` are those who may; `rivals` are the rest of the team, whom the note is compared with and who never receive it:
    without them a note for somebody who may not have it would look as if it were for the next best.

    Raises:
        RequestInvalid: there is no member, or two have one name.
    """
    names = [each.member.agent for each in (*members, *rivals)]
    if not members:
        raise RequestInvalid("a note cannot be routed among no members", field="members", rule="empty")
    if len(set(names)) < len(names):
        raise RequestInvalid("two members have one name", field="members", rule="unique")
    measured = likeness.measure(likeness.sight(text, similar, seen), (*members, *rivals), similar)
    scores = {
        each.member.agent: scorer.score(values, is_taught=each.is_taught)
        for each, values in zip(members, measured, strict=False)
    }
    return verdicts(scores, scorer.threshold)


def verdicts(scores: dict[str, float], threshold: float) -> Decision:
    """Turn scores into verdicts: everyone at or above the threshold, else the one nearest to it as a fallback."""
    ranked = sorted(scores.items(), key=lambda each: (-each[1], each[0]))
    nobody = ranked[0][1] < threshold
    return Decision(
        tuple(
            Outcome(agent, score, _verdict(score, threshold, is_fallback=nobody and place == 0))
            for place, (agent, score) in enumerate(ranked)
        ),
        threshold,
    )


def _verdict(score: float, threshold: float, *, is_fallback: bool) -> Verdict:
    if is_fallback:
        return Verdict.FALLBACK
    return Verdict.MATCH if score >= threshold else Verdict.BELOW_THRESHOLD
