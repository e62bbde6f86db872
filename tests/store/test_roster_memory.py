"""Teams and memory in the roster's sync: what changes, what is refused, and what landed memory a narrower roster costs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from fleetmem.admin import roster_sync
from fleetmem.admin.postgres import ConnInfo
from fleetmem.errors import RosterInvalid
from fleetmem.fleet.agent import Agent, Target
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.plan import RosterPlan
from fleetmem.fleet.roster import Roster
from fleetmem.fleet.team import MemoryRule, OnNarrowing, Team
from tests.clusters import Cluster
from tests.databases import Databases
from tests.memory import Memory

Connection = psycopg.Connection[Any]
PROPOSE = MemoryRule(on_narrowing=OnNarrowing.PROPOSE)
CALIBRATION = """
insert into fleet.calibration (id, kind, active, file_name, file_sha256, labels, model, model_sha256, threshold, precision,
  precision_low, recall, recall_low, evidence, promoted_by, promoted_at)
values (gen_random_uuid(), %(kind)s, true, 'labels.jsonl', 'x', %(labels)s, 'x', 'x', 0.5, 1, %(low)s, 1, 0.9, '{}', 'owner',
  clock_timestamp())
"""


@pytest.fixture
def fleet(postgres_cluster: Cluster, databases: Databases) -> ConnInfo:
    return databases.fresh(postgres_cluster)


@pytest.fixture
def owner(fleet: ConnInfo) -> Iterator[Connection]:
    with psycopg.connect(**fleet.psycopg(), autocommit=True) as connection:
        yield connection


@pytest.fixture
def memory(postgres_cluster: Cluster, fleet: ConnInfo) -> Memory:
    return Memory(postgres_cluster, fleet)


def agent(name: str, reads: str = "open finance", *, workspace: str = "", target: Target = Target.CODEX) -> Agent:
    return Agent(
        name=name,
        description=f"Is {name}.",
        instructions="",
        reads=frozenset(reads.split()),
        writes=frozenset({"open"}),
        workspace=workspace or name,
        target=target,
    )


def team(name: str = "crew", members: str = "scout guide", audiences: str = "open", **fields: Any) -> Team:
    return Team(
        name=name,
        description="Walks.",
        members=tuple(members.split()),
        audiences=frozenset(audiences.split()),
        **fields,
    )


def fleet_of(
    *agents: Agent, teams: tuple[Team, ...] | None = None, audiences: str = "open finance", **fields: Any
) -> Roster:
    return Roster(
        audiences=tuple(map(Audience, audiences.split())),
        agents=agents or (agent("guide"), agent("scout")),
        teams=(team(),) if teams is None else teams,
        **fields,
    )


def landed(memory: Memory, *recipients: str, audience: str = "finance", status: str = "landed") -> str:
    """Let a note of the crew be in its recipients' workspaces, as far as the database knows."""
    told = memory.told("crew", [("scout", "We pay on Fridays.")], audience=audience)
    note = memory.propose(told, recipients=recipients, preview=False)
    memory.flush(told)
    with memory.past() as past:
        past.execute(
            "update fleet.note set status = 'approved', decided_at = clock_timestamp(), decided_by = 'olga' where id = %s",
            [note],
        )
        past.execute(
            "insert into fleet.landing (id, note, agent, nonce, new_skill, status, path, sha256, requested_at, landed_at)"
            " select gen_random_uuid(), note, agent, nonce, false, %s, 'AGENTS.md', 'x', clock_timestamp(), clock_timestamp()"
            "   from fleet.note_recipient where note = %s",
            [status, note],
        )
    return note


def moving(memory: Memory) -> list[tuple[str, str]]:
    return memory.rows("select agent, note::text from fleet.landing where status = 'removing' order by agent, note")


def lost(plan: RosterPlan) -> list[tuple[str, tuple[str, ...], OnNarrowing]]:
    return [(each.agent, each.notes, each.how) for each in plan.revocations]


