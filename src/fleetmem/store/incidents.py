"""Incidents: what a person should look at. Operators close them, auditors look."""

from __future__ import annotations

from uuid import UUID

from fleetmem.fleet.agent import Rol
from fleetmem.store.session import Place, Retry, Session, Written


async def page(session: Session, claim: str, rol: Rol, *, status: str | None, kind: str | None, place: Place) -> bytes:
    """List incidents, newest first, as `wire.IncidentPage`."""
    return await session.read("console_incidents", claim, rol.value, status, kind, place.before, place.size)


async def close(
    session: Session, claim: str, incident: UUID, *, outcome: str, remark: str | None, retry: Retry
) -> Written:
    """Say what an incident was: `confirmed` or `dismissed`.

    Raises:
        Absent: there is no such incident.
        Conflict: it is closed already.
    """
    return await session.write("console_incident_close", claim, retry.key, retry.sha256, incident, outcome, remark)
