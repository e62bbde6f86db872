"""The operators' console: who is in the fleet, which tokens there are, what is late; suspend and revoke.

Auditors read; the database refuses them the rest. Neither sees a beat or the text of a handoff here.
"""

from __future__ import annotations

from typing import Any, Final

from litestar import Request, get, post
from litestar.types import ASGIApp

from fleetmem import errors, wire
from fleetmem.store import console
from fleetmem_gateway import answers, gateway, intake
from fleetmem_gateway.openapi import Doc


@get("/v1/me", doc=Doc(summary="Who the bearer is", answers={200: wire.ConsoleMe}))
async def console_me(request: Request[Any, Any, Any]) -> ASGIApp:
    """Say which operator or auditor the bearer is."""
    caller = await gateway.admit(request)
    intake.query(request.scope, wire.NoQuery)
    return answers.passed(await caller.ask(console.me, caller.bearer.rol))


@get("/v1/agents", doc=Doc(summary="List the agents", answers={200: wire.AgentList}))
async def list_agents(request: Request[Any, Any, Any]) -> ASGIApp:
    """List every agent with what it may read and write."""
    caller = await gateway.admit(request)
    intake.query(request.scope, wire.NoQuery)
    return answers.passed(await caller.ask(console.agents, caller.bearer.rol))


@get("/v1/tokens", doc=Doc(summary="List the bearer tokens", answers={200: wire.TokenList}))
async def list_tokens(request: Request[Any, Any, Any]) -> ASGIApp:
    """List every bearer token's life; never a token, nor its hash."""
    caller = await gateway.admit(request)
    intake.query(request.scope, wire.NoQuery)
    return answers.passed(await caller.ask(console.tokens, caller.bearer.rol))


@get("/v1/overdue", doc=Doc(summary="List late handoffs", answers={200: wire.OverduePage}, query=wire.PageQuery))
async def list_overdue(request: Request[Any, Any, Any]) -> ASGIApp:
    """List the handoffs past their date, without their texts."""
    caller = await gateway.admit(request)
    query = intake.query(request.scope, wire.PageQuery)
    return answers.passed(await caller.ask(console.overdue, caller.bearer.rol, intake.place(query.cursor, query.limit)))


def _act_doc(summary: str, answer: type[wire.Suspension | wire.Revocation]) -> Doc:
    return Doc(summary=summary, answers={200: answer}, body=wire.Nothing, body_optional=True, refuses=(errors.Absent,))


@post("/v1/tokens/{token:str}/revoke", doc=_act_doc("Revoke a bearer token", wire.Revocation))
async def revoke_token(request: Request[Any, Any, Any]) -> ASGIApp:
    """Revoke a bearer token by its id; the database refuses it from its next statement on."""
    caller = gateway.operator(await gateway.admit(request))
    token_id = intake.plain_name(request.scope, "token")
    _, retry = await gateway.receive(request, wire.Nothing)
    return answers.written(await caller.ask(console.revoke_token, token_id, retry))


@post("/v1/agents/{agent:str}/suspend", doc=_act_doc("Suspend an agent", wire.Suspension))
async def suspend_agent(request: Request[Any, Any, Any]) -> ASGIApp:
    """Suspend an agent; the database refuses it from its next statement on, whatever tokens it holds."""
    return await _suspend(request, suspended=True)


@post("/v1/agents/{agent:str}/resume", doc=_act_doc("Let an agent back in", wire.Suspension))
async def resume_agent(request: Request[Any, Any, Any]) -> ASGIApp:
    """Let a suspended agent back in."""
    return await _suspend(request, suspended=False)


async def _suspend(request: Request[Any, Any, Any], *, suspended: bool) -> ASGIApp:
    caller = gateway.operator(await gateway.admit(request))
    agent = intake.plain_name(request.scope, "agent")
    _, retry = await gateway.receive(request, wire.Nothing)
    return answers.written(await caller.ask(console.suspend, agent, suspended=suspended, retry=retry))


HANDLERS: Final = (console_me, list_agents, list_tokens, list_overdue, revoke_token, suspend_agent, resume_agent)
