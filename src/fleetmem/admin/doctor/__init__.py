"""`fleetmem doctor`: what is wrong or open with an installation, and what to do about each.

A finding is `sound`, `open` (the fence stands, something around it could be tighter) or `broken` (mend it first). The
examination changes nothing: it starts no server and takes no lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from fleetmem.admin import database, deployment
from fleetmem.admin.database import Conninfo
from fleetmem.admin.doctor import age, contents, pipeline, place, server
from fleetmem.admin.doctor.finding import Finding, State
from fleetmem.admin.services import as_running, services
from fleetmem.config import Settings
from fleetmem.errors import FleetmemError

__all__ = ["Finding", "State", "examine", "is_sound", "report"]


def examine(settings: Settings, now: datetime) -> list[Finding]:
    """Look at everything that can be looked at; what cannot be reached is itself a finding."""
    findings = [*place.files(settings.home), *place.roster_file(settings)]
    try:
        conninfo = _reach(settings)
        with database.owner(conninfo) as connection:
            findings += [*server.server(connection, conninfo), *server.fence(connection, conninfo)]
            if all(finding.state is not State.BROKEN for finding in findings):
                findings += [*server.logins(connection), *server.catalogue(connection)]
                findings += [*contents.contents(connection, settings), *age.keys(connection)]
                findings += pipeline.pipeline(
                    connection, silent_s=settings.worker_stalled_s, idle_s=settings.segment_idle_s
                )
    except FleetmemError as error:
        findings.append(Finding(State.BROKEN, "database", error.detail, "start it with `fleetmem up`"))
    findings += [*age.reports(settings.home / "reports", now), *_services(settings)]
    return findings


def is_sound(findings: list[Finding]) -> bool:
    """Whether nothing is broken; what is open is for the owner to weigh."""
    return all(finding.state is not State.BROKEN for finding in findings)


def report(findings: list[Finding]) -> str:
    """Write the findings for a person."""
    lines = []
    for each in findings:
        lines.append(f"{each.state:7} {each.what}: {each.found}")
        if each.remedy:
            lines.append(f"        -> {each.remedy}")
    worst = next((state for state in (State.BROKEN, State.OPEN) if any(each.state is state for each in findings)), None)
    verdict = {
        None: "All sound.",
        State.OPEN: "Sound; what is open is said above.",
        State.BROKEN: "Mend what is broken.",
    }
    return "\n".join([*lines, "", verdict[worst]])


def _reach(settings: Settings) -> Conninfo:
    given = deployment.external(settings)
    if given is not None:
        return given
    if not (settings.home / "postgres").exists():
        raise FleetmemError(f"{settings.home} holds no fleet yet")
    return deployment.embedded(settings).conninfo(deployment.DBNAME).psycopg()


def _services(settings: Settings) -> Iterator[Finding]:
    for service in services(as_running(settings)):
        if service.is_ready():
            yield Finding(State.SOUND, service.what, f"ready at {service.url}")
        else:
            yield Finding(State.OPEN, service.what, f"does not answer at {service.url}", "start it with `fleetmem up`")
