"""Said again, corrected, or about something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem.memory.kinship import Kin, kinship
from tests.unit.similarity import by_words

SAME = [
    ("Backups run at 02:00 every night.", "Backups run at 02:00 every night"),
    ("Refund the fee when a parcel is late.", "Please refund the fee when the parcel is late."),
    ("The frontend must not see backend values.", "The frontend mustn't see backend values."),
    ("You have to ask Mara first.", "You must ask Mara first."),
    ("We don't ship on Sundays.", "We do not ship on Sundays."),
]
CORRECTIONS = [
    ("Backups run at 02:00 every night.", "Backups run at 03:00 every night."),
    ("Keep logs for 30 days.", "Keep logs for 60 days."),
    ("The limit is five requests.", "The limit is three requests."),
    ("The factor is 2.5 here.", "The factor is 25 here."),
    ("Always return 404 for hidden records.", "Never return 404 for hidden records."),
    ("Agents must read the plan.", "Agents must not read the plan."),
    ("Agents must read the plan.", "Agents may read the plan."),
    ("Restart it before the migration.", "Restart it after the migration."),
    ("Ask Mara before the release.", "Ask Jon before the release."),
    ("The staging database is orders_stage.", "The staging database is orders_test."),
    ("Enable the cache in production.", "Disable the cache in production."),
    ("Send A to B.", "Send B to A."),
    ("Deploy only on Tuesday.", "Deploy on Tuesday."),
    ("All tests must pass.", "No tests must pass."),
    ("The password may be shared.", "The password may not be shared."),
    ("It costs 10 EUR a month.", "It costs 10 USD a month."),
]
UNRELATED = [
    ("Backups run at 02:00 every night.", "The logo keeps a clear space."),
    ("Use tabs in Go files.", "The works council meets on Tuesday."),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_the_same_said_again_is_the_same(old: str, new: str) -> None:
    assert kinship(new, [("old", old)], by_words).kin is Kin.SAME
    assert kinship(old, [("new", new)], by_words).kin is Kin.SAME


@pytest.mark.parametrize(("old", "new"), CORRECTIONS)
def test_another_number_name_polarity_or_value_is_a_correction(old: str, new: str) -> None:
    found = kinship(new, [("other", "The logo keeps a clear space."), ("old", old)], by_words)
    assert (found.kin, found.note) == (Kin.CORRECTION, "old")
    assert kinship(old, [("new", new)], by_words).kin is Kin.CORRECTION


@pytest.mark.parametrize(("old", "new"), UNRELATED)
def test_another_subject_is_unrelated(old: str, new: str) -> None:
    found = kinship(new, [("old", old)], by_words)
    assert (found.kin, found.note) == (Kin.UNRELATED, None)


def test_nothing_landed_is_kin_to_nothing() -> None:
    assert kinship("Anything.", [], by_words).kin is Kin.UNRELATED


def test_the_same_wins_over_a_nearer_correction() -> None:
    landed = [("a", "Keep logs for 60 days."), ("b", "Please keep the logs for 30 days.")]
    found = kinship("Keep logs for 30 days.", landed, by_words)
    assert (found.kin, found.note) == (Kin.SAME, "b")


_WORD = st.sampled_from(
    ["backup", "server", "fee", "parcel", "node", "ticket", "label", "invoice", "contract", "route"]
)


@given(st.lists(_WORD, min_size=3, max_size=12), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 11))
def test_a_changed_number_is_never_lost_as_a_duplicate(words: list[str], old: int, new: int, place: int) -> None:
    def said(number: int) -> str:
        return " ".join([*words[:place], str(number), *words[place:]]) + "."

    kin = kinship(said(new), [("old", said(old))], by_words).kin
    assert kin is (Kin.SAME if old == new else Kin.CORRECTION)


@given(st.lists(_WORD, min_size=3, max_size=12), st.sampled_from(["not", "never", "always", "only", "may", "must"]))
def test_a_word_that_binds_is_never_lost(words: list[str], word: str) -> None:
    bare, bound = " ".join(words), " ".join([*words[:1], word, *words[1:]])
    assert kinship(bound, [("old", bare)], by_words).kin is Kin.CORRECTION
