"""The roster plan: who would see more, who less, in words."""

from hypothesis import given
from hypothesis import strategies as st

from fleetmem.fleet.agent import Agent, Person
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.difference import diff
from fleetmem.fleet.plan import RosterPlan
from fleetmem.fleet.roster import Roster


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


NAMES = st.sampled_from(["scout", "guide", "watch"])
SETS = st.frozensets(st.sampled_from(["open", "finance"]))
ROSTERS = st.dictionaries(NAMES, st.tuples(SETS, SETS)).map(
    lambda agents: Roster(
        audiences=CIRCLES,
        agents=tuple(
            Agent(name=name, description="x", instructions="", reads=reads, writes=writes, workspace=name)
            for name, (reads, writes) in sorted(agents.items())
        ),
    )
)


@given(ROSTERS, ROSTERS)
def test_a_plan_undone_is_the_opposite_plan(one: Roster, other: Roster) -> None:
    there, back = diff(one, other), diff(other, one)
    assert there.added == back.removed
    assert there.reads_gained == back.reads_lost
    assert there.writes_gained == back.writes_lost
    assert there.is_empty == (one == other)


@given(ROSTERS, ROSTERS)
def test_a_plan_tells_exactly_the_cells_that_change(one: Roster, other: Roster) -> None:
    plan: RosterPlan = diff(one, other)
    cells = {(each.name, circle) for each in one.agents for circle in each.reads}
    gained = {(cell.agent, cell.audience) for cell in plan.reads_gained}
    lost = {(cell.agent, cell.audience) for cell in plan.reads_lost}
    assert (cells | gained) - lost == {(each.name, circle) for each in other.agents for circle in each.reads}
