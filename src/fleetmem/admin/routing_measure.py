"""How routing does on labelled notes: every note against every team, its own and the others'.

Precision and recall count pairs of a note and an agent of its own team; a fallback is no match, since a person decides it. A
note for nobody is misrouted when anyone matches, and so is a note shown to a team that it is not from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fleetmem.admin import routing_corpus
from fleetmem.admin.routing_corpus import Corpus
from fleetmem.memory import calibration, likeness
from fleetmem.memory.calibration import Share
from fleetmem.memory.likeness import Profile, Sight, World
from fleetmem.memory.scorer import Scorer

if TYPE_CHECKING:
    from fleetmem.models.space import Space  # it needs NumPy, whose absence is told when the model is opened

Measures = Mapping[str, float]
ACCEPTED_NOTES: Final = 5


@dataclass(frozen=True, slots=True)
class Pair:
    """A note and an agent of the team it was shown to.

    `richer` counts accepted notes of the agent in; None where it has none, and for another team's note.
    """

    note: int
    team: str
    is_home: bool
    agent: str
    is_recipient: bool
    plain: Measures
    richer: Measures | None


@dataclass(frozen=True, slots=True)
class Tallies:
    """What came out for some notes."""

    precision: Share
    recall: Share
    top1: Share
    abstained: Share
    nobody_misrouted: Share
    foreign_misrouted: Share

    @property
    def leaked(self) -> int:
        """Return how many pairs matched that should not have."""
        return self.precision.of - self.precision.found


def pairs(corpus: Corpus, space: Space, seen: World) -> list[Pair]:
    """Measure every note with every team."""
    space.learn([*seen.occupations.lines, *routing_corpus.texts(corpus)])
    sights = {text: likeness.sight(text, space.similar, seen) for text in routing_corpus.texts(corpus)}
    teams = {
        name: [likeness.profile(member, space.similar, seen) for member in members]
        for name, members in corpus.teams.items()
    }
    return [pair for number in range(len(corpus.notes)) for pair in _of_note(corpus, number, teams, sights, space)]


def _of_note(
    corpus: Corpus,
    number: int,
    teams: Mapping[str, Sequence[Profile]],
    sights: Mapping[str, Sight],
    space: Space,
) -> Iterator[Pair]:
    note = corpus.notes[number]
    for team, profiles in teams.items():
        is_home = team == note.team
        plain = likeness.measure(sights[note.text], profiles, space.similar)
        richer: Sequence[Measures | None] = [None] * len(profiles)
        if is_home:
            more = [_taught(corpus, number, each, sights) for each in profiles]
            measured = likeness.measure(sights[note.text], more, space.similar)
            richer = [values if each.is_taught else None for each, values in zip(more, measured, strict=True)]
        for profile, bare, rich in zip(profiles, plain, richer, strict=True):
            agent = profile.member.agent
            yield Pair(number, team, is_home, agent, is_home and agent in note.recipients, bare, rich)


def _taught(corpus: Corpus, number: int, profile: Profile, sights: Mapping[str, Sight]) -> Profile:
    accepted = routing_corpus.accepted(corpus, corpus.notes[number], profile.member.agent, ACCEPTED_NOTES)
    return likeness.taught(profile, [sights[text] for text in accepted])


def known(pair: Pair, scorer: Scorer) -> float:
    """Return a pair's score where the accepted notes that there are, are known."""
    return scorer.score(pair.plain if pair.richer is None else pair.richer, is_taught=pair.richer is not None)


def tally(found: Sequence[Pair], score: Callable[[Pair], float], threshold: float) -> Tallies:
    """Count what a score does at a threshold."""
    scored = [(pair, score(pair)) for pair in found]
    home = [(pair, value) for pair, value in scored if pair.is_home]
    matched = [pair.is_recipient for pair, value in home if value >= threshold]
    wanted = [value >= threshold for pair, value in home if pair.is_recipient]
    notes = _grouped(home)
    for_some = [group for group in notes if any(pair.is_recipient for pair, _ in group)]
    for_nobody = [group for group in notes if not any(pair.is_recipient for pair, _ in group)]
    foreign = _grouped([(pair, value) for pair, value in scored if not pair.is_home])
    return Tallies(
        precision=calibration.share(sum(matched), len(matched)),
        recall=calibration.share(sum(wanted), len(wanted)),
        top1=calibration.share(sum(_best(group).is_recipient for group in for_some), len(for_some)),
        abstained=calibration.share(sum(not _reaches(group, threshold) for group in notes), len(notes)),
        nobody_misrouted=calibration.share(sum(_reaches(group, threshold) for group in for_nobody), len(for_nobody)),
        foreign_misrouted=calibration.share(sum(_reaches(group, threshold) for group in foreign), len(foreign)),
    )


Scored = tuple[Pair, float]


def _grouped(scored: Sequence[Scored]) -> list[list[Scored]]:
    groups: dict[tuple[int, str], list[Scored]] = {}
    for pair, value in scored:
        groups.setdefault((pair.note, pair.team), []).append((pair, value))
    return list(groups.values())


def _best(group: Sequence[Scored]) -> Pair:
    return min(group, key=lambda each: (-each[1], each[0].agent))[0]


def _reaches(group: Sequence[Scored], threshold: float) -> bool:
    return any(value >= threshold for _, value in group)
