"""A request that breaks a rule is refused before anything is done, and told which field and which rule."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from fleetmem_gateway import app
from tests.http.fleet import Fleet, Voice, bearer, refused, running

BEAT: dict[str, Any] = {"topic": "Rules", "body": "It is so.", "audience": "open"}
HANDOFF: dict[str, Any] = {"recipient": "finance", "request": "Please.", "audience": "open"}
REPLY_URL = "/v1/handoffs/01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8/decline"


@pytest.mark.parametrize(
    ("change", "field", "rule"),
    [
        ({"nonsense": 1}, "nonsense", "unknown"),
        ({"topic": 7}, "topic", "type"),
        ({"topic": None}, "topic", "type"),
        ({"topic": ["a"]}, "topic", "type"),
        ({"topic": ""}, "topic", "empty"),
        ({"topic": " \u00a0 "}, "topic", "empty"),
        ({"topic": "a" * 201}, "topic", "too-long"),
        ({"topic": "two\nlines"}, "topic", "control-character"),
        ({"topic": "nul\x00"}, "topic", "nul"),
        ({"topic": "bell\x07"}, "topic", "control-character"),
        ({"topic": "evil\u202etxt.exe"}, "topic", "invisible-character"),
        ({"topic": "isolate\u2066d"}, "topic", "invisible-character"),
        ({"topic": "zero\u200bwidth"}, "topic", "invisible-character"),
        ({"topic": "\u0301\u0301"}, "topic", "empty"),
        ({"body": ""}, "body", "empty"),
        ({"body": "\n\t "}, "body", "empty"),
        ({"body": "a" * 8_001}, "body", "too-long"),
        ({"body": "nul\x00"}, "body", "nul"),
        ({"body": "\x1b[31mred"}, "body", "control-character"),
        ({"body": "carriage\rreturn"}, "body", "control-character"),
        ({"body": "c1\x9b"}, "body", "control-character"),
        ({"body": {"text": "x"}}, "body", "type"),
        ({"audience": ""}, "audience", "too-short"),
        ({"audience": None}, "audience", "type"),
        ({"audience": []}, "audience", "type"),
        ({"audience": {}}, "audience", "type"),
        ({"audience": "OPEN"}, "audience", "format"),
        ({"audience": "*"}, "audience", "too-short"),
        ({"audience": "%%"}, "audience", "format"),
        ({"audience": "open\n"}, "audience", "format"),
        ({"audience": "\u043epen"}, "audience", "format"),
        ({"expires_at": "garbage"}, "expires_at", "time-format"),
        ({"expires_at": ""}, "expires_at", "time-format"),
        ({"expires_at": "infinity"}, "expires_at", "time-format"),
        ({"expires_at": "-infinity"}, "expires_at", "time-format"),
        ({"expires_at": "now"}, "expires_at", "time-format"),
        ({"expires_at": "tomorrow"}, "expires_at", "time-format"),
        ({"expires_at": "2026-08-13"}, "expires_at", "time-format"),
        ({"expires_at": "2027-01-01T00:00:00"}, "expires_at", "time-zone"),
        ({"expires_at": "2027-01-01T23:59:60Z"}, "expires_at", "time-format"),
        ({"expires_at": "2027-02-30T00:00:00Z"}, "expires_at", "time-format"),
        ({"expires_at": "10000-01-01T00:00:00Z"}, "expires_at", "time-format"),
        ({"expires_at": "9999-12-31T23:59:59-12:00"}, "expires_at", "time-format"),
        ({"expires_at": "9999-12-31T23:59:59Z"}, "expires_at", "too-far"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at", "in-the-past"),
        ({"expires_at": 1_800_000_000}, "expires_at", "type"),
        ({"expires_at": "2027-01-01T00:00:00Z' or '1'='1"}, "expires_at", "time-format"),
    ],
)
async def test_a_beat_that_breaks_a_rule(facilities: Voice, change: dict[str, Any], field: str, rule: str) -> None:
    answer = await facilities.post("/v1/beats", BEAT | change)
    assert refused(answer) == (400, "request.invalid", field, rule)


@pytest.mark.parametrize("missing", ["topic", "body", "audience"])
async def test_a_beat_without_a_part(facilities: Voice, missing: str) -> None:
    draft = {name: value for name, value in BEAT.items() if name != missing}
    assert refused(await facilities.post("/v1/beats", draft)) == (400, "request.invalid", missing, "required")


@pytest.mark.parametrize(
    ("change", "field", "rule"),
    [
        ({"recipient": ""}, "recipient", "too-short"),
        ({"recipient": "FINANCE"}, "recipient", "format"),
        ({"recipient": "fin\u0430nce"}, "recipient", "format"),
        ({"recipient": "finance "}, "recipient", "format"),
        ({"request": "x" * 8_001}, "request", "too-long"),
        ({"request": "nul\x00"}, "request", "nul"),
        ({"due_at": "soon"}, "due_at", "time-format"),
        ({"due_at": "2020-01-01T00:00:00Z"}, "due_at", "in-the-past"),
        ({"sender": "finance"}, "sender", "unknown"),
        ({"flags": []}, "flags", "unknown"),
    ],
)
async def test_a_handoff_that_breaks_a_rule(health: Voice, change: dict[str, Any], field: str, rule: str) -> None:
    answer = await health.post("/v1/handoffs", HANDOFF | change)
    assert refused(answer) == (400, "request.invalid", field, rule)


@pytest.mark.parametrize(
    ("content", "field", "rule"),
    [
        (b"{", "body", "json"),
        (b"[]", "body", "type"),
        (b'"text"', "body", "type"),
        (b"null", "body", "type"),
        (b'{"topic": "t", "body": "x", "audience": "open"}{}', "body", "json"),
        (b'{"topic": "\xff", "body": "x", "audience": "open"}', "body", "json"),
        (b'{"topic": "\\ud800", "body": "x", "audience": "open"}', "topic", "surrogate"),
        (b'{"topic": "t", "body": "x\\udfff", "audience": "open"}', "body", "surrogate"),
        (b'{"topic": "t", "body": "a\\u0000b", "audience": "open"}', "body", "nul"),
        (b'{"topic": NaN, "body": "x", "audience": "open"}', "body", "json"),
        (b"[" * 50_000, "body", "type"),
        (b'{"topic": ' + b"[" * 50_000, "topic", "type"),
        (b'{"topic": "t", "body": "x", "audience": "open",}', "body", "json"),
        (b"\xef\xbb\xbf{}", "body", "json"),
    ],
)
async def test_a_body_that_is_no_json_of_ours(facilities: Voice, content: bytes, field: str, rule: str) -> None:
    headers = bearer(facilities.token) | {"Content-Type": "application/json"}
    answer = await facilities.client.post("/v1/beats", content=content, headers=headers)
    assert refused(answer) == (400, "request.invalid", field, rule)


@pytest.mark.parametrize(
    "media_type",
    ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/json; charset=utf-16"],
)
async def test_another_media_type_is_refused(facilities: Voice, media_type: str) -> None:
    headers = bearer(facilities.token) | ({"Content-Type": media_type} if media_type else {})
    answer = await facilities.client.post("/v1/beats", content=json.dumps(BEAT).encode(), headers=headers)
    assert refused(answer)[:3] == (415, "media.unsupported", "Content-Type")


async def test_a_declared_charset_of_utf_8_is_taken(facilities: Voice) -> None:
    headers = bearer(facilities.token) | {"Content-Type": "Application/JSON; charset=UTF-8"}
    answer = await facilities.client.post("/v1/beats", content=json.dumps(BEAT).encode(), headers=headers)
    assert answer.status_code == 201


async def test_a_compressed_body_is_refused(facilities: Voice) -> None:
    headers = bearer(facilities.token) | {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    answer = await facilities.client.post("/v1/beats", content=b"\x1f\x8b", headers=headers)
    assert refused(answer)[:3] == (415, "media.unsupported", "Content-Encoding")


async def test_a_body_over_the_limit_is_refused_declared_or_not(facilities: Voice) -> None:
    headers = bearer(facilities.token) | {"Content-Type": "application/json"}

    async def in_pieces() -> Any:
        for _ in range(70):
            yield b" " * 1_000

    declared = await facilities.client.post("/v1/beats", content=b" " * 70_000, headers=headers)
    assert refused(declared)[:2] == (413, "body.too_large")
    undeclared = await facilities.client.post("/v1/beats", content=in_pieces(), headers=headers)
    assert refused(undeclared)[:2] == (413, "body.too_large")


async def test_the_longest_body_in_the_widest_characters_fits(facilities: Voice) -> None:
    answer = await facilities.post("/v1/beats", BEAT | {"body": "\U0001f9ca" * 8_000})
    assert answer.status_code == 201


@pytest.mark.parametrize(
    ("query", "field", "rule"),
    [
        ("nonsense=1", "nonsense", "unknown"),
        ("agent=finance", "agent", "unknown"),
        ("access_token=fm_x", "access_token", "unknown"),
        ("topic=a&topic=b", "topic", "duplicate"),
        ("topic=a&%74opic=b", "topic", "duplicate"),
        ("topic=", "topic", "empty"),
        ("topic=%20", "topic", "empty"),
        ("topic=%00", "topic", "nul"),
        ("topic=%ff", "query", "encoding"),
        ("topic=%ed%a0%80", "query", "encoding"),
        ("topic=%E2%80%AE", "topic", "invisible-character"),
        ("author=", "author", "too-short"),
        ("author=%25", "author", "too-short"),
        ("author=f%25", "author", "format"),
        ("author=john_doe", "author", "format"),
        ("audience=", "audience", "too-short"),
        ("audience=%5B%5D", "audience", "format"),
        ("since=yesterday", "since", "time-format"),
        ("since=2026-01-01", "since", "time-format"),
        ("since=2026-01-01T00:00:00", "since", "time-zone"),
        ("since=infinity", "since", "time-format"),
        ("live=perhaps", "live", "type"),
        ("limit=0", "limit", "too-small"),
        ("limit=101", "limit", "too-large"),
        ("limit=-1", "limit", "too-small"),
        ("limit=ten", "limit", "type"),
        ("limit=", "limit", "type"),
        ("limit=99999999999999999999999999", "limit", "too-large"),
        ("cursor=", "cursor", "format"),
        ("cursor=abc", "cursor", "format"),
        ("cursor=" + "!" * 22, "cursor", "format"),
        ("cursor=01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8", "cursor", "format"),
        ("cursor=" + "A" * 21 + "B", "cursor", "format"),
        ("&".join(f"p{number}=1" for number in range(1_000)), "p0", "unknown"),
    ],
)
async def test_a_query_that_breaks_a_rule(facilities: Voice, query: str, field: str, rule: str) -> None:
    answer = await facilities.client.get(f"/v1/beats?{query}", headers=bearer(facilities.token))
    assert refused(answer) == (400, "request.invalid", field, rule)


@pytest.mark.parametrize("word", ["null", "NULL", "None", ""])
async def test_a_filter_cannot_be_made_to_vanish(facilities: Voice, word: str) -> None:
    answer = await facilities.client.get(f"/v1/handoffs?status={word}", headers=bearer(facilities.token))
    assert refused(answer) == (400, "request.invalid", "status", "choice")
    named = await facilities.client.get(f"/v1/beats?topic={word or 'x'}", headers=bearer(facilities.token))
    assert named.json()["items"] == []


@pytest.mark.parametrize("path", ["/v1/me", "/healthz", "/v1/handoffs"])
async def test_every_address_refuses_a_parameter_it_does_not_know(facilities: Voice, path: str) -> None:
    answer = await facilities.client.get(f"{path}?verbose=1", headers=bearer(facilities.token))
    assert refused(answer) == (400, "request.invalid", "verbose", "unknown")


@pytest.mark.parametrize(
    "record_id",
    [
        "1",
        "nope",
        "%00",
        "01981c6e7b2f7c119d6e3f0c9a52d1e8",
        "%7B01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8%7D",
        "urn:uuid:01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8",
        "01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8'--",
        "01981c6e-7b2f-7c11-9d6e-3f0c9a52d1eg",
        "%EF%BC%90" + "1981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8",
    ],
)
@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/beats/{}"), ("POST", "/v1/handoffs/{}/accept")])
async def test_an_id_that_is_none(facilities: Voice, method: str, path: str, record_id: str) -> None:
    answer = await facilities.client.request(method, path.format(record_id), headers=bearer(facilities.token))
    assert refused(answer) == (400, "request.invalid", "id", "format")


@pytest.mark.parametrize("key", ["", "a" * 129, "with space", "t\u00e4st"])
async def test_an_idempotency_key_that_is_none(facilities: Voice, key: str) -> None:
    headers = bearer(facilities.token) | {"Idempotency-Key": key}
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    answer = await facilities.client.post("/v1/beats", json=BEAT, headers=raw)
    assert refused(answer) == (400, "request.invalid", "Idempotency-Key", "format")


async def test_two_idempotency_keys_are_refused(facilities: Voice) -> None:
    headers = [*bearer(facilities.token).items(), ("Idempotency-Key", "one"), ("Idempotency-Key", "two")]
    answer = await facilities.client.post("/v1/beats", json=BEAT, headers=headers)
    assert refused(answer) == (400, "request.invalid", "Idempotency-Key", "duplicate")


SECRET = "AKIAIOSFODNN7EXAMPLQ"


@pytest.mark.parametrize(
    ("url", "draft", "field"),
    [
        ("/v1/beats", BEAT | {"body": f"The key is {SECRET}."}, "body"),
        ("/v1/beats", BEAT | {"topic": f"Key {SECRET}"}, "topic"),
        ("/v1/handoffs", HANDOFF | {"request": f"Use {SECRET}."}, "request"),
        (REPLY_URL, {"reply": f"Use {SECRET}."}, "reply"),
        (REPLY_URL.replace("decline", "answer"), {"outcome": "done", "reply": f"Use {SECRET}."}, "reply"),
    ],
)
async def test_a_secret_is_refused_by_its_rule_and_not_repeated(
    health: Voice, url: str, draft: dict[str, Any], field: str
) -> None:
    answer = await health.post(url, draft)
    status, code, named, rule = refused(answer)
    assert (status, code, named) == (422, "body.secret", field)
    assert rule
    assert SECRET not in answer.text


async def test_a_smaller_body_limit_can_be_set(fleet: Fleet) -> None:
    async with running(app.agents(fleet.told(body_limit_bytes=1_024))) as client:
        voice = Voice(client, fleet.tokens["health"])
        assert (await voice.post("/v1/beats", BEAT)).status_code == 201
        assert refused(await voice.post("/v1/beats", BEAT | {"body": "x" * 1_024}))[:2] == (413, "body.too_large")


async def test_a_body_that_does_not_arrive_is_waited_for_no_longer_than_told(fleet: Fleet) -> None:
    async def trickle() -> AsyncIterator[bytes]:
        yield b'{"topic": '
        await asyncio.sleep(30)

    async with running(app.agents(fleet.told(body_wait_s=0.2))) as client:
        headers = bearer(fleet.tokens["health"]) | {"Content-Type": "application/json"}
        answer = await client.post("/v1/beats", content=trickle(), headers=headers)
        assert refused(answer) == (400, "request.invalid", "body", "incomplete")


async def test_a_body_on_a_read_is_not_read(facilities: Voice) -> None:
    answer: httpx.Response = await facilities.client.request(
        "GET", "/v1/me", headers=bearer(facilities.token), json={"name": "finance"}
    )
    assert answer.json()["name"] == "facilities"
