"""What a service asks of the fence itself: is it the one the code expects, and is this login harmless alone."""

from __future__ import annotations

from dataclasses import dataclass

from fleetmem.errors import FleetmemError
from fleetmem.store.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Powers:
    """What a login could do without any claim; `granted` names each power that no service may have."""

    login: str
    granted: tuple[str, ...]
    memberships: tuple[str, ...]


_NEVER = ("superuser", "bypassrls", "createrole", "createdb", "replication", "owner")


async def version(session: Session) -> str:
    """Return the hash of the policies in force."""
    return str((await session.row("fence_version"))[0])


async def is_ready(session: Session) -> bool:
    """Tell whether the database answers and is fit to; an unreachable one is a plain False."""
    try:
        return (await session.row("ready"))[0] is True
    except FleetmemError:
        return False


async def key_known(session: Session, header: str) -> bool:
    """Tell whether a claim with this JOSE header (base64url, as signed) would be verified for this login."""
    return (await session.row("key_known", header))[0] is True


async def powers(session: Session) -> Powers:
    """Return what the session's login could do without any claim."""
    row = await session.row("login_powers")
    return Powers(
        login=row["login"],
        granted=tuple(power for power in _NEVER if row[power]),
        memberships=tuple(row["memberships"]),
    )
