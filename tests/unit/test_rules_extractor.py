import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem.memory import normative, note
from fleetmem.models.extractor import Failure, Off
from fleetmem.models.rules import Rules
from tests.unit.conversations import RULE, transcript


def _contents(*said: str, outputs: tuple[str | None, ...] = ()) -> list[str]:
    return [each.content for each in Rules().extract(transcript(*said, outputs=outputs)).notes]


def test_the_rule_of_a_message_is_a_note_that_cites_it() -> None:
    (drafted,) = Rules().extract(transcript("Morning all.", f"I looked at the page. {RULE} Ping me.")).notes
    assert (drafted.content, drafted.source_messages, drafted.source_runs) == (RULE, (2,), ())
    assert (drafted.severity, drafted.skill_key) == ("normal", "frontend-public-api-contract")
    assert drafted.description == "When a task concerns frontend, public API contract or backend env values."


@pytest.mark.parametrize(
    "sentence",
    [
        "We decided to use cursor pagination for every list.",
        "Use the read replica instead of the primary for reports.",
        "Root cause: the Redis container was not ready when the integration job started.",
        "Migrations must be reversible on staging.",
        "Always set NOT NULL only after the backfill.",
        "The export endpoint is limited to 5 requests per minute.",
        "Deploys to production require a second reviewer.",
        "Lesson: a cached metadata file hides a rotated certificate.",
        "Nobody may edit the ledger table, not even the owner's job: never write to it.",
    ],
)
def test_sentences_that_lay_something_down_are_kept(sentence: str) -> None:
    assert _contents(sentence) == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "I must leave for an hour now.",
        "Must the frontend see the contract?",
        "It must be a caching bug somewhere.",
        "Please never mind the red build.",
        "Maybe we should always cache the contract.",
        "The job has never worked on that machine.",
        "We need to fix the flaky login test.",
        "The deploy must wait for the vendor today.",
        "All 42 tests pass and the branch is pushed.",
        "> You must never quote this line.",
        "```\nusers must never see this code\n```",
        "must never",
    ],
)
def test_passing_talk_questions_quotations_and_code_are_not(sentence: str) -> None:
    assert _contents(sentence) == []


def test_a_sentence_that_points_back_brings_what_it_points_at() -> None:
    assert _contents("Tenants share one database. They must never share a session.") == [
        "Tenants share one database. They must never share a session."
    ]
    assert _contents("They must never share a session.") == []


def test_what_is_said_twice_is_one_note_with_both_sources_and_a_correction_is_two() -> None:
    (drafted,) = Rules().extract(transcript(RULE, outputs=(f"Noted: done. {RULE}",))).notes
    assert (drafted.source_messages, drafted.source_runs) == ((1,), (1,))
    assert len(_contents("The pool must hold 20 connections.", "The pool must hold 40 connections.")) == 2


def test_only_a_mark_makes_a_note_severe() -> None:
    marked, plain = Rules().extract(transcript("SEVERE: backups must never leave the vault.", RULE)).notes
    assert (marked.severity, plain.severity) == ("severe", "normal")
    assert marked.content == "backups must never leave the vault."


def test_at_most_eight_are_kept_and_those_that_weigh_most_come_first() -> None:
    said = [f"The service{n} worker needs at least {n} gigabytes." for n in range(2, 12)]
    extraction = Rules().extract(transcript(*said, RULE))
    assert (len(extraction.notes), extraction.notes[0].content) == (8, RULE)
    assert {each.reason for each in extraction.withheld} == {"too_many"}


def test_a_content_that_no_block_can_hold_is_withheld_by_name() -> None:
    extraction = Rules().extract(transcript("Pages must never contain <!-- comments --> anywhere."))
    assert (extraction.notes, extraction.failure) == ((), Failure.NO_NOTES)
    assert [each.reason for each in extraction.withheld] == ["content:comment"]


@given(st.lists(st.text(max_size=200) | st.just(RULE), max_size=4))
def test_every_note_keeps_the_contract_and_cites_what_is_there(said: list[str]) -> None:
    extraction = Rules().extract(transcript(*said))
    again = Rules().extract(transcript(*said))
    assert extraction == again
    for drafted in extraction.notes:
        assert note.resolve(drafted, extraction.numbering).withheld is None


def test_a_long_hostile_text_takes_no_longer_than_its_length() -> None:
    assert normative.find("use " + "a " * 100_000) == []
    assert normative.find("_*" * 100_000) == []


def test_off_distils_nothing() -> None:
    extraction = Off().extract(transcript(RULE))
    assert (extraction.notes, extraction.failure) == ((), Failure.NO_NOTES)
