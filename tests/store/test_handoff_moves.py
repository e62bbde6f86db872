"""The table of moves in `board.handoff` and the one in the database are one table: each cell of it is tried."""

import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from fleetmem.admin import keys, roster_sync, tokens
from fleetmem.board.handoff import Party, Status, may_move
from fleetmem.fleet import claims
from fleetmem.fleet.agent import Agent, Rol
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.roster import Roster
from tests.clusters import Cluster
from tests.databases import Databases

NAMES = {Party.SENDER: "asker", Party.RECIPIENT: "helper"}
WAY_TO = {
    Status.OPEN: (),
    Status.ACCEPTED: ((Party.RECIPIENT, Status.ACCEPTED),),
    Status.DECLINED: ((Party.RECIPIENT, Status.DECLINED),),
    Status.WITHDRAWN: ((Party.SENDER, Status.WITHDRAWN),),
    Status.DONE: ((Party.RECIPIENT, Status.ACCEPTED), (Party.RECIPIENT, Status.DONE)),
    Status.FAILED: ((Party.RECIPIENT, Status.ACCEPTED), (Party.RECIPIENT, Status.FAILED)),
}


class Board:
    """The gateway's login on a database of its own, with two agents' claims."""

    def __init__(self, gateway: psycopg.Connection[Any], claim_of: dict[Party, str]) -> None:
        self.gateway = gateway
        self.claim_of = claim_of

    def send(self) -> str:
        row = self.gateway.execute(
            "select doc::json ->> 'id' from api.handoff_send(%s, null, null, %s, 'please', 'open', null, '{}')",
            [self.claim_of[Party.SENDER], NAMES[Party.RECIPIENT]],
        ).fetchone()
        assert row is not None
        return str(row[0])

    def move(self, party: Party, handoff: str, status: Status) -> None:
        self.gateway.execute(
            "select api.handoff_move(%s, null, null, %s, %s, 'so it is')", [self.claim_of[party], handoff, status.value]
        )


@pytest.fixture(scope="module")
def board(postgres_cluster: Cluster, databases: Databases) -> Iterator[Board]:
    database = databases.fresh(postgres_cluster)
    people = tuple(
        Agent(name=name, description="", instructions="", reads=frozenset(), writes=frozenset({"open"}), workspace=name)
        for name in NAMES.values()
    )
    with psycopg.connect(**database.psycopg()) as owner:
        roster_sync.sync(owner, Roster(audiences=(Audience("open"),), agents=people))
        key = keys.register(owner, Rol.AGENT)
        now = time.time()  # noqa: TID251 -- the wall clock is what the database compares with
        claim_of = {
            party: claims.mint(key, name, tokens.issue(owner, name)[0], now, 120) for party, name in NAMES.items()
        }
    login = postgres_cluster.login("fleetmem_gateway", database.dbname)
    with psycopg.connect(**login.psycopg(), autocommit=True) as gateway:
        yield Board(gateway, claim_of)


@pytest.mark.parametrize("party", list(Party))
@pytest.mark.parametrize("after", list(Status))
@pytest.mark.parametrize("before", list(Status))
def test_the_database_allows_exactly_the_moves_of_the_table(
    board: Board, before: Status, after: Status, party: Party
) -> None:
    handoff = board.send()
    for mover, step in WAY_TO[before]:
        board.move(mover, handoff, step)
    if may_move(before, after, party):
        board.move(party, handoff, after)
    else:
        with pytest.raises(psycopg.errors.CheckViolation, match=r"handoff\.transition"):
            board.move(party, handoff, after)
