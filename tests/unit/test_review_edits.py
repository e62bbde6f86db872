"""Which edits of a note's recipients are admissible: narrower or moved, never wider than the team and the audiences."""

from hypothesis import given
from hypothesis import strategies as st

from fleetmem.memory import review
from fleetmem.memory.review import Member

AUDIENCES = ("open", "health", "finance", "client")
AGENTS = tuple(f"agent-{each}" for each in range(6))

sets = st.frozensets(st.sampled_from(AUDIENCES))
names = st.frozensets(st.sampled_from((*AGENTS, "stranger")))
teams = st.lists(
    st.builds(Member, st.sampled_from(AGENTS), sets, st.booleans()), max_size=8, unique_by=lambda member: member.agent
)


@given(names, teams, sets)
def test_who_is_let_in_is_an_active_member_that_reads_it_all(
    proposed: frozenset[str], team: list[Member], audiences: frozenset[str]
) -> None:
    refused = review.faults(proposed, members=team, audiences=audiences)
    for agent in proposed - refused.keys():
        [member] = [each for each in team if each.agent == agent]
        assert member.is_active
        assert member.reads >= audiences
    assert refused.keys() <= proposed


@given(names, names, teams, sets)
def test_narrowing_an_admissible_edit_is_admissible(
    proposed: frozenset[str], fewer: frozenset[str], team: list[Member], audiences: frozenset[str]
) -> None:
    if not review.faults(proposed, members=team, audiences=audiences):
        narrowed = proposed & fewer
        assert not review.faults(narrowed, members=team, audiences=audiences)
        assert review.change(proposed, narrowed).is_narrowing


@given(names, teams, sets, sets)
def test_a_further_audience_lets_nobody_in(
    proposed: frozenset[str], team: list[Member], audiences: frozenset[str], further: frozenset[str]
) -> None:
    before = review.faults(proposed, members=team, audiences=audiences)
    after = review.faults(proposed, members=team, audiences=audiences | further)
    assert after.keys() >= before.keys()


@given(names, teams, sets)
def test_the_reason_is_the_team_before_the_audience(
    proposed: frozenset[str], team: list[Member], audiences: frozenset[str]
) -> None:
    active = {member.agent for member in team if member.is_active}
    for agent, reason in review.faults(proposed, members=team, audiences=audiences).items():
        assert reason == ("audience" if agent in active else "left_team")


@given(names, names)
def test_a_change_says_what_becomes_of_everybody(before: frozenset[str], after: frozenset[str]) -> None:
    change = review.change(before, after)
    assert {*change.kept, *change.dropped} == before
    assert {*change.kept, *change.added} == after
    assert not {*change.dropped} & {*change.added}
