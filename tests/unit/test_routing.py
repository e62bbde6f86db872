"""Who receives a memory: the verdicts, whom a note is compared with, and that nothing depends on order."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem.errors import RequestInvalid, SetupInvalid
from fleetmem.memory import likeness, occupations, routing
from fleetmem.memory.likeness import MEASURES, Profile
from fleetmem.memory.profile import Member, phrases, subject
from fleetmem.memory.routing import Verdict
from fleetmem.memory.scorer import Head, Scorer, Term
from fleetmem.sql import routing_files
from tests.unit.similarity import by_words

BAKER = Member("baker", "Bakes bread, rolls and cakes.", "You own the oven, the dough and the flour.")
DRIVER = Member("driver-agent", "Drives the van and delivers orders.", "You know the roads; plan tours and stops.")
CLERK = Member("clerk", "Keeps the books, bills and taxes.", "You write invoices and pay suppliers.")
NOTE = "The dough rests for an hour before the oven."

_SCALED = {name: Term(0.0, 0.1, 0.0) for name in MEASURES}
_BY_PHRASES = Head(0.0, _SCALED | {"phrases_over_next": Term(0.0, 0.1, 2.0)}, {})
SCORER = Scorer(_BY_PHRASES, _BY_PHRASES, threshold=0.6)

_scores = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.floats(0, 1), min_size=1, max_size=8)


def _profiles(*members: Member) -> list[Profile]:
    return [likeness.profile(member, by_words, routing_files.world()) for member in members]


def _decide(*members: Member, rivals: tuple[Member, ...] = (), text: str = NOTE) -> routing.Decision:
    return routing.decide(text, _profiles(*members), by_words, routing_files.world(), SCORER, rivals=_profiles(*rivals))


@given(_scores, st.floats(0.01, 0.99))
def test_everyone_at_the_threshold_receives_and_else_exactly_one_falls_back(
    scores: dict[str, float], threshold: float
) -> None:
    decided = routing.verdicts(scores, threshold)
    reached = {agent for agent, score in scores.items() if score >= threshold}
    assert {each.agent for each in decided.outcomes} == set(scores)
    assert {each.agent for each in decided.outcomes if each.verdict is Verdict.MATCH} == reached
    fallbacks = [each for each in decided.outcomes if each.verdict is Verdict.FALLBACK]
    assert len(fallbacks) == (0 if reached else 1)
    assert all(each.score == max(scores.values()) for each in fallbacks)
    assert decided.is_fallback == (not reached)
    assert set(decided.recipients) == (reached or {fallbacks[0].agent})


@given(_scores, st.floats(0.01, 0.99), st.randoms())
def test_the_order_of_members_decides_nothing(scores: dict[str, float], threshold: float, random: Random) -> None:
    shuffled = list(scores.items())
    random.shuffle(shuffled)
    assert routing.verdicts(dict(shuffled), threshold) == routing.verdicts(scores, threshold)


def test_of_equals_the_first_by_name_falls_back() -> None:
    assert routing.verdicts({"b": 0.2, "a": 0.2}, 0.5).recipients == ("a",)


def test_a_note_goes_to_whom_it_concerns() -> None:
    decided = _decide(CLERK, BAKER, DRIVER)
    assert decided.recipients == ("baker",)
    assert not decided.is_fallback


def test_a_note_for_nobody_falls_back_to_one() -> None:
    decided = _decide(CLERK, BAKER, DRIVER, text="Xylophones.")
    assert decided.is_fallback
    assert len(decided.recipients) == 1


def test_a_rival_never_receives_and_takes_away_what_is_its_own() -> None:
    alone = _decide(DRIVER, CLERK, text="The dough and the orders: rest the dough for an hour before the oven.")
    beside = _decide(DRIVER, CLERK, rivals=(BAKER,), text="The dough and the orders: rest the dough for an hour.")
    assert alone.recipients == ("driver-agent",)
    assert not alone.is_fallback
    assert beside.is_fallback
    assert "baker" not in {each.agent for each in beside.outcomes}


def test_nobody_to_choose_from_is_refused() -> None:
    with pytest.raises(RequestInvalid) as refused:
        _decide(rivals=(BAKER,))
    assert refused.value.field == "members"


def test_two_members_of_one_name_are_refused() -> None:
    with pytest.raises(RequestInvalid) as refused:
        _decide(BAKER, DRIVER, rivals=(BAKER,))
    assert refused.value.rule == "unique"


def test_a_profile_is_taken_apart_into_duties() -> None:
    assert phrases(DRIVER)[:4] == (
        "driver",
        "Drives the van and delivers orders.",
        "Drives the van",
        "delivers orders",
    )


def test_when_to_load_a_note_is_routed_with_it() -> None:
    assert subject("When baking", "Rest the dough.") == "When baking. Rest the dough."
    assert subject("", "Rest the dough.") == " Rest the dough."


def test_accepted_notes_draw_a_member_towards_what_they_are_about() -> None:
    seen = routing_files.world()
    note = likeness.sight("The tax return is due in July.", by_words, seen)
    bare = likeness.profile(BAKER, by_words, seen)
    taught = likeness.taught(bare, [likeness.sight("Keep every tax receipt for the return.", by_words, seen)])
    before, after = (likeness.measure(note, [each], by_words)[0]["occupation"] for each in (bare, taught))
    assert taught.is_taught
    assert not bare.is_taught
    assert after > before


def test_one_measure_out_of_all_bounds_does_not_decide_alone() -> None:
    measured = dict.fromkeys(MEASURES, 0.0)
    assert _BY_PHRASES.score(measured | {"phrases_over_next": 10.0**9}) == _BY_PHRASES.score(
        measured | {"phrases_over_next": 0.4}
    )


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"version": "1", "occupations": {"Baker": "bakes | bread"}},
        {"version": "1", "occupations": {f"Baker {n}": "only duties" for n in range(30)}},
        {"version": "1", "occupations": {f"Baker {n}": "duties | | bread" for n in range(30)}},
    ],
)
def test_malformed_occupations_stop_the_start(document: dict[str, object]) -> None:
    with pytest.raises(SetupInvalid):
        occupations.parse(document)
