"""The description of the API is true: every address, every limit and every status an address can answer."""

import json
from typing import Any

import httpx
import msgspec
import pytest

from fleetmem import wire
from fleetmem_gateway.app import AGENT_HANDLERS, CONSOLE_HANDLERS
from fleetmem_gateway.openapi import Doc
from tests.http.fleet import Voice


async def described(client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await client.get("/schema/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    assert (await client.get("/schema")).content == answer.content
    document: dict[str, Any] = answer.json()
    return document


async def test_every_address_is_described_and_no_other(gateway: httpx.AsyncClient) -> None:
    document = await described(gateway)
    operations = {(path, method) for path, item in document["paths"].items() for method in item}
    assert operations == {
        ("/v1/me", "get"),
        ("/v1/beats", "get"),
        ("/v1/beats", "post"),
        ("/v1/beats/{id}", "get"),
        ("/v1/beats/{id}/history", "get"),
        ("/v1/beats/{id}/retract", "post"),
        ("/v1/handoffs", "get"),
        ("/v1/handoffs", "post"),
        ("/v1/handoffs/{id}", "get"),
        ("/v1/handoffs/{id}/accept", "post"),
        ("/v1/handoffs/{id}/decline", "post"),
        ("/v1/handoffs/{id}/answer", "post"),
        ("/v1/handoffs/{id}/withdraw", "post"),
        ("/v1/teams", "get"),
        ("/v1/teams/{team}/tasks", "get"),
        ("/v1/teams/{team}/tasks", "post"),
        ("/v1/teams/{team}/messages", "get"),
        ("/v1/teams/{team}/messages", "post"),
        ("/v1/tasks/{id}", "get"),
        ("/v1/tasks/{id}/settle", "post"),
        ("/v1/runs", "post"),
        ("/v1/runs/{id}", "get"),
        ("/v1/runs/{id}/spans", "get"),
        ("/v1/runs/{id}/spans", "post"),
        ("/v1/runs/{id}/settle", "post"),
        ("/healthz", "get"),
        ("/readyz", "get"),
    }


async def test_every_operation_says_how_to_identify_and_what_may_go_wrong(gateway: httpx.AsyncClient) -> None:
    document = await described(gateway)
    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    for path, item in document["paths"].items():
        for method, operation in item.items():
            statuses = set(operation["responses"])
            assert {"400", "500"} <= statuses, (path, method)
            if path.startswith("/v1/"):
                assert operation["security"] == [{"bearer": []}]
                assert {"401", "403", "429", "503"} <= statuses
            if method == "post":
                assert {"409", "413", "415"} <= statuses
                assert "Idempotency-Key" in [parameter["name"] for parameter in operation["parameters"]]


async def test_limits_that_are_checked_are_limits_that_are_described(gateway: httpx.AsyncClient) -> None:
    schemas = (await described(gateway))["components"]["schemas"]
    draft = schemas["BeatDraft"]
    assert draft["additionalProperties"] is False
    assert draft["required"] == ["topic", "body", "audience"]
    assert draft["properties"]["topic"]["maxLength"] == 200
    assert draft["properties"]["body"]["maxLength"] == 8_000


@pytest.mark.parametrize("handler", [*AGENT_HANDLERS, *CONSOLE_HANDLERS], ids=lambda handler: handler.handler_name)
def test_examples_are_what_they_are_examples_of(handler: Any) -> None:
    doc = handler.opt.get("doc")
    if not isinstance(doc, Doc):
        assert handler.handler_name == "metrics"
        return
    for shape in doc.answers.values():
        if doc.example:
            msgspec.json.decode(json.dumps(doc.example), type=shape)
    if doc.body is not None and doc.body_example:
        msgspec.json.decode(json.dumps(doc.body_example), type=doc.body)


async def test_a_refusal_matches_the_described_problem(health: Voice) -> None:
    answer = await health.post("/v1/beats", {"topic": 1})
    problem = msgspec.json.decode(answer.content, type=wire.Problem)
    assert answer.json().keys() <= set(wire.Problem.__struct_fields__)
    assert (problem.status, problem.field, problem.rule) == (400, "topic", "type")
