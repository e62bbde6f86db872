"""The database goes away: 503 with Retry-After, nothing done twice, and an answer again as soon as it is back."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import psycopg
import pytest

from fleetmem_gateway import app
from tests.http.fleet import Fleet, Voice, bearer, refused, running
from tests.http.network import Wire

BEAT = {"topic": "Outage", "body": "It is so.", "audience": "open"}


@pytest.fixture
async def line(fleet: Fleet) -> AsyncIterator[Wire]:
    wire = Wire(fleet.database)
    await wire.mend()
    yield wire
    await wire.cut()


@pytest.fixture
async def client(fleet: Fleet, line: Wire) -> AsyncIterator[httpx.AsyncClient]:
    async with running(app.agents(fleet.told(service_database_url=line.url, pool_size=2, pool_wait_s=0.3))) as client:
        yield client


def is_unavailable(answer: httpx.Response) -> bool:
    status, code, _, _ = refused(answer)
    return (status, code) == (503, "unavailable") and int(answer.headers["retry-after"]) >= 1


async def test_a_database_that_is_gone_is_a_503_and_one_that_is_back_is_an_answer(
    fleet: Fleet, client: httpx.AsyncClient, line: Wire
) -> None:
    health = Voice(client, fleet.tokens["health"])
    assert (await health.get("/v1/me")).status_code == 200
    await line.cut()
    assert is_unavailable(await health.get("/v1/me"))
    assert is_unavailable(await health.post("/v1/beats", BEAT))
    assert is_unavailable(await client.get("/readyz"))
    assert is_unavailable(await client.get("/v1/me", headers=bearer(fleet.tokens["finance"])))
    assert (await client.get("/healthz")).status_code == 200
    await line.mend()
    assert (await health.get("/v1/me")).status_code == 200
    assert (await client.get("/readyz")).status_code == 200
    assert (await client.get("/v1/me", headers=bearer(fleet.tokens["finance"]))).status_code == 200


async def test_requests_in_flight_when_it_goes_are_503s_and_can_be_sent_again(
    fleet: Fleet, client: httpx.AsyncClient, line: Wire
) -> None:
    health = Voice(client, fleet.tokens["health"])
    assert (await health.get("/v1/me")).status_code == 200
    sending = [
        asyncio.create_task(health.post("/v1/beats", BEAT | {"topic": f"Flight {number}"}, key=f"flight-{number}"))
        for number in range(20)
    ]
    await asyncio.sleep(0.01)
    await line.cut()
    answers = await asyncio.gather(*sending)
    assert {answer.status_code for answer in answers} <= {201, 503}
    await line.mend()
    for number in range(20):
        again = await health.post("/v1/beats", BEAT | {"topic": f"Flight {number}"}, key=f"flight-{number}")
        assert again.status_code == 201
    made = (await health.get("/v1/beats", author="health", live="false", limit=100)).json()["items"]
    topics = [beat["topic"] for beat in made if beat["topic"].startswith("Flight ")]
    assert sorted(topics) == sorted({f"Flight {number}" for number in range(20)})


async def test_a_busy_pool_is_a_503_and_free_again_an_answer(fleet: Fleet, client: httpx.AsyncClient) -> None:
    health = Voice(client, fleet.tokens["health"])
    assert (await health.get("/v1/me")).status_code == 200
    with psycopg.connect(**fleet.database.psycopg()) as blocker:
        blocker.execute("select pg_advisory_xact_lock(hashtext('health'), hashtext('busy'))")
        publishing = [
            asyncio.create_task(health.post("/v1/beats", BEAT | {"topic": "busy", "body": f"{number}"}))
            for number in range(2)
        ]
        await asyncio.sleep(0.1)
        assert is_unavailable(await health.get("/v1/me"))
        blocker.rollback()
        assert [answer.status_code for answer in await asyncio.gather(*publishing)] == [201, 201]
    assert (await health.get("/v1/me")).status_code == 200


async def test_a_fence_that_changed_under_a_running_gateway_makes_it_unready(
    fleet: Fleet, client: httpx.AsyncClient
) -> None:
    with fleet.owner() as owner:
        owner.execute("update fence.applied set sha256 = reverse(sha256) where file = '30_beats.sql'")
        try:
            assert is_unavailable(await client.get("/readyz"))
        finally:
            owner.execute("update fence.applied set sha256 = reverse(sha256) where file = '30_beats.sql'")
    assert (await client.get("/readyz")).status_code == 200
