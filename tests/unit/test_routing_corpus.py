"""Labelled notes, what is measured on them, and the evidence that is made of them: with a fake encoder, so that it is fast."""

from pathlib import Path

import pytest

from fleetmem.admin import routing_corpus
from fleetmem.admin.routing_corpus import Corpus
from fleetmem.errors import RequestInvalid
from fleetmem.memory import calibration
from fleetmem.models.fake import Fake
from fleetmem.sql import routing_files
from tests.unit import corpus_sample

pytest.importorskip("numpy")
from fleetmem.admin import routing_fit, routing_measure
from fleetmem.admin.routing_measure import Pair
from fleetmem.models.space import Space


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return routing_corpus.read(corpus_sample.write(tmp_path_factory.mktemp("corpus") / "notes.jsonl"))


@pytest.fixture(scope="module")
def pairs(corpus: Corpus) -> list[Pair]:
    return routing_measure.pairs(corpus, Space(Fake()), routing_files.world())


def test_every_note_is_shown_to_every_team(pairs: list[Pair]) -> None:
    assert len(pairs) == 21 * 9
    assert sum(pair.is_home for pair in pairs) == 21 * 3
    assert sum(pair.is_recipient for pair in pairs) == 20
    assert not any(pair.is_recipient for pair in pairs if not pair.is_home)


def test_a_score_that_knows_the_labels_is_perfect(pairs: list[Pair]) -> None:
    tallies = routing_measure.tally(pairs, lambda pair: float(pair.is_recipient), 0.5)
    shares = (tallies.precision, tallies.recall, tallies.top1)
    assert [each.share for each in shares] == [1, 1, 1]
    assert (tallies.nobody_misrouted.share, tallies.foreign_misrouted.share, tallies.leaked) == (0, 0, 0)
    assert (tallies.abstained.found, tallies.nobody_misrouted.of, tallies.foreign_misrouted.of) == (3, 3, 42)


def test_a_score_that_lets_everyone_through_leaks_the_rest(pairs: list[Pair]) -> None:
    tallies = routing_measure.tally(pairs, lambda _: 1.0, 0.5)
    assert (tallies.recall.share, tallies.precision.found, tallies.leaked) == (1, 20, 43)
    assert (tallies.nobody_misrouted.share, tallies.foreign_misrouted.share) == (1, 1)


def test_accepted_notes_are_others_of_the_agent_and_share_no_sentence(corpus: Corpus) -> None:
    note = corpus.notes[0]
    assert set(routing_corpus.accepted(corpus, note, "Oven Agent", 5)) == {
        "The rye flour needs more water.",
        "The price of rolls rises, so change the signs and the flour order.",
    }


def test_evidence_is_made_of_the_file_and_the_same_each_time(corpus: Corpus, pairs: list[Pair]) -> None:
    made = [routing_fit.calibrate(corpus, pairs, Fake.identity, "v", labels="human", precision=0.5) for _ in range(2)]
    assert made[0] == made[1]
    assert calibration.read(calibration.write(made[0])) == made[0]
    assert (made[0].source.sha256, made[0].source.notes, made[0].source.teams) == (corpus.sha256, 21, 3)
    assert made[0].measured.precision.share >= 0.5


def test_a_precision_that_no_threshold_reaches_is_said(corpus: Corpus, pairs: list[Pair]) -> None:
    blind = [
        Pair(each.note, each.team, each.is_home, each.agent, each.is_recipient, pairs[0].plain, pairs[0].plain)
        for each in pairs
    ]
    with pytest.raises(RequestInvalid) as refused:
        routing_fit.calibrate(corpus, blind, Fake.identity, "v", labels="human", precision=0.99)
    assert refused.value.rule == "precision"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"type": "note", "team": "x", "text": "a", "recipients": []}', "team 'x' is unknown"),
        ('{"type": "team", "team": "x"}', "line 1"),
        ('{"type": "other"}', "line 1"),
        ("words", "line 1"),
        ("", "holds no note"),
    ],
)
def test_a_malformed_file_is_refused_by_line(tmp_path: Path, line: str, why: str) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text(line, encoding="utf-8")
    with pytest.raises(RequestInvalid, match=why):
        routing_corpus.read(file)


def test_a_recipient_of_another_team_is_refused(tmp_path: Path) -> None:
    file = corpus_sample.write(tmp_path / "notes.jsonl")
    file.write_text(
        file.read_text(encoding="utf-8").replace('"recipients": ["bakery/oven"]', '"recipients": ["clinic/lab"]', 1),
        encoding="utf-8",
    )
    with pytest.raises(RequestInvalid, match="line 4"):
        routing_corpus.read(file)
