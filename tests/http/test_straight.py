"""The straight way to a handler and the way through Litestar answer alike, in status, headers and bytes."""

from collections.abc import AsyncIterator

import httpx
import pytest

from fleetmem_gateway import app
from tests.http.fleet import Fleet, Voice, bearer, running

BEAT = {"topic": "Both ways", "body": "It is so.", "audience": "open"}
HANDOFF = {"recipient": "finance", "request": "Please.", "audience": "open"}


@pytest.fixture
async def client(fleet: Fleet) -> AsyncIterator[httpx.AsyncClient]:
    async with running(app.agents(fleet.settings)) as made:
        yield made


async def by_both_ways(
    client: httpx.AsyncClient, method: str, url: str, *, token: str | None, json: object = None, key: str | None = None
) -> tuple[tuple[int, list[tuple[str, str]], bytes], ...]:
    """Ask the same twice: as the address is written, and with a slash more, which only Litestar takes."""
    path, _, query = url.partition("?")
    headers = (bearer(token) if token else {}) | {"X-Request-Id": "same"} | ({"Idempotency-Key": key} if key else {})
    answers = []
    for written in (path, f"{path}/"):
        answer = await client.request(method, f"{written}?{query}", headers=headers, json=json)
        said = [(name, value) for name, value in answer.headers.multi_items() if name != "idempotency-replayed"]
        answers.append((answer.status_code, sorted(said), answer.content))
    return tuple(answers)


@pytest.mark.parametrize(
    ("method", "url", "json"),
    [
        ("GET", "/v1/me", None),
        ("HEAD", "/v1/me", None),
        ("GET", "/v1/beats", None),
        ("GET", "/v1/beats?limit=1&topic=both+ways", None),
        ("GET", "/v1/beats?limit=0", None),
        ("GET", "/v1/beats?unknown=1", None),
        ("GET", "/v1/handoffs?box=outbox", None),
        ("GET", "/v1/handoffs?box=attic", None),
        ("POST", "/v1/beats", BEAT | {"author": "finance"}),
        ("POST", "/v1/beats", BEAT | {"audience": "finance"}),
        ("POST", "/v1/beats", BEAT | {"body": "x" * 70_000}),
        ("POST", "/v1/handoffs", HANDOFF | {"recipient": "nobody-here"}),
        ("PUT", "/v1/beats", BEAT),
        ("OPTIONS", "/v1/beats", None),
        ("GET", "/healthz", None),
        ("GET", "/readyz", None),
    ],
)
async def test_the_answers_are_alike(
    client: httpx.AsyncClient, fleet: Fleet, method: str, url: str, json: object
) -> None:
    for token in (fleet.tokens["health"], None):
        straight, through = await by_both_ways(client, method, url, token=token, json=json)
        assert straight == through


async def test_a_write_by_one_way_is_remembered_by_the_other(client: httpx.AsyncClient, fleet: Fleet) -> None:
    token = fleet.tokens["health"]
    straight, through = await by_both_ways(client, "POST", "/v1/beats", token=token, json=BEAT, key="both")
    assert straight == through
    assert straight[0] == 201


async def test_a_fault_is_answered_alike(client: httpx.AsyncClient, fleet: Fleet) -> None:
    assert (await Voice(client, fleet.tokens["health"]).get("/v1/me")).status_code == 200
    with fleet.owner() as owner:
        owner.execute("alter function api.me(text) rename to me_away")
        try:
            straight, through = await by_both_ways(client, "GET", "/v1/me", token=fleet.tokens["health"])
        finally:
            owner.execute("alter function api.me_away(text) rename to me")
    assert straight == through
    assert straight[0] == 500
