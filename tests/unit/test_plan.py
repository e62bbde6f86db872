"""The roster plan: who would see more, who less, in words."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from fleetmem.fleet.agent import Agent, Person
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.difference import diff
from fleetmem.fleet.plan import Revocation, RosterPlan
from fleetmem.fleet.roster import Roster
from fleetmem.fleet.team import MemoryRule, OnNarrowing, Team


def agent(name: str, *, reads: str = "", writes: str = "", description: str = "Does something.") -> Agent:
    return Agent(
        name=name,
        description=description,
        instructions="",
        reads=frozenset(reads.split()),
        writes=frozenset(writes.split()),
        workspace=name,
    )


CIRCLES = (Audience("finance"), Audience("open"))


def test_an_unchanged_roster_has_nothing_to_say() -> None:
    same = Roster(audiences=CIRCLES, agents=(agent("scout", reads="open"),))
    plan = diff(same, same)
    assert plan.is_empty
    assert plan.sentences() == ()


def test_a_wider_read_set_is_said_first_and_with_its_consequence() -> None:
    before = Roster(audiences=CIRCLES, agents=(agent("scout", reads="open"),))
    after = Roster(audiences=CIRCLES, agents=(agent("scout", reads="open finance", description="New."),))
    assert diff(before, after).sentences() == (
        "SEES MORE: scout would read `finance`, past records included",
        "CHANGED: scout (description)",
    )


def test_a_narrower_set_says_who_sees_and_writes_less() -> None:
    before = Roster(audiences=CIRCLES, agents=(agent("scout", reads="open finance", writes="open"),))
    after = Roster(audiences=CIRCLES, agents=(agent("scout", reads="open"),))
    assert diff(before, after).sentences() == (
        "SEES LESS: scout would no longer read `finance`",
        "WRITES LESS: scout may no longer write for `open`",
    )


def test_an_agent_that_leaves_is_deactivated_and_sees_nothing() -> None:
    before = Roster(audiences=CIRCLES, agents=(agent("scout", reads="open"),))
    plan = diff(before, Roster(audiences=CIRCLES))
    assert plan.removed == ("scout",)
    assert [(lost.agent, lost.audience) for lost in plan.reads_lost] == [("scout", "open")]


def test_a_name_cannot_come_back_as_something_else() -> None:
    before = Roster(agents=(agent("scout"),))
    plan = diff(before, Roster(operators=(Person("scout"),)))
    assert plan.conflicts == ("scout was an agent and cannot become an operator; choose a new name",)


def team(members: str, *, audiences: str = "open", description: str = "Walks.", two_person: bool = False) -> Team:
    return Team(
        name="crew",
        description=description,
        members=tuple(members.split()),
        audiences=frozenset(audiences.split()),
        two_person=two_person,
    )


def crewed(*teams: Team, memory: MemoryRule | None = None) -> Roster:
    everyone = tuple(agent(name) for name in ("guide", "scout", "watch"))
    return Roster(audiences=CIRCLES, agents=everyone, teams=teams, memory=memory or MemoryRule())


def test_who_joins_and_leaves_a_team_and_what_it_carries_is_said() -> None:
    before = crewed(team("scout guide"))
    after = crewed(team("watch scout", audiences="finance", description="Runs.", two_person=True))
    assert diff(before, after).sentences() == (
        "TEAM CHANGED: crew (description, two_person)",
        "JOINS: watch becomes a member of crew",
        "LEAVES: guide is no longer a member of crew",
        "CARRIES MORE: conversations of crew may carry `finance`",
        "CARRIES LESS: conversations of crew may no longer carry `open`",
    )


def test_another_order_of_the_same_members_is_a_change() -> None:
    plan = diff(crewed(team("scout guide")), crewed(team("guide scout")))
    assert plan.sentences() == ("TEAM CHANGED: crew (order)",)
    assert plan.narrowed == frozenset()


def test_a_team_that_is_no_more_narrows_all_its_members() -> None:
    plan = diff(crewed(team("scout guide")), crewed())
    assert "TEAM RETIRED: crew; its records stay" in plan.sentences()
    assert plan.narrowed == {"scout", "guide"}


def test_a_changed_rule_is_said_with_both_sides() -> None:
    plan = diff(crewed(), crewed(memory=MemoryRule(auto_grant=True, least_precision=0.95)))
    assert plan.sentences() == ("MEMORY RULE: auto_grant false → true", "MEMORY RULE: least_precision 0.98 → 0.95")


def test_what_landed_memory_it_costs_is_counted_and_named() -> None:
    many = Revocation(agent="scout", notes=tuple("abcdefg"), how=OnNarrowing.AT_ONCE)
    one = Revocation(agent="guide", notes=("x",), how=OnNarrowing.PROPOSE)
    assert RosterPlan(revocations=(many, one)).sentences() == (
        "REVOKES: scout gives up 7 landed notes (a, b, c, d, e and 2 more), gone from its next run on",
        "PROPOSES: revoking 1 landed note (x) of guide; an operator decides, and until then it keeps what it has",
    )


def test_a_roster_made_in_a_program_is_held_to_the_same_rules() -> None:
    astray = Roster(agents=(agent("scout"),), teams=(team("scout ghost"),))
    assert diff(Roster(), astray).conflicts == (
        "the audience `open` cannot go while the team crew carries it",
        "ghost cannot be a member of crew: it is no agent of this roster",
    )


NAMES = st.sampled_from(["scout", "guide", "watch"])
SETS = st.frozensets(st.sampled_from(["open", "finance"]))
TEAMS = st.lists(
    st.builds(
        Team,
        name=st.sampled_from(["crew", "shift"]),
        description=st.sampled_from(["Walks.", "Runs."]),
        members=st.lists(NAMES, min_size=2, max_size=3, unique=True).map(tuple),
        audiences=st.frozensets(st.sampled_from(["open", "finance"]), min_size=1),
        two_person=st.booleans(),
    ),
    max_size=2,
    unique_by=lambda team: team.name,
)
RULES = st.builds(MemoryRule, review_all=st.booleans(), on_narrowing=st.sampled_from(OnNarrowing))
ROSTERS = st.tuples(st.dictionaries(NAMES, st.tuples(SETS, SETS)), TEAMS, RULES).map(
    lambda made: Roster(
        audiences=CIRCLES,
        teams=tuple(sorted(made[1], key=lambda team: team.name)),
        memory=made[2],
        agents=tuple(
            Agent(name=name, description="x", instructions="", reads=reads, writes=writes, workspace=name)
            for name, (reads, writes) in sorted(made[0].items())
        ),
    )
)


@given(ROSTERS, ROSTERS)
def test_a_plan_undone_is_the_opposite_plan(one: Roster, other: Roster) -> None:
    there, back = diff(one, other), diff(other, one)
    assert there.added == back.removed
    assert there.reads_gained == back.reads_lost
    assert there.writes_gained == back.writes_lost
    assert there.teams_added == back.teams_removed
    assert there.members_added == back.members_removed
    assert there.carried_added == back.carried_removed
    assert not {each.agent for each in there.members_removed} - there.narrowed
    assert replace(there, conflicts=()).is_empty == (one == other)


@given(ROSTERS, ROSTERS)
def test_a_plan_tells_exactly_the_cells_that_change(one: Roster, other: Roster) -> None:
    plan: RosterPlan = diff(one, other)
    cells = {(each.name, circle) for each in one.agents for circle in each.reads}
    gained = {(cell.agent, cell.audience) for cell in plan.reads_gained}
    lost = {(cell.agent, cell.audience) for cell in plan.reads_lost}
    assert (cells | gained) - lost == {(each.name, circle) for each in other.agents for circle in each.reads}
