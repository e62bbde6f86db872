"""What is hidden and what does not exist answer with the same status, headers and bytes."""

import httpx
import pytest

from tests.http.fleet import Voice, bearer

ABSENT = "01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8"


async def answers_to(voice: Voice, method: str, path: str, body: object) -> tuple[int, list[tuple[str, str]], bytes]:
    headers = bearer(voice.token) | {"X-Request-Id": "the-same"}
    answer: httpx.Response = await voice.client.request(method, path, headers=headers, json=body)
    return answer.status_code, sorted(answer.headers.multi_items()), answer.content


@pytest.mark.parametrize(
    ("method", "rest", "body"),
    [("GET", "", None), ("GET", "/history", None), ("POST", "/retract", None), ("POST", "/retract", {})],
)
async def test_a_hidden_beat_answers_as_an_absent_one(
    health: Voice, facilities: Voice, method: str, rest: str, body: object
) -> None:
    hidden = await health.publish("Alike", audience="health")
    of_hidden = await answers_to(facilities, method, f"/v1/beats/{hidden}{rest}", body)
    of_absent = await answers_to(facilities, method, f"/v1/beats/{ABSENT}{rest}", body)
    assert of_hidden == of_absent
    assert of_hidden[0] == 404


@pytest.mark.parametrize(
    ("method", "rest", "body"),
    [
        ("GET", "", None),
        ("POST", "/accept", None),
        ("POST", "/decline", {"reply": "No."}),
        ("POST", "/withdraw", None),
        ("POST", "/answer", {"outcome": "done", "reply": "Yes."}),
    ],
)
async def test_a_hidden_handoff_answers_as_an_absent_one(
    health: Voice, facilities: Voice, method: str, rest: str, body: object
) -> None:
    hidden = await health.send("finance", audience="health")
    of_hidden = await answers_to(facilities, method, f"/v1/handoffs/{hidden}{rest}", body)
    of_absent = await answers_to(facilities, method, f"/v1/handoffs/{ABSENT}{rest}", body)
    assert of_hidden == of_absent
    assert of_hidden[0] == 404


async def test_a_hidden_topic_lists_as_an_absent_one(health: Voice, facilities: Voice) -> None:
    await health.publish("Hidden topic", audience="health")
    of_hidden = await answers_to(facilities, "GET", "/v1/beats?topic=Hidden+topic", None)
    assert of_hidden == await answers_to(facilities, "GET", "/v1/beats?topic=Absent+topic", None)


async def test_a_hidden_audience_refuses_as_an_absent_one(facilities: Voice) -> None:
    draft = {"topic": "Alike", "body": "It is so.", "audience": "finance"}
    of_hidden = await answers_to(facilities, "POST", "/v1/beats", draft)
    of_absent = await answers_to(facilities, "POST", "/v1/beats", draft | {"audience": "nowhere"})
    assert of_hidden == of_absent


async def test_the_cursor_of_a_hidden_record_pages_as_any_other(health: Voice, facilities: Voice) -> None:
    await facilities.publish("Below the cursor")
    await health.publish("Cursor", audience="health")
    cursor = (await health.get("/v1/beats", audience="health", limit=1)).json()["next"]
    page = await facilities.get("/v1/beats", cursor=cursor, limit=100)
    assert page.status_code == 200
    assert {beat["audience"] for beat in page.json()["items"]} == {"open"}