def test_teams_are_synced_with_their_order_and_are_then_in_force(owner: Connection) -> None:
    declared = fleet_of(teams=(team(members="scout guide", audiences="open finance", two_person=True),))
    told = roster_sync.sync(owner, declared)
    assert told.teams_added == ("crew",)
    assert {each.agent for each in told.members_added} == {"guide", "scout"}
    assert owner.execute("select agent from fleet.team_member order by position").fetchall() == [("scout",), ("guide",)]
    assert owner.execute("select name, audiences, two_person, active from fleet.team").fetchall() == [
        ("crew", ["finance", "open"], True, True)
    ]
    assert roster_sync.plan(owner, declared).is_empty


def test_a_sync_touches_no_team_that_stays_as_it_is(owner: Connection) -> None:
    roster_sync.sync(owner, fleet_of())
    before = owner.execute("select xmin::text from fleet.team").fetchall()
    changed = fleet_of(replace(agent("scout"), description="Looks."), agent("guide"))
    assert [each.name for each in roster_sync.sync(owner, changed).described] == ["scout"]
    assert owner.execute("select xmin::text from fleet.team").fetchall() == before


def test_who_leaves_a_team_keeps_an_inactive_place_and_may_return(owner: Connection) -> None:
    everyone = (agent("guide"), agent("scout"), agent("watch"))
    roster_sync.sync(owner, fleet_of(*everyone, teams=(team(members="scout guide watch"),)))
    told = roster_sync.sync(owner, fleet_of(*everyone))
    assert told.sentences() == ("LEAVES: watch is no longer a member of crew",)
    rows = owner.execute("select agent, active from fleet.team_member order by agent").fetchall()
    assert rows == [("guide", True), ("scout", True), ("watch", False)]
    back = roster_sync.sync(owner, fleet_of(*everyone, teams=(team(members="watch scout guide"),)))
    assert back.sentences() == ("JOINS: watch becomes a member of crew",)


def test_a_team_that_vanishes_is_retired_with_its_places_and_may_return(owner: Connection) -> None:
    roster_sync.sync(owner, fleet_of())
    told = roster_sync.sync(owner, fleet_of(teams=()))
    assert told.teams_removed == ("crew",)
    assert owner.execute("select active from fleet.team union all select active from fleet.team_member").fetchall() == [
        (False,),
        (False,),
        (False,),
    ]
    assert roster_sync.sync(owner, fleet_of()).teams_added == ("crew",)
    assert roster_sync.plan(owner, fleet_of()).is_empty


def test_the_runtime_of_an_agent_is_synced(owner: Connection) -> None:
    roster_sync.sync(owner, fleet_of())
    told = roster_sync.sync(owner, fleet_of(agent("scout", target=Target.CLAUDE_CODE), agent("guide")))
    assert told.sentences() == ("CHANGED: scout (target)",)
    assert owner.execute("select target from fleet.principal where name = 'scout'").fetchone() == ("claude-code",)


def test_the_rules_of_memory_are_synced_and_told(owner: Connection) -> None:
    roster_sync.sync(owner, fleet_of())
    rule = MemoryRule(review_all=True, least_precision=0.9, on_narrowing=OnNarrowing.PROPOSE)
    assert roster_sync.sync(owner, fleet_of(memory=rule)).sentences() == (
        "MEMORY RULE: review_all false → true",
        "MEMORY RULE: least_precision 0.98 → 0.9",
        "MEMORY RULE: on_narrowing at_once → propose",
    )
    assert roster_sync.plan(owner, fleet_of(memory=rule)).is_empty


