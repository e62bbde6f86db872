"""Around every request: its id, an answer whatever happens, a log line and metrics that repeat nothing."""

import json
import re
from pathlib import Path

import httpx
import pytest

from fleetmem import errors
from fleetmem_gateway import app, problems
from tests.http.fleet import Fleet, Voice, bearer, refused, running

SECRET_TOPIC = "Whereabouts"


@pytest.mark.parametrize("request_id", ["a", "3f0c9a52-d1e8", "trace:1.2_3", "x" * 128])
async def test_a_request_id_comes_back(health: Voice, request_id: str) -> None:
    answer = await health.client.get("/v1/me", headers=bearer(health.token) | {"X-Request-Id": request_id})
    assert answer.headers["x-request-id"] == request_id


@pytest.mark.parametrize("request_id", ["", "x" * 129, "two words", 'quo"te', "line\tbreak", "t\u00e4st"])
async def test_an_unfit_request_id_is_replaced(health: Voice, request_id: str) -> None:
    headers = {b"X-Request-Id": request_id.encode("latin-1"), b"Authorization": f"Bearer {health.token}".encode()}
    answer = await health.client.get("/v1/me", headers=headers)
    assert re.fullmatch(r"[0-9a-f]{32}", answer.headers["x-request-id"])


@pytest.mark.parametrize("path", ["/", "/v1", "/v2/beats", "/v1/agents", "/v1/beats/a/b/c", "/admin", "/static/../v1"])
async def test_an_unknown_address_is_a_problem_document_to_anyone(gateway: httpx.AsyncClient, path: str) -> None:
    assert refused(await gateway.get(path))[:2] == (404, "route.absent")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "get"])
async def test_an_unknown_method_is_refused_with_what_there_is(gateway: httpx.AsyncClient, method: str) -> None:
    answer = await gateway.request(method, "/v1/beats")
    if method == "get":
        assert answer.status_code == 401
        return
    assert refused(answer)[:2] == (405, "method.not_allowed")
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}


async def test_options_says_which_methods_there_are(gateway: httpx.AsyncClient) -> None:
    answer = await gateway.options("/v1/beats")
    assert (answer.status_code, answer.content) == (204, b"")
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}


async def test_head_answers_as_get_without_the_body(health: Voice) -> None:
    got = await health.get("/v1/me")
    head = await health.client.head("/v1/me", headers=bearer(health.token))
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(got.content))
    assert (await health.client.head("/v1/me")).status_code == 401


async def test_a_strange_host_is_refused_as_a_problem(gateway: httpx.AsyncClient) -> None:
    address = "/v1/beats/01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8"
    assert refused(await gateway.get(address, headers={"Host": "a b"}))[:2] == (400, "request.invalid")


async def test_probes_and_metrics_need_no_token(gateway: httpx.AsyncClient) -> None:
    assert (await gateway.get("/healthz")).json() == {"status": "ok"}
    assert (await gateway.get("/readyz")).json() == {"status": "ok"}
    assert (await gateway.get("/metrics")).status_code == 200


async def test_metrics_name_routes_and_never_agents_topics_or_ids(health: Voice) -> None:
    beat_id = await health.publish(SECRET_TOPIC)
    await health.get(f"/v1/beats/{beat_id}")
    await health.get("/v1/beats", topic=SECRET_TOPIC)
    await health.client.get("/no/such/address")
    text = (await health.client.get("/metrics")).text
    assert 'fleetmem_http_requests_total{method="GET",route="/v1/beats/{id}",status="200"}' in text
    assert 'route="unmatched",status="404"' in text
    for private in ('"health"', SECRET_TOPIC, beat_id, health.token, "/no/such"):
        assert private not in text


async def test_a_log_line_says_what_happened_and_nothing_that_was_said(
    fleet: Fleet, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    async with running(app.agents(fleet.told(log_level="info", log_format="json"))) as client:
        voice = Voice(client, fleet.tokens["health"])
        beat_id = await voice.publish(SECRET_TOPIC, body="They are away until Sunday.", audience="health")
        await voice.get("/v1/beats", topic=SECRET_TOPIC)
        await voice.post("/v1/beats", {"topic": SECRET_TOPIC, "body": "AKIAIOSFODNN7EXAMPLQ", "audience": "open"})
        await voice.get(f"/v1/beats/{beat_id}")
        await client.get("/v1/me", headers=bearer("fm_" + "a" * 43))
    written = capfdbinary.readouterr().out.decode()
    lines = [json.loads(line) for line in written.splitlines()]
    assert [(line["method"], line["route"], line["status"], line["bearer"], line.get("code")) for line in lines] == [
        ("POST", "/v1/beats", 201, "health", None),
        ("GET", "/v1/beats", 200, "health", None),
        ("POST", "/v1/beats", 422, "health", "body.secret"),
        ("GET", "/v1/beats/{id}", 200, "health", None),
        ("GET", "/v1/me", 401, None, "auth.invalid"),
    ]
    assert all(line["ms"] >= 0 and line["request_id"] and line["service"] == "fleetmem_gateway" for line in lines)
    for private in (SECRET_TOPIC, "away until", "AKIA", beat_id, voice.token, "fm_", "eyJ"):
        assert private not in written


async def test_a_fault_of_ours_is_answered_without_detail_and_logged_without_values(
    fleet: Fleet, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    with fleet.owner() as owner:
        owner.execute("alter function api.me(text) rename to me_away")
        try:
            async with running(app.agents(fleet.settings)) as client:
                answer = await Voice(client, fleet.tokens["health"]).get("/v1/me")
        finally:
            owner.execute("alter function api.me_away(text) rename to me")
    assert refused(answer)[:2] == (500, "internal")
    assert answer.json()["detail"] == "The service failed"
    line = json.loads(capfdbinary.readouterr().out)
    assert (line["status"], line["exception"], line["sqlstate"]) == (500, "UndefinedFunctionError", "42883")
    assert fleet.tokens["health"] not in json.dumps(line)


async def test_an_agent_that_sends_too_fast_is_told_when_to_come_back(fleet: Fleet) -> None:
    async with running(app.agents(fleet.told(rate_per_s=1, rate_burst=3))) as client:
        hasty, calm = Voice(client, fleet.tokens["health"]), Voice(client, fleet.tokens["finance"])
        answers = [await hasty.get("/v1/me") for _ in range(6)]
        assert [answer.status_code for answer in answers[:3]] == [200, 200, 200]
        assert refused(answers[-1])[:2] == (429, "rate.limited")
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 2
        assert (await calm.get("/v1/me")).status_code == 200


def test_every_error_a_caller_can_meet_has_a_status() -> None:
    told_to_the_owner = {kind for kind in errors.tree() if issubclass(kind, errors.SetupInvalid)}
    assert set(problems.STATUS) == set(errors.tree()) - told_to_the_owner - {errors.FleetmemError}


def test_no_two_errors_share_a_code() -> None:
    codes = [error.code for error in errors.tree()]
    assert len(codes) == len(set(codes))


def test_the_drawing_of_the_tree_shows_every_error() -> None:
    drawn = errors.__doc__ or ""
    for error in errors.tree():
        assert f"{error.__name__} " in drawn or error is errors.FleetmemError
        assert error.code in drawn or error is errors.FleetmemError


def test_nothing_is_stored_on_the_way() -> None:
    assert (Path(problems.__file__).read_text()).count("no-store") == 1
