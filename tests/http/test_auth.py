"""Who is asking is decided by one bearer token and by nothing else; a revoked one is dead at the next statement."""

import httpx
import pytest

from fleetmem.admin import keys, tokens
from fleetmem.admin.deployment import write_key
from fleetmem.fleet.agent import Rol
from fleetmem.ids import make_bearer
from fleetmem_gateway import app, auth
from tests.http.fleet import Fleet, Voice, bearer, refused, running

EVERY_ROUTE = [
    ("GET", "/v1/me"),
    ("GET", "/v1/beats"),
    ("POST", "/v1/beats"),
    ("GET", "/v1/beats/01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8"),
    ("GET", "/v1/beats/01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8/history"),
    ("POST", "/v1/beats/01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8/retract"),
    ("GET", "/v1/handoffs"),
    ("POST", "/v1/handoffs"),
    ("GET", "/v1/handoffs/01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8"),
    *(
        ("POST", f"/v1/handoffs/01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8/{move}")
        for move in ("accept", "decline", "answer", "withdraw")
    ),
]
UNKNOWN = make_bearer(b"\7" * 32)


@pytest.mark.parametrize(("method", "path"), EVERY_ROUTE)
async def test_without_a_token_nothing_is_answered(gateway: httpx.AsyncClient, method: str, path: str) -> None:
    answer = await gateway.request(method, path)
    assert refused(answer)[:2] == (401, "auth.required")
    assert answer.headers["www-authenticate"] == 'Bearer realm="fleetmem"'


@pytest.mark.parametrize(("method", "path"), EVERY_ROUTE)
async def test_with_an_unknown_token_nothing_is_answered(gateway: httpx.AsyncClient, method: str, path: str) -> None:
    answer = await gateway.request(method, path, headers=bearer(UNKNOWN))
    assert refused(answer)[:2] == (401, "auth.invalid")
    assert answer.headers["www-authenticate"] == 'Bearer realm="fleetmem", error="invalid_token"'


@pytest.mark.parametrize(
    "credentials",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic aGVhbHRoOmhlYWx0aA==",
        "fm_" + "a" * 43,
        "Bearer  fm_" + "a" * 43,
        "Bearer fm_" + "a" * 42,
        "Bearer fm_" + "a" * 44,
        "Bearer fm_" + "a" * 43 + " ",
        "Bearer fm_" + "a" * 43 + ", Bearer fm_" + "b" * 43,
        "Bearer eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiJoZWFsdGgifQ.",
        "Bearer fm_" + "é" * 43,
        "Bearer " + "fm_" * 5_000,
    ],
)
async def test_anything_but_a_token_is_refused(gateway: httpx.AsyncClient, credentials: str) -> None:
    answer = await gateway.get("/v1/me", headers={b"Authorization": credentials.encode("latin-1")})
    assert refused(answer)[:2] == (401, "auth.invalid")


async def test_the_scheme_is_read_in_any_case(gateway: httpx.AsyncClient, fleet: Fleet) -> None:
    answer = await gateway.get("/v1/me", headers={"Authorization": f"bEARER {fleet.tokens['health']}"})
    assert answer.json()["name"] == "health"


async def test_two_authorization_headers_are_refused(gateway: httpx.AsyncClient, fleet: Fleet) -> None:
    headers = [
        ("Authorization", f"Bearer {fleet.tokens['health']}"),
        ("Authorization", f"Bearer {fleet.tokens['finance']}"),
    ]
    answer = await gateway.get("/v1/me", headers=headers)
    assert refused(answer) == (400, "request.invalid", "Authorization", "duplicate")


@pytest.mark.parametrize(
    "header",
    ["X-Agent", "X-User", "X-Forwarded-User", "X-Fleetmem-Agent", "X-Remote-User", "Cookie", "Proxy-Authorization"],
)
async def test_no_other_header_says_who_is_asking(health: Voice, header: str) -> None:
    answer = await health.client.get("/v1/me", headers=bearer(health.token) | {header: "finance"})
    assert answer.json()["name"] == "health"
    assert (await health.client.get("/v1/me", headers={header: f"Bearer {health.token}"})).status_code == 401


@pytest.mark.parametrize("field", ["author", "sender", "id", "created_at", "status", "flags", "agent", "claim"])
async def test_a_body_cannot_claim_what_is_stamped(health: Voice, field: str) -> None:
    draft = {"topic": "Forged", "body": "It is so.", "audience": "open", field: "finance"}
    assert refused(await health.post("/v1/beats", draft)) == (400, "request.invalid", field, "unknown")


