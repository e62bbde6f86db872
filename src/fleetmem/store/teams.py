"""Teams, as their members see them. Answers are JSON documents as Postgres renders them; `wire.TeamList` is their shape."""

from __future__ import annotations

from fleetmem.store.session import Session


async def every(session: Session, claim: str) -> bytes:
    """Read the active teams that the claim's bearer is a member of, by name."""
    return await session.read("team_list", claim)
