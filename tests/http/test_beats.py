"""Beats over HTTP: what is published is read by whom it is for, and by nobody else."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import msgspec

from fleetmem import wire
from tests.http.fleet import Voice, refused


async def test_a_beat_is_published_and_read_by_a_colleague(facilities: Voice, finance: Voice) -> None:
    published = await facilities.post(
        "/v1/beats", {"topic": "Boiler", "body": "Serviced.\n\tTwice.", "audience": "open"}
    )
    assert published.status_code == 201
    beat = msgspec.json.decode(published.content, type=wire.Beat)
    assert (beat.author, beat.body, beat.status, beat.ended_at) == ("facilities", "Serviced.\n\tTwice.", "live", None)
    assert beat.expires_at - beat.created_at == timedelta(days=7)
    read = await finance.get(f"/v1/beats/{beat.id}")
    assert (read.status_code, read.json()) == (200, published.json())


async def test_a_beat_outside_the_read_set_looks_absent(health: Voice, facilities: Voice) -> None:
    hidden = await health.publish("Blood pressure", audience="health")
    assert refused(await facilities.get(f"/v1/beats/{hidden}"))[:2] == (404, "record.absent")
    assert refused(await facilities.get(f"/v1/beats/{hidden}/history"))[:2] == (404, "record.absent")
    assert refused(await facilities.post(f"/v1/beats/{hidden}/retract"))[:2] == (404, "record.absent")
    listed = await facilities.get("/v1/beats", topic="Blood pressure")
    assert listed.json() == {"items": [], "next": None}


async def test_an_agent_cannot_write_for_an_audience_outside_its_write_set(facilities: Voice, finance: Voice) -> None:
    draft = {"topic": "Budget", "body": "None left.", "audience": "finance"}
    assert refused(await facilities.post("/v1/beats", draft)) == (403, "audience.not_writable", "audience", None)
    unknown = await facilities.post("/v1/beats", draft | {"audience": "no-such-audience"})
    assert refused(unknown) == (403, "audience.not_writable", "audience", None)
    assert (await finance.get("/v1/beats", topic="Budget")).json()["items"] == []


async def test_an_agent_without_a_read_set_browses_nothing(facilities: Voice, maintenance: Voice) -> None:
    await facilities.publish("Everyone's")
    assert (await maintenance.get("/v1/beats")).json() == {"items": [], "next": None}


async def test_a_new_beat_supersedes_the_old_one_of_its_topic(facilities: Voice, finance: Voice) -> None:
    first = await facilities.publish("Garden gate", body="Open.")
    second = await facilities.publish("  GARDEN Gate ", body="Closed.")
    assert (await finance.get(f"/v1/beats/{first}")).json()["status"] == "superseded"
    live = (await finance.get("/v1/beats", topic="garden gate")).json()["items"]
    assert [beat["id"] for beat in live] == [second]
    history = (await finance.get(f"/v1/beats/{first}/history")).json()["items"]
    assert [beat["id"] for beat in history] == [second, first]


async def test_of_fifty_concurrent_publishers_of_one_topic_one_stays_live(facilities: Voice, finance: Voice) -> None:
    answers = await asyncio.gather(
        *(
            facilities.post("/v1/beats", {"topic": "Race", "body": f"Number {number}.", "audience": "open"})
            for number in range(50)
        )
    )
    assert [answer.status_code for answer in answers] == [201] * 50
    every = (await finance.get("/v1/beats", topic="race", live="false", limit=100)).json()["items"]
    assert len(every) == 50
    assert {beat["id"] for beat in every} == {answer.json()["id"] for answer in answers}
    assert [beat["status"] for beat in every].count("live") == 1
    assert [beat["status"] for beat in every].count("superseded") == 49


async def test_an_author_retracts_its_own_beat_once(facilities: Voice, finance: Voice) -> None:
    beat_id = await facilities.publish("Lift")
    assert refused(await finance.post(f"/v1/beats/{beat_id}/retract"))[:2] == (403, "action.forbidden")
    retracted = await facilities.post(f"/v1/beats/{beat_id}/retract", {})
    assert (retracted.status_code, retracted.json()["status"]) == (200, "retracted")
    assert refused(await facilities.post(f"/v1/beats/{beat_id}/retract"))[:2] == (409, "beat.ended")
    assert (await finance.get(f"/v1/beats/{beat_id}")).json()["status"] == "retracted"


async def test_beats_are_listed_newest_first_a_page_at_a_time(facilities: Voice, finance: Voice) -> None:
    made = [await facilities.publish(f"Page {number}") for number in range(7)]
    found: list[str] = []
    page = (await finance.get("/v1/beats", author="facilities", limit=3)).json()
    while len(found) < 7:
        found += [beat["id"] for beat in page["items"]]
        page = (await finance.get("/v1/beats", author="facilities", limit=3, cursor=page["next"])).json()
    assert found[:7] == made[::-1]


async def test_beats_are_listed_by_topic_author_audience_and_since(health: Voice, facilities: Voice) -> None:
    beat_id = await health.publish("Filter", audience="open")
    await health.publish("Other", audience="health")
    await facilities.publish("Filter", audience="open")
    found = (await health.get("/v1/beats", topic="FILTER", author="health", audience="open")).json()["items"]
    assert [beat["id"] for beat in found] == [beat_id]
    late = (datetime.now(UTC) + timedelta(hours=1)).isoformat()  # noqa: TID251 -- compared with the database's clock
    assert (await health.get("/v1/beats", since=late)).json()["items"] == []
    early = (datetime.now(UTC) - timedelta(hours=1)).isoformat()  # noqa: TID251 -- as above
    assert (await health.get("/v1/beats", since=early, topic="filter")).json()["items"] != []


async def test_the_pages_decode_strictly_as_the_api_declares_them(facilities: Voice) -> None:
    beat_id = await facilities.publish("Strict")
    for url, shape in (
        ("/v1/beats", wire.BeatPage),
        (f"/v1/beats/{beat_id}", wire.Beat),
        (f"/v1/beats/{beat_id}/history", wire.BeatPage),
        ("/v1/me", wire.Me),
    ):
        answer = await facilities.get(url)
        decoded = msgspec.json.decode(answer.content, type=shape)
        assert msgspec.to_builtins(decoded).keys() == answer.json().keys()
        for got, said in zip(getattr(decoded, "items", []), answer.json().get("items", []), strict=True):
            assert msgspec.to_builtins(got).keys() == said.keys()


async def test_an_expiry_of_ninety_days_is_taken_and_a_day_more_is_not(facilities: Voice) -> None:
    draft = {"topic": "Expiry", "body": "It is so.", "audience": "open"}
    now = datetime.now(UTC)  # noqa: TID251 -- compared with the database's clock
    taken = await facilities.post("/v1/beats", draft | {"expires_at": (now + timedelta(days=89)).isoformat()})
    assert taken.status_code == 201
    late = await facilities.post("/v1/beats", draft | {"expires_at": (now + timedelta(days=91)).isoformat()})
    assert refused(late) == (400, "request.invalid", "expires_at", "too-far")


async def test_a_beat_that_expired_shows_so_is_listed_no_more_and_cannot_be_retracted(
    facilities: Voice, finance: Voice
) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=0.5)  # noqa: TID251 -- compared with the database's clock
    draft = {"topic": "Short-lived", "body": "It is so.", "audience": "open", "expires_at": soon.isoformat()}
    beat_id = (await facilities.post("/v1/beats", draft)).json()["id"]
    await asyncio.sleep(0.6)
    assert (await finance.get("/v1/beats", topic="Short-lived")).json()["items"] == []
    assert (await finance.get(f"/v1/beats/{beat_id}")).json()["status"] == "expired"
    assert refused(await facilities.post(f"/v1/beats/{beat_id}/retract"))[:2] == (409, "beat.ended")


async def test_an_absent_beat_is_absent(facilities: Voice) -> None:
    assert refused(await facilities.get(f"/v1/beats/{uuid4()}"))[:2] == (404, "record.absent")
