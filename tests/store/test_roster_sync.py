"""The roster in the database: synced whole, in one transaction, with effect at the next statement."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from fleetmem.admin import keys, roster_sync, tokens
from fleetmem.admin.postgres import ConnInfo
from fleetmem.errors import RosterInvalid
from fleetmem.fleet import claims, roster
from fleetmem.fleet.agent import Agent, Person, Rol
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.roster import Roster
from tests.clusters import Cluster
from tests.databases import Databases

SHIPPED = roster.parse((Path(__file__).parents[2] / "roster.yaml").read_bytes())
Connection = psycopg.Connection[Any]


@pytest.fixture
def fleet(postgres_cluster: Cluster, databases: Databases) -> ConnInfo:
    return databases.fresh(postgres_cluster)


@pytest.fixture
def owner(fleet: ConnInfo) -> Iterator[Connection]:
    with psycopg.connect(**fleet.psycopg(), autocommit=True) as connection:
        yield connection


@pytest.fixture
def gateway(postgres_cluster: Cluster, fleet: ConnInfo) -> Iterator[Connection]:
    login = postgres_cluster.login("fleetmem_gateway", fleet.dbname)
    with psycopg.connect(**login.psycopg(), autocommit=True) as connection:
        yield connection


def agent(name: str, *, reads: str = "", writes: str = "") -> Agent:
    return Agent(
        name=name,
        description=f"Is {name}.",
        instructions="",
        reads=frozenset(reads.split()),
        writes=frozenset(writes.split()),
        workspace=name,
    )


def fleet_of(*agents: Agent, audiences: str = "open finance", people: tuple[Person, ...] = ()) -> Roster:
    return Roster(audiences=tuple(map(Audience, audiences.split())), agents=agents, operators=people)


def claim_for(owner: Connection, name: str) -> str:
    bearer_id, _ = tokens.issue(owner, name)
    return claims.mint(keys.register(owner, Rol.AGENT), name, bearer_id, time.time())  # noqa: TID251 -- the wall clock is what the database compares with


def reads_of(gateway: Connection, claim: str) -> list[str]:
    row = gateway.execute("select api.me(%s)::json -> 'reads'", [claim]).fetchone()
    assert row is not None
    return sorted(row[0])


def publish(gateway: Connection, claim: str, audience: str) -> None:
    gateway.execute("select api.beat_publish(%s, null, null, 'topic', 'body', %s, null)", [claim, audience])


def test_the_shipped_roster_can_be_synced_and_is_then_in_force(owner: Connection) -> None:
    done = roster_sync.sync(owner, SHIPPED)
    assert set(done.added) == SHIPPED.roles().keys()
    assert roster_sync.plan(owner, SHIPPED).is_empty


def test_syncing_again_changes_nothing(owner: Connection) -> None:
    roster_sync.sync(owner, SHIPPED)
    before = owner.execute("select xmin::text, name from fleet.principal order by name").fetchall()
    assert roster_sync.sync(owner, SHIPPED).is_empty
    assert owner.execute("select xmin::text, name from fleet.principal order by name").fetchall() == before


def test_a_plan_changes_nothing(owner: Connection) -> None:
    assert roster_sync.plan(owner, SHIPPED).added
    assert owner.execute("select count(*) from fleet.principal").fetchone() == (0,)


def test_a_plan_tells_what_the_sync_then_does(owner: Connection) -> None:
    roster_sync.sync(owner, fleet_of(agent("scout", reads="open"), agent("guide")))
    declared = fleet_of(agent("scout", reads="finance"), agent("watch", writes="open"))
    told = roster_sync.plan(owner, declared)
    assert told == roster_sync.sync(owner, declared)
    assert set(told.sentences()) == {
        "SEES MORE: scout would read `finance`, past records included",
        "SEES LESS: scout would no longer read `open`",
        "WRITES MORE: watch may write for `open`",
        "ADDED: watch",
        "DEACTIVATED: guide loses all access at once; its records stay",
    }


def test_a_narrowed_agent_reads_less_at_its_next_statement(owner: Connection, gateway: Connection) -> None:
    roster_sync.sync(owner, fleet_of(agent("scout", reads="open finance")))
    claim = claim_for(owner, "scout")
    assert reads_of(gateway, claim) == ["finance", "open"]
    roster_sync.sync(owner, fleet_of(agent("scout", reads="open")))
    assert reads_of(gateway, claim) == ["open"]


def test_a_deactivated_agent_loses_access_at_its_next_statement_and_keeps_its_row(
    owner: Connection, gateway: Connection
) -> None:
    roster_sync.sync(owner, fleet_of(agent("scout", reads="open")))
    claim = claim_for(owner, "scout")
    assert reads_of(gateway, claim) == ["open"]
    roster_sync.sync(owner, fleet_of())
    with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification):
        reads_of(gateway, claim)
    row = owner.execute("select active, reads, writes from fleet.principal where name = 'scout'").fetchone()
    assert row == (False, [], [])


def test_who_returns_is_announced_and_needs_a_new_token(owner: Connection, gateway: Connection) -> None:
    declared = fleet_of(agent("scout", reads="open"))
    roster_sync.sync(owner, declared)
    claim = claim_for(owner, "scout")
    roster_sync.sync(owner, fleet_of())
    told = roster_sync.sync(owner, declared)
    assert told.returned == ("scout",)
    assert told.added == ()
    with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification):
        reads_of(gateway, claim)
    assert reads_of(gateway, claim_for(owner, "scout")) == ["open"]


def test_a_name_keeps_its_role_even_after_it_left(owner: Connection) -> None:
    roster_sync.sync(owner, fleet_of(agent("scout")))
    roster_sync.sync(owner, fleet_of())
    with pytest.raises(RosterInvalid, match="scout was an agent and cannot become an operator"):
        roster_sync.sync(owner, fleet_of(people=(Person("scout"),)))


def test_an_audience_that_live_records_use_cannot_go(owner: Connection, gateway: Connection) -> None:
    roster_sync.sync(owner, fleet_of(agent("scout", reads="open", writes="finance")))
    publish(gateway, claim_for(owner, "scout"), "finance")
    with pytest.raises(RosterInvalid, match="`finance` cannot go yet: 1 live beats and 0 unfinished handoffs"):
        roster_sync.sync(owner, fleet_of(agent("guide"), audiences="open"))
    assert owner.execute("select name from fleet.principal where active").fetchall() == [("scout",)]


def test_an_unused_audience_is_retired_and_can_return(owner: Connection) -> None:
    roster_sync.sync(owner, fleet_of(agent("scout", reads="open finance")))
    roster_sync.sync(owner, fleet_of(agent("scout", reads="open"), audiences="open"))
    rows = owner.execute("select name, active from fleet.audience order by name").fetchall()
    assert rows == [("finance", False), ("open", True)]
    roster_sync.sync(owner, fleet_of(agent("scout", reads="open finance")))
    assert owner.execute("select bool_and(active) from fleet.audience").fetchone() == (True,)


def test_a_suspension_survives_a_sync(owner: Connection) -> None:
    declared = fleet_of(agent("scout"))
    roster_sync.sync(owner, declared)
    owner.execute("update fleet.principal set suspended_at = now(), tokens_from = '2027-01-01' where name = 'scout'")
    roster_sync.sync(owner, replace(declared, agents=(replace(declared.agents[0], description="Changed."),)))
    row = owner.execute(
        "select suspended_at is not null, tokens_from::date::text, description from fleet.principal"
    ).fetchone()
    assert row == (True, "2027-01-01", "Changed.")


def test_a_sync_that_fails_midway_leaves_the_old_roster(owner: Connection) -> None:
    roster_sync.sync(owner, fleet_of(agent("scout", reads="open")))
    broken = replace(fleet_of(agent("guide", reads="open")), agents=(agent("guide", reads="nowhere"),))
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        roster_sync.sync(owner, broken)
    assert owner.execute("select name, active from fleet.principal").fetchall() == [("scout", True)]


def test_the_callers_role_is_its_own_again_afterwards(owner: Connection) -> None:
    with owner.transaction():
        roster_sync.sync(owner, SHIPPED)
        assert owner.execute("select current_user = session_user").fetchone() == (True,)
