"""Who may receive a note: the pure rule that a reviewer is answered by, and the database's, are one."""

import uuid
from itertools import chain, combinations, product

import pytest

from fleetmem.memory import review
from fleetmem.memory.review import Member
from tests.clusters import Cluster
from tests.databases import Databases
from tests.memory import Memory
from tests.store.door import make_door

AUDIENCES = ("open", "health", "finance")
SETS = [frozenset(each) for each in chain.from_iterable(combinations(AUDIENCES, size) for size in (1, 2, 3))]
READS = {"finance": frozenset({"open", "finance"}), "health": frozenset({"open", "health"})}


@pytest.fixture(scope="module")
def memory(postgres_cluster: Cluster, databases: Databases) -> Memory:
    database = databases.fresh(postgres_cluster)
    make_door(postgres_cluster, database)
    made = Memory(postgres_cluster, database)
    made.team("web", ["finance", "health"], ["open"])
    return made


@pytest.fixture(scope="module")
def notes(memory: Memory) -> dict[frozenset[str], str]:
    """Lay down a note for each set of audiences."""
    told = memory.told("web", [("finance", "One."), ("health", "Two.")])
    made = {each: str(uuid.uuid4()) for each in SETS}
    with memory.past() as past:
        for ordinal, (audiences, note) in enumerate(made.items(), start=1):
            past.execute(
                "insert into fleet.note (id, segment, team, ordinal, status, severity, content, description, skill_key, audiences,"
                " policy_version, extractor, created_at) values (%s, %s, 'web', %s, 'candidate', 'normal', 'x', 'x', 'x', %s, 'v',"
                " 'rules', now())",
                [note, told.segment, ordinal, sorted(audiences)],
            )
    return made


@pytest.mark.parametrize(("is_member", "is_active", "team_lives"), [*product((True, False), repeat=3)])
def test_both_refuse_the_same_agents_for_the_same_reason(
    memory: Memory, notes: dict[frozenset[str], str], *, is_member: bool, is_active: bool, team_lives: bool
) -> None:
    with memory.past() as past:
        past.execute("update fleet.team_member set active = %s where agent = 'health'", [is_member])
        past.execute("update fleet.principal set active = %s where name = 'health'", [is_active])
        past.execute("update fleet.team set active = %s", [team_lives])
    members = [
        Member("finance", READS["finance"], team_lives),
        Member("health", READS["health"], is_member and is_active and team_lives),
    ]
    for audiences, note in notes.items():
        for agent in ("finance", "health", "olga", "nobody"):
            [(decided,)] = memory.rows("select fence.may_receive(%s, %s)", note, agent)
            assert review.faults([agent], members=members, audiences=audiences).get(agent) == decided, (
                audiences,
                agent,
            )
