import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetmem.memory import segment
from fleetmem.memory.segment import Boundary, Reading, Rules, Topic
from fleetmem.memory.terms import distribution, divergence

_RULES = Rules()
_PAGING = (
    "Add cursor pagination to the orders endpoint",
    "Write tests that page through the orders endpoint while new orders arrive",
)
_words = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.01, 100), min_size=1)


def _topic(*prompts: str) -> Topic:
    topic = Topic()
    for each in prompts:
        topic = topic.with_prompt(Reading(each))
    return topic


def _boundary(text: str, topic: Topic, tasks: int = 2, characters: int = 100, idle_s: float = 0) -> Boundary | None:
    return segment.boundary(Reading(text), topic, tasks=tasks, characters=characters, idle_s=idle_s, rules=_RULES)


@given(_words, _words)
def test_the_divergence_is_a_symmetric_share_and_none_from_itself(
    left: dict[str, float], right: dict[str, float]
) -> None:
    one = {term: weight / sum(left.values()) for term, weight in left.items()}
    other = {term: weight / sum(right.values()) for term, weight in right.items()}
    there, back = divergence(one, other), divergence(other, one)
    assert 0 <= there <= 1
    assert there == pytest.approx(back)
    assert divergence(one, one) == pytest.approx(0)
    assert one.keys() & other.keys() or there == pytest.approx(1)


@pytest.mark.parametrize("wrong", [{}, {"a": -1.0, "b": 2.0}])
def test_a_divergence_from_no_distribution_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="negative weight"):
        divergence({"a": 1.0}, wrong)


def test_a_distribution_sums_to_one_and_takes_identifiers_and_endings_apart() -> None:
    found = distribution("Rename getUserName and user_names; the USERS were renaming")
    assert sum(found.values()) == pytest.approx(1)
    assert "user" in found
    assert not {"the", "were", "getusername"} & found.keys()


def test_a_text_without_spaces_shares_terms_with_another() -> None:
    assert distribution("支払い画面を直す").keys() & distribution("支払いのテスト").keys()


@pytest.mark.parametrize(
    "prompt", ["The cursor of the orders endpoint must survive new rows", "Document the orders pagination"]
)
def test_a_prompt_about_the_same_stays(prompt: str) -> None:
    assert _boundary(prompt, _topic(*_PAGING)) is None


@pytest.mark.parametrize("prompt", ["continue", "now fix the tests", "why?", "looks good, ship it", "?!", ""])
def test_a_follow_up_without_a_subject_of_its_own_stays(prompt: str) -> None:
    assert _boundary(prompt, _topic(*_PAGING)) is None


def test_another_subject_begins_a_segment() -> None:
    prompt = "Draft a job description for a senior backend engineer in Lisbon"
    assert _boundary(prompt, _topic(*_PAGING)) is Boundary.TOPIC_SHIFT


def test_the_first_task_of_a_team_closes_nothing() -> None:
    assert _boundary("Draft a job description for an engineer", Topic(), tasks=0, idle_s=10**6) is None


def test_a_full_segment_closes_by_tasks_and_by_characters() -> None:
    assert _boundary("continue", _topic(*_PAGING), tasks=8) is Boundary.SIZE_CAP
    assert _boundary("continue", _topic(*_PAGING), tasks=7) is None
    assert _boundary("continue", _topic(*_PAGING), characters=119_993) is Boundary.SIZE_CAP
    assert _boundary("continue", _topic(*_PAGING), characters=119_992) is None


def test_a_segment_that_was_left_alone_closes_whatever_comes() -> None:
    assert _boundary("Document the orders pagination", _topic(*_PAGING), idle_s=1_800) is Boundary.IDLE
    assert _boundary("Document the orders pagination", _topic(*_PAGING), idle_s=1_799) is None


def test_what_follows_a_full_segment_still_knows_the_subject() -> None:
    topic = _topic(*_PAGING)
    after = segment.opening(topic, Boundary.SIZE_CAP)
    assert _boundary("Document the orders pagination", after, tasks=1) is None
    assert segment.opening(topic, Boundary.TOPIC_SHIFT) == Topic()


def test_what_was_answered_belongs_to_the_subject() -> None:
    topic = _topic("Find out why the nightly build fails")
    answer = "The Snowflake warehouse was suspended by its monitor. Raise the Snowflake warehouse credits."
    prompt = Reading("Raise the Snowflake warehouse credits by ten percent")
    assert segment.shift(prompt, topic.with_output(answer)) < segment.shift(prompt, topic)


@given(st.lists(st.text(max_size=60), max_size=5))
def test_a_topic_survives_its_row(texts: list[str]) -> None:
    topic = Topic()
    for each in texts:
        topic = topic.with_prompt(Reading(each, (0.25, 0.5))).with_output(each)
    assert Topic.from_json(json.loads(json.dumps(topic.to_json()))) == topic


def test_the_row_of_a_new_segment_is_a_topic_of_nothing_and_another_document_is_none() -> None:
    assert Topic.from_json({}) == Topic()
    with pytest.raises(ValueError, match="no topic"):
        Topic.from_json({"prompts": "many"})


def test_a_topic_stays_small() -> None:
    topic = Topic()
    for number in range(60):
        topic = topic.with_prompt(Reading(" ".join(f"word{number}x{each}" for each in range(100))))
    assert len(topic.terms) == 400


def test_vectors_decide_where_words_do_not() -> None:
    topic = Topic().with_prompt(Reading("Plan the vegetable beds for spring", (1.0, 0.0)))
    near = Reading("Tomatoes did badly beside every wall", (1.0, 0.1))
    far = Reading("Tomatoes did badly beside every wall", (0.0, 1.0))
    assert segment.shift(near, topic) < segment.shift(far, topic)


def test_vectors_of_another_model_are_left_aside() -> None:
    topic = Topic().with_prompt(Reading("Plan the vegetable beds", (1.0, 0.0)))
    prompt = "Draft a job description for an engineer"
    assert segment.shift(Reading(prompt, (1.0, 0.0, 0.0)), topic) == segment.shift(Reading(prompt), topic)


def _encode(texts: list[str]) -> list[tuple[float, float]]:
    return [(1.0, 0.0) if each.startswith("a") else (0.0, 1.0) for each in texts]


@pytest.mark.parametrize(
    ("outputs", "at"),
    [("aabb", 2), ("aaabb", 3), ("aabaa", None), ("aaab", None), ("aaaa", None), ("ab", None), ("", None)],
)
def test_the_nodes_of_a_task_drift_when_two_in_a_row_left_its_subject(outputs: str, at: int | None) -> None:
    assert segment.drift(list(outputs), lambda texts: _encode(list(texts)), _RULES) == at


def test_seconds_are_never_negative() -> None:
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    assert segment.seconds_between(noon, noon + timedelta(minutes=1)) == 60
    assert segment.seconds_between(noon, noon - timedelta(minutes=1)) == 0
    assert segment.seconds_between(None, noon) == 0