@pytest.mark.parametrize(
    ("evidence", "sentence"),
    [
        (None, "no calibration of the routing"),
        ({"kind": "routing", "labels": "synthetic", "low": 0.99}, "no calibration of the routing"),
        ({"kind": "segmentation", "labels": "human", "low": 0.99}, "no calibration of the routing"),
        ({"kind": "routing", "labels": "human", "low": 0.97}, "known to be precise to 0.97"),
    ],
)
def test_memory_is_not_granted_without_a_person_on_less_than_the_evidence(
    owner: Connection, evidence: dict[str, object] | None, sentence: str
) -> None:
    roster_sync.sync(owner, fleet_of())
    if evidence:
        owner.execute(CALIBRATION, evidence)
    declared = fleet_of(memory=MemoryRule(auto_grant=True))
    assert sentence in roster_sync.plan(owner, declared).conflicts[0]
    with pytest.raises(RosterInvalid, match=r"--labels human.*routing promote"):
        roster_sync.sync(owner, declared)
    with pytest.raises(psycopg.errors.CheckViolation, match=r"memory_rule\.auto_grant"):
        owner.execute("update fleet.memory_rule set auto_grant = true")
    assert owner.execute("select auto_grant from fleet.memory_rule").fetchone() == (False,)


def test_on_the_evidence_memory_is_granted_and_neither_moves_away_from_the_other(owner: Connection) -> None:
    owner.execute(CALIBRATION, {"kind": "routing", "labels": "human", "low": 0.98})
    granting = fleet_of(memory=MemoryRule(auto_grant=True))
    assert roster_sync.sync(owner, granting).rules_changed
    with pytest.raises(RosterInvalid, match=r"known to be precise to 0\.98"):
        roster_sync.sync(owner, replace(granting, memory=MemoryRule(auto_grant=True, least_precision=0.99)))
    with pytest.raises(psycopg.errors.CheckViolation, match=r"memory_rule\.auto_grant"):
        owner.execute("update fleet.calibration set active = false")
    with owner.transaction():
        owner.execute("update fleet.calibration set active = false")
        owner.execute(CALIBRATION, {"kind": "routing", "labels": "human", "low": 0.985})
    assert owner.execute("select fence.routing_precision()").fetchone() == (0.985,)
    roster_sync.sync(owner, fleet_of())
    assert owner.execute("update fleet.calibration set active = false where active").rowcount == 1


NARROWER = {
    "a smaller read set": fleet_of(agent("scout", "open"), agent("guide")),
    "out of the team": fleet_of(agent("scout"), agent("guide"), agent("watch"), teams=(team(members="guide watch"),)),
    "no team": fleet_of(teams=()),
    "out of the fleet": fleet_of(agent("guide"), agent("watch"), teams=(team(members="guide watch"),)),
}


@pytest.mark.parametrize("narrower", NARROWER.values(), ids=NARROWER)
def test_landed_memory_that_a_narrower_roster_forbids_is_named_beforehand_and_revoked_at_once(
    owner: Connection, memory: Memory, narrower: Roster
) -> None:
    roster_sync.sync(owner, fleet_of())
    open_note, note = landed(memory, "scout", audience="open"), landed(memory, "scout")
    planned = roster_sync.plan(owner, narrower)
    assert moving(memory) == []
    done = roster_sync.sync(owner, narrower)
    assert lost(done) == lost(planned)
    gone = tuple(sorted([note] if narrower is NARROWER["a smaller read set"] else [open_note, note]))
    assert lost(done) == [("scout", gone, OnNarrowing.AT_ONCE)]
    assert moving(memory) == [("scout", each) for each in gone]
    assert any(said.startswith("REVOKES: scout gives up ") and note in said for said in done.sentences())


@pytest.mark.parametrize("narrower", NARROWER.values(), ids=NARROWER)
def test_where_the_roster_says_so_a_revocation_is_only_proposed(
    owner: Connection, memory: Memory, narrower: Roster
) -> None:
    roster_sync.sync(owner, fleet_of())
    note = landed(memory, "scout")
    careful = replace(narrower, memory=PROPOSE)
    planned = roster_sync.plan(owner, careful)
    done = roster_sync.sync(owner, careful)
    assert lost(done) == lost(planned) == [("scout", (note,), OnNarrowing.PROPOSE)]
    assert moving(memory) == []
    assert memory.rows("select kind, agent, note::text from fleet.incident") == [("narrowed", "scout", note)]


