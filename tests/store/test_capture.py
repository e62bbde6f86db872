"""What the database lets a holder of the gateway's login and a claim do to a team's record, past every function of ours."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import asyncpg
import psycopg
import pytest

from fleetmem.errors import Absent, AudienceNotWritable
from fleetmem.ids import TaskId
from fleetmem.store import messages, runs, tasks
from fleetmem.store.messages import NewMessage
from fleetmem.store.runs import NewRun
from fleetmem.store.session import Retry, Session
from fleetmem.store.tasks import NewTask
from tests.store.door import Door

ONCE = Retry(key=None, sha256=b"")
TEAMS = """
insert into fleet.team (name, audiences) values ('house', '{open,health}'), ('books', '{open,finance}');
insert into fleet.team_member (team, agent, position)
  values ('house', 'health', 1), ('house', 'finance', 2), ('books', 'finance', 1);
"""


@pytest.fixture(scope="module", autouse=True)
def _teams(door: Door) -> None:
    with psycopg.connect(**door.database.psycopg(), autocommit=True) as owner:
        owner.execute(TEAMS)


@asynccontextmanager
async def forging(door: Door, name: str | None) -> AsyncIterator[asyncpg.Connection]:
    """A raw connection of the gateway's login, inside a transaction, as the agent's role and with its claim."""
    way = door.cluster.login("fleetmem_gateway", door.database.dbname)
    connection = await asyncpg.connect(
        host=way.host, port=way.port, user=way.user, password=way.password, database=way.dbname
    )
    try:
        async with connection.transaction():
            await connection.execute("set local role fleetmem_agent")
            if name is not None:
                await connection.execute("select set_config('fence.token', $1, true)", door.claim(name))
            yield connection
    finally:
        await connection.close()


async def opened(session: Session, door: Door, *, by: str, audience: str = "open") -> UUID:
    task = NewTask(team="house", prompt="Mend it.", audience=audience, redacted_by=())
    return _id((await tasks.open_(session, door.claim(by), task, ONCE)).document)


def _id(document: bytes) -> UUID:
    return UUID(json.loads(document)["id"])


def message(body: str, **further: Any) -> NewMessage:
    said = {"team": "house", "audience": "open", "speaker": "agent", "task": None, "run": None, "redacted_by": ()}
    return NewMessage(body=body, **{**said, **further})


FORGED = [
    "insert into fleet.task (team, prompt, audience, opened_by) values ('house', 'p', 'open', 'health')",
    "insert into fleet.task (team, prompt, audience, status) values ('house', 'p', 'open', 'done')",
    "insert into fleet.task (team, prompt, audience, opened_seq) values ('house', 'p', 'open', 7)",
    "insert into fleet.message (team, body, audience, speaker, seq) values ('house', 'b', 'open', 'agent', 7)",
    "insert into fleet.message (team, body, audience, speaker, author) values ('house', 'b', 'open', 'agent', 'health')",
    "select seq from fleet.message",
    "select opened_seq from fleet.task",
    "select from_seq_exclusive, to_seq_inclusive from fleet.context_injection",
    "select last_seq from fleet.team",
    "update fleet.team set last_seq = 0",
    "update fleet.team set audiences = '{open,finance,health}'",
    "insert into fleet.team_member (team, agent, position) values ('books', 'health', 3)",
    "update fleet.team_member set active = true",
    "update fleet.message set body = 'other'",
    "delete from fleet.message",
    "update fleet.span set body = 'other'",
    "delete from fleet.span",
    "update fleet.context_injection set messages = '{}'",
    "update fleet.task set prompt = 'other'",
    "update fleet.task set settled_at = null",
    "delete from fleet.task",
    "update fleet.run set agent = 'health'",
    "update fleet.run set spans = 9",
    "truncate fleet.run",
    "select * from fence.team_carries('house', 'health', 'open')",
    # None of the grants stands in the way of these: the policies and triggers do.
    "insert into fleet.message (team, body, audience, speaker) values ('house', 'b', 'health', 'agent')",
    "insert into fleet.task (team, prompt, audience) values ('house', 'p', 'finance')",
]


@pytest.mark.parametrize("statement", FORGED)
async def test_a_forged_statement_is_not_allowed(door: Door, statement: str) -> None:
    async with forging(door, "finance") as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)


async def test_without_a_claim_nothing_of_a_team_is_seen_or_written(door: Door) -> None:
    async with door.session() as session:
        await opened(session, door, by="health")
    async with forging(door, None) as connection:
        for table in ("team", "team_member", "task", "message", "run", "span", "context_injection"):
            column = {"team": "name", "span": "run", "context_injection": "run", "team_member": "team"}.get(table, "id")
            assert await connection.fetch(f"select {column} from fleet.{table}") == []
        with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError):
            await connection.execute("insert into fleet.task (team, prompt, audience) values ('house', 'p', 'open')")


async def test_a_span_of_anothers_run_and_of_a_settled_one_is_refused_past_the_function(door: Door) -> None:
    async with door.session() as session:
        task = TaskId(await opened(session, door, by="health"))
        new = NewRun(task=task, node=None, instruction="", injection=None, redacted_by=())
        run = _id((await runs.open_(session, door.claim("health"), new, ONCE)).document)
    insert = "insert into fleet.span (run, seq, kind, name) values ($1, $2, 'tool', 'shell')"
    async with forging(door, "health") as connection:
        await connection.execute(insert, run, 1)
    async with forging(door, "finance") as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(insert, run, 2)
    async with forging(door, "health") as connection:
        await connection.execute("update fleet.run set status = 'cancelled' where id = $1", run)
    async with forging(door, "health") as connection:
        with pytest.raises(asyncpg.CheckViolationError, match=r"run\.settled"):
            await connection.execute(insert, run, 3)
    async with forging(door, "health") as connection:
        with pytest.raises(asyncpg.CheckViolationError, match=r"run\.settled"):
            await connection.execute("update fleet.run set status = 'succeeded' where id = $1", run)


async def test_a_connection_that_is_lost_in_the_middle_leaves_no_gap(door: Door) -> None:
    async with door.session(size=2) as session:
        await messages.post(session, door.claim("health"), message("before"), ONCE)
        way = door.cluster.login("fleetmem_gateway", door.database.dbname)
        connection = await asyncpg.connect(
            host=way.host, port=way.port, user=way.user, password=way.password, database=way.dbname
        )
        lost = connection.transaction()
        await lost.start()
        await connection.execute("set local role fleetmem_agent")
        await connection.execute("select set_config('fence.token', $1, true)", door.claim("health"))
        insert = "insert into fleet.message (team, body, audience, speaker) values ('house', 'lost', 'open', 'agent')"
        await connection.execute(insert)
        waiting = asyncio.create_task(messages.post(session, door.claim("finance"), message("after"), ONCE))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        connection.terminate()
        await asyncio.wait_for(waiting, 5)
    found = await _as_owner(door, "select seq from fleet.message where team = 'house' order by seq")
    assert [row[0] for row in found] == list(range(1, len(found) + 1))
    assert await _as_owner(door, "select from fleet.message where body = 'lost'") == []


async def test_numbers_follow_the_order_of_commits(door: Door) -> None:
    async with door.session(size=8) as session:
        posts = [
            messages.post(session, door.claim(("health", "finance")[each % 2]), message(f"post {each}"), ONCE)
            for each in range(25)
        ]
        await asyncio.gather(*posts)
    found = await _as_owner(
        door, "select seq, created_at, id from fleet.message where team = 'house' and body like 'post %' order by seq"
    )
    assert len(found) == 25
    assert [row[0] for row in found] == list(range(found[0][0], found[0][0] + 25))
    for column in (1, 2):
        assert [row[column] for row in found] == sorted(row[column] for row in found)


async def test_the_store_tells_absent_from_not_writable(door: Door) -> None:
    async with door.session() as session:
        with pytest.raises(Absent):
            await tasks.open_(
                session, door.claim("health"), NewTask(team="books", prompt="p", audience="open", redacted_by=()), ONCE
            )
        with pytest.raises(AudienceNotWritable):
            await messages.post(session, door.claim("finance"), message("b", audience="health"), ONCE)
        hidden = TaskId(await opened(session, door, by="health", audience="health"))
        with pytest.raises(Absent):
            await tasks.get(session, door.claim("finance"), hidden)


async def _as_owner(door: Door, statement: str) -> list[Any]:
    connection = await psycopg.AsyncConnection.connect(**door.database.psycopg())
    async with connection:
        return await (await connection.execute(statement)).fetchall()
