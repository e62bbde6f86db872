"""A keyed request is done once: again, in parallel, and after its answer was lost."""

import asyncio
import time

import asyncpg
import psycopg
import pytest

from fleetmem.fleet import claims
from tests.http.fleet import Fleet, Voice, refused

BEAT = {"topic": "Keyed", "body": "It is so.", "audience": "open"}
HANDOFF = {"recipient": "finance", "request": "Please.", "audience": "open"}


async def test_the_same_key_and_body_get_the_first_answer_again(facilities: Voice) -> None:
    first = await facilities.post("/v1/beats", BEAT, key="again")
    await facilities.publish("Keyed", body="Something newer.")
    second = await facilities.post("/v1/beats", BEAT, key="again")
    assert (second.status_code, second.content) == (201, first.content)
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"


async def test_the_order_of_fields_does_not_make_another_body(facilities: Voice) -> None:
    first = await facilities.post("/v1/beats", BEAT, key="order")
    second = await facilities.post("/v1/beats", dict(reversed(BEAT.items())), key="order")
    assert second.content == first.content


async def test_the_same_key_with_another_body_is_a_conflict(facilities: Voice) -> None:
    await facilities.post("/v1/beats", BEAT, key="other")
    conflict = await facilities.post("/v1/beats", BEAT | {"body": "Something else."}, key="other")
    assert refused(conflict)[:2] == (409, "idempotency.conflict")


async def test_the_same_key_at_another_address_is_a_conflict(health: Voice) -> None:
    await health.post("/v1/beats", BEAT, key="elsewhere")
    assert refused(await health.post("/v1/handoffs", HANDOFF, key="elsewhere"))[:2] == (409, "idempotency.conflict")


async def test_a_key_is_its_senders_own(facilities: Voice, health: Voice) -> None:
    mine = await facilities.post("/v1/beats", BEAT, key="shared")
    theirs = await health.post("/v1/beats", BEAT, key="shared")
    assert theirs.status_code == 201
    assert theirs.json()["id"] != mine.json()["id"]
    assert theirs.json()["author"] == "health"


async def test_the_same_key_in_parallel_is_done_once(facilities: Voice, finance: Voice) -> None:
    draft = BEAT | {"topic": "In parallel"}
    answers = await asyncio.gather(*(facilities.post("/v1/beats", draft, key="parallel") for _ in range(20)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    made = (await finance.get("/v1/beats", topic="in parallel", live="false")).json()["items"]
    assert len(made) == 1


async def test_different_bodies_under_one_key_in_parallel_are_done_once(facilities: Voice, finance: Voice) -> None:
    answers = await asyncio.gather(
        *(facilities.post("/v1/beats", BEAT | {"topic": f"Either {number}"}, key="either") for number in range(10))
    )
    assert sorted(answer.status_code for answer in answers) == [201, *[409] * 9]
    made = (await finance.get("/v1/beats", author="facilities", limit=100)).json()["items"]
    assert len([beat for beat in made if beat["topic"].startswith("Either ")]) == 1


async def test_a_move_under_a_key_can_be_sent_again(health: Voice, finance: Voice) -> None:
    handoff_id = await health.send("finance")
    first = await finance.post(f"/v1/handoffs/{handoff_id}/accept", key="accept")
    again = await finance.post(f"/v1/handoffs/{handoff_id}/accept", key="accept")
    assert (again.status_code, again.content) == (200, first.content)
    assert refused(await finance.post(f"/v1/handoffs/{handoff_id}/accept"))[:2] == (409, "handoff.transition")


async def test_a_request_whose_answer_was_lost_can_be_sent_again(facilities: Voice, finance: Voice) -> None:
    draft = BEAT | {"topic": "Lost answer"}
    lost = asyncio.create_task(facilities.post("/v1/beats", draft, key="lost"))
    await asyncio.sleep(0.002)
    lost.cancel()
    await asyncio.gather(lost, return_exceptions=True)
    again = await facilities.post("/v1/beats", draft, key="lost")
    assert again.status_code == 201
    made = (await finance.get("/v1/beats", topic="lost answer", live="false")).json()["items"]
    assert [beat["id"] for beat in made] == [again.json()["id"]]


async def test_a_refusal_is_not_remembered(facilities: Voice) -> None:
    refused_first = await facilities.post("/v1/beats", BEAT | {"audience": "finance"}, key="refused")
    assert refused(refused_first)[:2] == (403, "audience.not_writable")
    assert (await facilities.post("/v1/beats", BEAT, key="refused")).status_code == 201


async def test_without_a_key_twice_is_twice(facilities: Voice) -> None:
    first = await facilities.post("/v1/beats", BEAT)
    second = await facilities.post("/v1/beats", BEAT)
    assert first.json()["id"] != second.json()["id"]


async def test_a_move_sent_again_while_its_first_sending_still_runs_gets_the_first_answer(
    fleet: Fleet, facilities: Voice, finance: Voice
) -> None:
    handoff = await facilities.send("finance")
    beat = await facilities.publish("Retracted twice")
    for voice, url, table, record in (
        (finance, f"/v1/handoffs/{handoff}/accept", "handoff", handoff),
        (facilities, f"/v1/beats/{beat}/retract", "beat", beat),
    ):
        with psycopg.connect(**fleet.database.psycopg()) as blocker:
            # Both look for a remembered answer, find none, and queue for the record.
            blocker.execute(f"select from fleet.{table} where id = %s for update", [record])
            sendings = [
                asyncio.create_task(voice.post(url, {} if table == "handoff" else None, key="twice")) for _ in "ab"
            ]
            await asyncio.sleep(0.4)
        first, second = await asyncio.gather(*sendings)
        assert (first.status_code, second.status_code) == (200, 200), (first.text, second.text)
        assert first.content == second.content
        assert {"idempotency-replayed" in each.headers for each in (first, second)} == {True, False}
    refusal = await finance.post(f"/v1/handoffs/{handoff}/accept", {}, key="another")
    assert refused(refusal)[:2] == (409, "handoff.transition")


@pytest.mark.parametrize(("status", "answer"), [(99, "{}"), (1000, "{}"), (204, "{}"), (201, "x" * 131_073)])
async def test_an_answer_that_no_write_has_cannot_be_planted(fleet: Fleet, status: int, answer: str) -> None:
    key = claims.read_key((fleet.settings.home / "secrets" / "gateway" / "key.json").read_bytes())
    now = time.time()  # noqa: TID251 -- the wall clock is what the database compares with
    claim = claims.mint(key, "health", fleet.token_ids["health"], now)
    login = await fleet.as_login("fleetmem_gateway")
    plant = "insert into fleet.idempotency (key, request_sha256, status, answer) values ('planted', sha256(''), $1, $2)"
    try:
        async with login.transaction():
            await login.execute(
                "select set_config('fence.token', $1, true), set_config('role', 'fleetmem_agent', true)", claim
            )
            with pytest.raises(asyncpg.CheckViolationError):
                await login.execute(plant, status, answer)
    finally:
        await login.close()
