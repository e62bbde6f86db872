"""Who is asking: a bearer token's holder, and what an agent is told about itself."""

from __future__ import annotations

from dataclasses import dataclass

from fleetmem.fleet.agent import Rol
from fleetmem.store.session import Session


@dataclass(frozen=True, slots=True)
class Bearer:
    """Whose a bearer token is: its id (a claim's `jti`), the holder's name and what the token lets it be."""

    id: str
    name: str
    rol: Rol


async def resolve(session: Session, sha256: bytes, rol: Rol) -> Bearer | None:
    """Find the holder of the token with this hash, as `rol`; None for unknown, revoked, expired and suspended alike."""
    row = await session.row("bearer_resolve", sha256, rol.value)
    return Bearer(row[0], row[1], rol) if row is not None and row[0] is not None else None


async def me(session: Session, claim: str) -> bytes:
    """Read who the claim's bearer is, as `wire.Me`."""
    return await session.read("me", claim)
