"""Where a memory goes in one recipient's workspace."""

from hypothesis import given
from hypothesis import strategies as st

from fleetmem.memory.placing import Placing, Skill, place
from tests.unit.similarity import by_words

RELEASE = Skill("release-checklist", "When you tag or publish a release.")
ERRORS = Skill("api-errors", "When an endpoint answers with an error status.")
TEXT = "When you tag a release. Write the changelog first."


def test_a_note_joins_the_nearest_skill() -> None:
    found = place(TEXT, [ERRORS, RELEASE], Skill("tagging", "When you tag a release."), by_words)
    assert (found.placing, found.key) == (Placing.JOIN, "release-checklist")


def test_a_note_joins_the_skill_of_its_own_key_before_a_nearer_one() -> None:
    own = Skill("tagging", "When you tag a version or a release.")
    found = place(TEXT, [RELEASE, own], Skill("tagging", "When you tag a release."), by_words)
    assert (found.placing, found.key) == (Placing.JOIN, "tagging")


def test_a_note_far_from_every_skill_proposes_its_own() -> None:
    found = place("Trains are cheaper before nine.", [ERRORS, RELEASE], Skill("travel", "Booking trips."), by_words)
    assert (found.placing, found.key) == (Placing.NEW, "travel")


def test_a_key_of_an_unrelated_skill_withholds_the_note() -> None:
    taken = Skill("release-checklist", "Booking trips.")
    found = place("Trains are cheaper before nine.", [ERRORS, RELEASE], taken, by_words)
    assert (found.placing, found.key) == (Placing.WITHHELD, "release-checklist")


def test_without_a_skill_the_first_is_proposed() -> None:
    found = place(TEXT, [], Skill("tagging", "When you tag a release."), by_words)
    assert (found.placing, found.similarity) == (Placing.NEW, None)


@given(st.permutations([ERRORS, RELEASE, Skill("a", "When you tag a release."), Skill("b", "When you tag a release.")]))
def test_the_order_of_skills_decides_nothing(skills: list[Skill]) -> None:
    assert place(TEXT, skills, Skill("tagging", "When you tag a release."), by_words).key == "a"
