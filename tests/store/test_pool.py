"""The pool lends connections on which nothing of an earlier borrower is left, and survives what happens to them."""

import asyncio
import json
from uuid import uuid4

import asyncpg
import psycopg
import pytest

from fleetmem.errors import Absent, FleetmemError, TokenInvalid, Unavailable
from fleetmem.store import agents, beats
from fleetmem.store.pool import Pool
from fleetmem.store.session import Place, Retry, Session
from tests.store.door import Door

RETRY = Retry(key=None, sha256=b"")

# Everything a session could carry over, as the connection itself sees it between two statements; its locks are the
# owner's to see.
LEFTOVERS = """
select current_user::text as role,
       coalesce(current_setting('fence.token', true), '') as token,
       current_setting('transaction_read_only') as read_only,
       (select count(*) from pg_catalog.pg_settings s
         where s.source = 'session' and s.name not in ('role')) as settings,
       pg_catalog.pg_backend_pid() as pid,
       (select count(*) from pg_catalog.pg_cursors c where c.name <> '') as cursors,
       (select count(*) from pg_catalog.pg_listening_channels()) as channels,
       pg_catalog.pg_my_temp_schema() as temp_schema
"""
NOTHING = {
    "role": "fleetmem_gateway",
    "token": "",
    "read_only": "off",
    "settings": 0,
    "advisory_locks": 0,
    "cursors": 0,
    "channels": 0,
    "temp_schema": 0,
}


LOCKS = "select count(*) from pg_locks where locktype = 'advisory' and pid = %s"


async def leftovers(door: Door, pool: Pool) -> dict[str, object]:
    connection = await pool.borrow(wait_s=5)
    try:
        row = await connection.fetchrow(LEFTOVERS)
    finally:
        pool.give_back(connection)
    assert row is not None
    found = dict(row)
    with psycopg.connect(**door.database.psycopg()) as owner:
        held = owner.execute(LOCKS, [found.pop("pid")]).fetchone()
    assert held is not None
    return found | {"advisory_locks": held[0]}


async def name_of(session: Session, claim: str) -> str:
    name: str = json.loads(await agents.me(session, claim))["name"]
    return name


def beat(topic: str) -> beats.NewBeat:
    return beats.NewBeat(topic=topic, body="It is so.", audience="open", expires_at=None)


async def backend(pool: Pool) -> int:
    connection = await pool.borrow(wait_s=5)
    try:
        return int(await connection.fetchval("select pg_backend_pid()"))
    finally:
        pool.give_back(connection)


async def test_two_agents_alternate_on_one_connection_and_each_is_itself(door: Door) -> None:
    async with door.pool() as pool:
        session = Session(pool, wait_s=5)
        pid = await backend(pool)
        for _ in range(20):
            for name in ("health", "finance"):
                assert await name_of(session, door.claim(name)) == name
                await beats.publish(session, door.claim(name), beat(f"of {name}"), RETRY)
        assert await backend(pool) == pid


async def test_nothing_is_left_of_a_request_that_succeeded(door: Door) -> None:
    async with door.pool() as pool:
        session = Session(pool, wait_s=5)
        await agents.me(session, door.claim("health"))
        await beats.publish(session, door.claim("health"), beat("left"), RETRY)
        assert await leftovers(door, pool) == NOTHING


async def test_nothing_is_left_of_a_request_that_was_refused(door: Door) -> None:
    async with door.pool() as pool:
        session = Session(pool, wait_s=5)
        pid = await backend(pool)
        with pytest.raises(Absent):
            await beats.get(session, door.claim("health"), uuid4())  # type: ignore[arg-type]
        with pytest.raises(TokenInvalid):
            await agents.me(session, "no claim at all")
        assert await leftovers(door, pool) == NOTHING
        assert await backend(pool) == pid, "a refusal is no reason to throw a connection away"


async def test_a_failing_first_statement_leaves_a_usable_connection(door: Door) -> None:
    async with door.session() as session:
        with pytest.raises(TokenInvalid):
            await agents.me(session, "not a claim")
        assert await name_of(session, door.claim("finance")) == "finance"