def test_what_others_hold_and_what_is_wider_stays(owner: Connection, memory: Memory) -> None:
    roster_sync.sync(owner, fleet_of())
    landed(memory, "scout", "guide")
    done = roster_sync.sync(owner, fleet_of(agent("scout", "open"), agent("guide"), memory=MemoryRule(review_all=True)))
    assert [each.agent for each in done.revocations] == ["scout"]
    assert roster_sync.sync(owner, fleet_of()).revocations == ()
    assert [each for each, _ in moving(memory)] == ["scout"]


@pytest.mark.parametrize("status", ["pending", "landed", "drifted", "removing"])
def test_memory_is_not_left_behind_in_a_workspace_or_in_a_runtimes_files(
    owner: Connection, memory: Memory, status: str
) -> None:
    roster_sync.sync(owner, fleet_of())
    note = landed(memory, "scout", status=status)
    for moved in (agent("scout", workspace="den"), agent("scout", target=Target.CLAUDE_CODE)):
        with pytest.raises(RosterInvalid, match="scout cannot change its workspace or target yet: memory of 1 note"):
            roster_sync.sync(owner, fleet_of(moved, agent("guide")))
    heir = fleet_of(agent("heir", workspace="scout"), agent("guide"), teams=(team(members="guide heir"),))
    with pytest.raises(RosterInvalid, match="heir cannot have the workspace `scout` yet"):
        roster_sync.sync(owner, heir)
    roster_sync.sync(owner, fleet_of(teams=()))
    memory.remove(note)
    assert roster_sync.sync(owner, heir).added == ("heir",)


def test_an_audience_cannot_go_while_a_team_carries_it(owner: Connection) -> None:
    roster_sync.sync(owner, fleet_of(teams=(team(audiences="open finance"),)))
    kept = fleet_of(
        agent("scout", "open"), agent("guide", "open"), teams=(team(audiences="open finance"),), audiences="open"
    )
    with pytest.raises(RosterInvalid, match="`finance` cannot go while the team crew carries it"):
        roster_sync.sync(owner, kept)
    dropped = fleet_of(agent("scout", "open"), agent("guide", "open"), audiences="open")
    assert (
        "CARRIES LESS: conversations of crew may no longer carry `finance`"
        in roster_sync.sync(owner, dropped).sentences()
    )


def test_an_audience_cannot_go_while_work_or_an_undecided_note_carries_it(owner: Connection, memory: Memory) -> None:
    roster_sync.sync(owner, fleet_of())
    told = memory.told("crew", [("scout", "We pay on Fridays.")], audience="finance")
    without = fleet_of(agent("scout", "open"), agent("guide", "open"), audiences="open")
    with pytest.raises(RosterInvalid, match="1 unfinished tasks and 0 undecided notes carry it"):
        roster_sync.sync(owner, without)
    note = memory.propose(told, recipients=["scout"], preview=False)
    memory.flush(told)
    with pytest.raises(RosterInvalid, match="0 unfinished tasks and 1 undecided notes carry it"):
        roster_sync.sync(owner, without)
    with memory.past() as past:
        past.execute(
            "update fleet.note set status = 'rejected', decided_at = clock_timestamp(), decided_by = 'olga' where id = %s",
            [note],
        )
    assert roster_sync.sync(owner, without).audiences_removed == ("finance",)


def test_a_member_that_is_no_agent_is_refused_before_anything_changes(owner: Connection) -> None:
    with pytest.raises(RosterInvalid, match="nobody cannot be a member of crew"):
        roster_sync.sync(owner, fleet_of(teams=(team(members="scout nobody"),)))
    assert owner.execute("select count(*) from fleet.principal").fetchone() == (0,)
