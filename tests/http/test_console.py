"""The operators' console: operators act, auditors look, agents are nobody, and nobody reads what agents wrote."""

import httpx
import msgspec
import pytest

from fleetmem import wire
from fleetmem.admin import tokens
from tests.http.fleet import ROSTER, Fleet, Voice, bearer, refused


async def test_an_operator_and_an_auditor_are_told_who_they_are(olga: Voice, arthur: Voice) -> None:
    assert (await olga.get("/v1/me")).json() == {"name": "olga", "role": "operator"}
    assert (await arthur.get("/v1/me")).json() == {"name": "arthur", "role": "auditor"}


async def test_both_see_the_agents_and_the_tokens(olga: Voice, arthur: Voice, fleet: Fleet) -> None:
    for voice in (olga, arthur):
        agents = msgspec.json.decode((await voice.get("/v1/agents")).content, type=wire.AgentList)
        assert [agent.name for agent in agents.items] == [agent.name for agent in ROSTER.agents]
        answer = await voice.get("/v1/tokens")
        listed = msgspec.json.decode(answer.content, type=wire.TokenList)
        assert {token.id for token in listed.items} >= set(fleet.token_ids.values())
        assert not any(token in answer.text for token in fleet.tokens.values())
        assert "sha256" not in answer.text


async def test_an_agents_token_is_nobody_at_the_console(console: httpx.AsyncClient, fleet: Fleet) -> None:
    for path in ("/v1/me", "/v1/agents", "/v1/tokens", "/v1/overdue"):
        answer = await console.get(path, headers=bearer(fleet.tokens["health"]))
        assert refused(answer)[:2] == (401, "auth.invalid")


@pytest.mark.parametrize("path", ["/v1/beats", "/v1/handoffs", "/v1/beats/01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8"])
async def test_the_console_has_no_way_to_a_record(olga: Voice, path: str) -> None:
    assert refused(await olga.get(path))[:2] == (404, "route.absent")


async def test_late_handoffs_are_listed_without_their_text(olga: Voice, health: Voice, fleet: Fleet) -> None:
    handoff_id = await health.send("finance", request="A text that operators do not see.", audience="health")
    with fleet.owner() as owner:
        owner.execute("set session_replication_role = replica")
        owner.execute("alter table fleet.handoff disable trigger z_never_edit")
        owner.execute("update fleet.handoff set due_at = created_at + interval '1 ms' where id = %s", [handoff_id])
        owner.execute("alter table fleet.handoff enable always trigger z_never_edit")
    answer = await olga.get("/v1/overdue")
    page = msgspec.json.decode(answer.content, type=wire.OverduePage)
    assert [str(each.id) for each in page.items] == [handoff_id]
    assert "operators do not see" not in answer.text


async def test_an_operator_revokes_a_token_and_its_bearer_is_out(
    olga: Voice, gateway: httpx.AsyncClient, fleet: Fleet
) -> None:
    with fleet.owner() as owner:
        token_id, token = tokens.issue(owner, "health")
    bearer_of_it = Voice(gateway, token)
    assert (await bearer_of_it.get("/v1/me")).status_code == 200
    revoked = await olga.post(f"/v1/tokens/{token_id}/revoke", key="revoke")
    assert msgspec.json.decode(revoked.content, type=wire.Revocation).id == token_id
    assert refused(await bearer_of_it.get("/v1/me"))[:2] == (401, "auth.invalid")
    assert (await olga.post(f"/v1/tokens/{token_id}/revoke", key="revoke")).content == revoked.content


async def test_an_operator_suspends_an_agent_and_lets_it_back_in(
    olga: Voice, gateway: httpx.AsyncClient, fleet: Fleet
) -> None:
    with fleet.owner() as owner:
        _, token = tokens.issue(owner, "maintenance")
    maintenance = Voice(gateway, token)
    assert (await maintenance.get("/v1/me")).status_code == 200
    suspended = await olga.post("/v1/agents/maintenance/suspend", {})
    assert msgspec.json.decode(suspended.content, type=wire.Suspension).suspended_at is not None
    assert refused(await maintenance.get("/v1/me"))[:2] == (401, "auth.invalid")
    resumed = await olga.post("/v1/agents/maintenance/resume")
    assert msgspec.json.decode(resumed.content, type=wire.Suspension).suspended_at is None


async def test_an_auditor_changes_nothing(arthur: Voice, olga: Voice, fleet: Fleet) -> None:
    before = (await olga.get("/v1/agents")).json()
    for path in (
        f"/v1/tokens/{fleet.token_ids['health']}/revoke",
        "/v1/agents/health/suspend",
        "/v1/agents/health/resume",
    ):
        assert refused(await arthur.post(path))[:2] == (403, "action.forbidden")
    assert (await olga.get("/v1/agents")).json() == before


async def test_an_unknown_agent_or_token_is_absent(olga: Voice) -> None:
    assert refused(await olga.post("/v1/agents/nobody-here/suspend"))[:2] == (404, "record.absent")
    assert refused(await olga.post("/v1/tokens/0000000000000000/revoke"))[:2] == (404, "record.absent")
    assert refused(await olga.post("/v1/agents/olga/suspend"))[:2] == (404, "record.absent")
    assert refused(await olga.post("/v1/agents/a%00b/suspend"))[:2] == (400, "request.invalid")