async def test_a_method_override_is_not_read(health: Voice) -> None:
    for header in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
        answer = await health.client.get("/v1/me", headers=bearer(health.token) | {header: "DELETE"})
        assert answer.status_code == 200


async def test_an_operators_token_is_nobody_at_the_agents_gateway(gateway: httpx.AsyncClient, fleet: Fleet) -> None:
    for name in ("olga", "arthur"):
        answer = await gateway.get("/v1/me", headers=bearer(fleet.tokens[name]))
        assert refused(answer)[:2] == (401, "auth.invalid")


async def test_a_revoked_token_is_refused_at_the_next_request(fleet: Fleet, gateway: httpx.AsyncClient) -> None:
    with fleet.owner() as owner:
        token_id, token = tokens.issue(owner, "health")
    voice = Voice(gateway, token)
    assert (await voice.get("/v1/me")).json()["name"] == "health"
    with fleet.owner() as owner:
        tokens.revoke(owner, token_id)
    assert refused(await voice.get("/v1/me"))[:2] == (401, "auth.invalid")
    assert refused(await voice.post("/v1/beats", {"topic": "x", "body": "y z", "audience": "open"}))[:2] == (
        401,
        "auth.invalid",
    )


async def test_a_suspended_agent_is_refused_and_let_back_in(fleet: Fleet, gateway: httpx.AsyncClient) -> None:
    with fleet.owner() as owner:
        _, token = tokens.issue(owner, "maintenance")
        voice = Voice(gateway, token)
        assert (await voice.get("/v1/me")).status_code == 200
        owner.execute("update fleet.principal set suspended_at = clock_timestamp() where name = 'maintenance'")
        try:
            assert refused(await voice.get("/v1/me"))[:2] == (401, "auth.invalid")
        finally:
            owner.execute("update fleet.principal set suspended_at = null where name = 'maintenance'")


async def test_a_narrowed_agent_reads_less_at_its_next_request(fleet: Fleet, finance: Voice) -> None:
    beat_id = await finance.publish("Narrowed", audience="finance")
    with fleet.owner() as owner:
        owner.execute("update fleet.principal set reads = '{open}', writes = '{open}' where name = 'finance'")
        try:
            assert refused(await finance.get(f"/v1/beats/{beat_id}"))[:2] == (404, "record.absent")
            assert (await finance.get("/v1/me")).json()["reads"] == ["open"]
        finally:
            owner.execute(
                "update fleet.principal set reads = '{open,finance}', writes = '{open,finance}' where name = 'finance'"
            )


async def test_a_rotated_key_is_picked_up_without_a_restart(fleet: Fleet, health: Voice) -> None:
    assert (await health.get("/v1/me")).status_code == 200
    with fleet.owner() as owner:
        fresh = keys.register(owner, Rol.AGENT)
        write_key(fleet.settings.home, fresh)
        owner.execute("update vault.signing_key set revoked = true where rol = 'agent' and kid <> %s", [fresh.kid])
    assert (await health.get("/v1/me")).json()["name"] == "health"


async def test_tokens_never_seen_cannot_load_the_database(fleet: Fleet) -> None:
    async with running(app.agents(fleet.settings)) as client:
        known = Voice(client, fleet.tokens["health"])
        assert (await known.get("/v1/me")).status_code == 200
        codes = [
            refused(await client.get("/v1/me", headers=bearer(make_bearer(number.to_bytes(32, "big")))))[:2]
            for number in range(500)
        ]
        assert set(codes) == {(401, "auth.invalid"), (429, "rate.limited")}
        assert codes.index((429, "rate.limited")) >= 400
        assert (await known.get("/v1/me")).status_code == 200, "a bearer known already is not held up by a guesser"


@pytest.mark.parametrize(
    ("client", "named"),
    [
        (("192.0.2.7", 4711), "192.0.2.7"),
        (("2001:db8::1", 4711), "2001:db8::/64"),
        (("2001:db8::ffff:1", 4711), "2001:db8::/64"),
        (("2001:db8:0:1::1", 4711), "2001:db8:0:1::/64"),
        (("not an address", 0), "unknown"),
        (None, "unknown"),
    ],
)
def test_a_peer_is_an_address_or_the_network_one_customer_gets(client: tuple[str, int] | None, named: str) -> None:
    assert auth.peer({"client": client}) == named  # type: ignore[typeddict-item]
