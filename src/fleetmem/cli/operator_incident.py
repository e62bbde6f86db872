"""`fleetmem incident`: list, close."""

from __future__ import annotations

from enum import StrEnum
from itertools import islice
from typing import Annotated

import typer

from fleetmem import wire
from fleetmem.cli import options, show, show_review
from fleetmem.cli.operator_access import console
from fleetmem.cli.options import Json, examples

incident = options.group("Incidents: what a person should look at. For operators.")


class Status(StrEnum):
    """Where an incident can stand."""

    open = "open"
    confirmed = "confirmed"
    dismissed = "dismissed"


class Kind(StrEnum):
    """What an incident can be about."""

    quarantine = "quarantine"
    drift = "drift"
    landing = "landing"
    narrowed = "narrowed"
    recall = "recall"
    job = "job"


class Outcome(StrEnum):
    """What an incident can have been."""

    confirmed = "confirmed"
    dismissed = "dismissed"


@incident.command("list", epilog=examples("fleetmem incident list", "fleetmem incident list --all --kind drift --json"))
def list_(
    context: typer.Context,
    *,
    status: Annotated[Status, typer.Option(help="Only those that stand there.")] = Status.open,
    every: Annotated[bool, typer.Option("--all", help="Wherever they stand.")] = False,
    kind: Annotated[Kind | None, typer.Option(help="Only of this kind.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")] = wire.PAGE_SIZE,
    as_json: Json = False,
) -> None:
    """List incidents, newest first: the open ones, unless told."""
    with console(context) as client:
        found = client.incidents(
            status=None if every else status.value,
            kind=None if kind is None else kind.value,
            page_size=min(limit, wire.PAGE_SIZE_MOST),
        )
        incidents = list(islice(found, limit))
    if as_json:
        show.out(show.as_json(incidents))
    else:
        show.out(show_review.incidents(incidents) if incidents else "No such incidents.")


@incident.command(
    epilog=examples(
        "fleetmem incident close 01981c76-11f0-7a3c-8e55-0d9c4f6a2b10 dismissed --remark 'It quotes a log.'"
    )
)
def close(
    context: typer.Context,
    incident_id: Annotated[str, typer.Argument(metavar="ID", help="The incident's id.")],
    outcome: Annotated[Outcome, typer.Argument(help="What it was.")],
    *,
    remark: Annotated[str | None, typer.Option(help="Why, for whoever reads this later.")] = None,
    as_json: Json = False,
) -> None:
    """Say what an incident was."""
    with console(context) as client:
        closed = client.close_incident(incident_id, wire.IncidentClosing(outcome=outcome.value, remark=remark))
    show.out(show.as_json(closed) if as_json else f"Incident {closed.id} is {closed.status}.{_left(closed)}")


def _left(closed: wire.Incident) -> str:
    """Say what closing an incident has not done."""
    if closed.kind != "narrowed":
        return ""
    return f" The memory stays with {closed.agent} until `fleetmem review revoke {closed.note} --agent {closed.agent}`."