async def test_without_a_claim_the_next_borrower_is_nobody(door: Door) -> None:
    async with door.session() as session:
        assert await name_of(session, door.claim("health")) == "health"
        with pytest.raises(TokenInvalid):
            await agents.me(session, "")


async def test_a_request_cancelled_in_its_transaction_leaves_nothing_behind(door: Door) -> None:
    topic = "cancelled"
    async with door.pool() as pool:
        session = Session(pool, wait_s=5)
        with psycopg.connect(**door.database.psycopg()) as blocker:
            # Publishers of one topic queue for this lock: the request below is inside its transaction when it is cancelled.
            blocker.execute("select pg_advisory_xact_lock(hashtext('health'), hashtext(%s))", [topic])
            request = asyncio.create_task(beats.publish(session, door.claim("health"), beat(topic), RETRY))
            await asyncio.sleep(0.3)
            request.cancel()
            with pytest.raises(asyncio.CancelledError):
                await request
            assert await leftovers(door, pool) == NOTHING
            assert await name_of(session, door.claim("finance")) == "finance"
        page = json.loads(
            await beats.page(session, door.claim("health"), beats.Filter(topic=topic), Place(before=None, size=5))
        )
        # Nobody waited for the answer, so the beat may be there, but then whole.
        assert [item["body"] for item in page["items"]] in ([], [beat(topic).body])


async def test_a_connection_that_the_server_ended_is_replaced(door: Door) -> None:
    async with door.pool() as pool:
        session = Session(pool, wait_s=5)
        pid = await backend(pool)
        with psycopg.connect(**door.database.psycopg(), autocommit=True) as owner:
            owner.execute("select pg_terminate_backend(%s)", [pid])
        for _ in range(20):
            try:
                assert await name_of(session, door.claim("health")) == "health"
                break
            except Unavailable:
                await asyncio.sleep(0.05)
        else:
            pytest.fail("the pool did not recover")
        assert await backend(pool) != pid


async def test_who_finds_no_connection_waits_in_line(door: Door) -> None:
    async with door.session(size=2) as session:
        names = ["health", "finance"] * 15
        assert await asyncio.gather(*(name_of(session, door.claim(name)) for name in names)) == names


async def test_who_waits_too_long_is_told_when_to_come_back(door: Door) -> None:
    async with door.pool() as pool:
        session = Session(pool, wait_s=0.05)
        held = await pool.borrow(wait_s=1)
        with pytest.raises(Unavailable) as refused:
            await agents.me(session, door.claim("health"))
        pool.give_back(held)
        assert refused.value.retry_after_s == 1
        assert await name_of(session, door.claim("health")) == "health"


async def test_a_place_given_to_somebody_who_left_is_not_lost(door: Door) -> None:
    async with door.pool() as pool:
        held = await pool.borrow(wait_s=1)
        waiting = [asyncio.create_task(pool.borrow(wait_s=5)) for _ in range(3)]
        await asyncio.sleep(0)
        pool.give_back(held)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        pool.give_back(await pool.borrow(wait_s=1))


async def test_a_closed_pool_lends_nothing(door: Door) -> None:
    async with door.pool() as pool:
        pass
    with pytest.raises(asyncpg.InterfaceError):
        await pool.borrow(wait_s=1)


async def test_a_connection_given_back_inside_a_transaction_is_not_lent_again(door: Door) -> None:
    async with door.pool() as pool:
        connection = await pool.borrow(wait_s=1)
        await connection.execute("begin")
        pool.give_back(connection)
        assert await leftovers(door, pool) == NOTHING
        assert connection.is_closed()


async def test_a_wrong_password_says_so_at_once(door: Door) -> None:
    from fleetmem.store.pool import Address, open_pool  # noqa: PLC0415

    address = Address(host=door.database.host, port=door.database.port, dbname=door.database.dbname)
    with pytest.raises((asyncpg.PostgresError, FleetmemError)):
        await open_pool(address, login="fleetmem_gateway", password="wrong", size=1)
