"""What operators and auditors see and do; `rol` says as which. Auditors read, and the database refuses them the rest."""

from __future__ import annotations

from fleetmem.fleet.agent import Rol
from fleetmem.store.session import Place, Retry, Session, Written


async def me(session: Session, claim: str, rol: Rol) -> bytes:
    """Read who the claim's bearer is, as `wire.ConsoleMe`."""
    return await session.read("console_me", claim, rol.value)


async def agents(session: Session, claim: str, rol: Rol) -> bytes:
    """Read every agent with its read and write sets, as `wire.AgentList`."""
    return await session.read("console_agents", claim, rol.value)


async def tokens(session: Session, claim: str, rol: Rol) -> bytes:
    """Read every bearer token's life, never a token nor its hash, as `wire.TokenList`."""
    return await session.read("console_tokens", claim, rol.value)


async def overdue(session: Session, claim: str, rol: Rol, place: Place) -> bytes:
    """Read the handoffs past their date, without their texts, as `wire.OverduePage`."""
    return await session.read("console_overdue", claim, rol.value, place.before, place.size)


async def revoke_token(session: Session, claim: str, token_id: str, retry: Retry) -> Written:
    """Revoke a bearer token; the database refuses it at its next statement.

    Raises:
        Forbidden: the bearer is an auditor.
        Absent: no token has that id.
    """
    return await session.write("console_token_revoke", claim, retry.key, retry.sha256, token_id)


async def suspend(session: Session, claim: str, agent: str, *, suspended: bool, retry: Retry) -> Written:
    """Suspend an agent, or let it back in.

    Raises:
        Forbidden: the bearer is an auditor.
        Absent: no agent has that name.
    """
    return await session.write("console_suspend", claim, retry.key, retry.sha256, agent, suspended)
