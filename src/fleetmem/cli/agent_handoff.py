"""`fleetmem handoff`: send, inbox, outbox, overdue, show, accept, decline, answer, withdraw."""

from __future__ import annotations

from enum import StrEnum
from itertools import islice
from typing import Annotated

import typer

from fleetmem import wire
from fleetmem.cli import options, show
from fleetmem.cli.agent_access import fleet
from fleetmem.cli.options import Json, examples

handoff = options.group("Handoffs: one agent asks another to do something. A request, never an instruction.")

_ID = "01981c70-0a4e-7d02-8a55-9be0c4a2f7d1"
Identifier = Annotated[str, typer.Argument(metavar="ID", help="The handoff's id.")]
Most = Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")]
Reply = Annotated[str | None, typer.Option("--reply", help="What to say along with it; - reads standard input.")]


class Status(StrEnum):
    """Where a handoff can stand."""

    open = "open"
    accepted = "accepted"
    declined = "declined"
    done = "done"
    failed = "failed"
    withdrawn = "withdrawn"


class Outcome(StrEnum):
    """How an accepted handoff can end."""

    done = "done"
    failed = "failed"


Only = Annotated[Status | None, typer.Option(help="Only those that stand there.")]


@handoff.command(
    epilog=examples(
        'fleetmem handoff send maintenance "Renew the certificate on gw-3." --audience client --due 2d',
        "fleetmem handoff send finance - --audience open < request.txt",
    )
)
def send(
    context: typer.Context,
    recipient: Annotated[str, typer.Argument(help="The colleague.")],
    request: Annotated[str, typer.Argument(help="What you ask for; - reads standard input.")],
    *,
    audience: Annotated[str, typer.Option(help="Who else may read it.")],
    due: Annotated[str | None, typer.Option(metavar="WHEN", help=options.WHEN)] = None,
    as_json: Json = False,
) -> None:
    """Ask a colleague to do something."""
    due_at = options.later(due, field="due_at")
    with fleet(context) as client:
        made = client.send(recipient, options.text_or_stdin(request), audience=audience, due_at=due_at)
    _one(made, as_json=as_json)


@handoff.command(epilog=examples("fleetmem handoff inbox --status open", "fleetmem handoff inbox --json"))
def inbox(context: typer.Context, status: Only = None, limit: Most = wire.PAGE_SIZE, as_json: Json = False) -> None:
    """List what was asked of you, newest first."""
    _box(context, "inbox", status=status, overdue=False, limit=limit, as_json=as_json)


@handoff.command(epilog=examples("fleetmem handoff outbox --status accepted"))
def outbox(context: typer.Context, status: Only = None, limit: Most = wire.PAGE_SIZE, as_json: Json = False) -> None:
    """List what you asked of others, newest first."""
    _box(context, "outbox", status=status, overdue=False, limit=limit, as_json=as_json)


@handoff.command(epilog=examples("fleetmem handoff overdue"))
def overdue(context: typer.Context, limit: Most = wire.PAGE_SIZE, as_json: Json = False) -> None:
    """List the unfinished ones past their date, of all you may see."""
    _box(context, "visible", status=None, overdue=True, limit=limit, as_json=as_json)


@handoff.command("show", epilog=examples(f"fleetmem handoff show {_ID}"))
def show_(context: typer.Context, handoff_id: Identifier, as_json: Json = False) -> None:
    """Show one handoff with every move it made."""
    with fleet(context) as client:
        found = client.handoff(handoff_id)
    _one(found, as_json=as_json)


@handoff.command(epilog=examples(f'fleetmem handoff accept {_ID} --reply "On it, by noon."'))
def accept(context: typer.Context, handoff_id: Identifier, reply: Reply = None, as_json: Json = False) -> None:
    """Take on what was asked of you."""
    with fleet(context) as client:
        _one(client.accept(handoff_id, _read(reply)), as_json=as_json)


@handoff.command(epilog=examples(f'fleetmem handoff decline {_ID} --reply "Needs the owner first."'))
def decline(context: typer.Context, handoff_id: Identifier, reply: Reply = None, as_json: Json = False) -> None:
    """Turn down what was asked of you."""
    with fleet(context) as client:
        _one(client.decline(handoff_id, _read(reply)), as_json=as_json)


@handoff.command(
    epilog=examples(
        f'fleetmem handoff answer {_ID} done "Renewed until next March."',
        f'fleetmem handoff answer {_ID} failed "The authority is down."',
    )
)
def answer(
    context: typer.Context,
    handoff_id: Identifier,
    outcome: Annotated[Outcome, typer.Argument(help="How it ended.")],
    reply: Annotated[str, typer.Argument(help="What you did, or why not; - reads standard input.")],
    as_json: Json = False,
) -> None:
    """Say how what you accepted ended."""
    with fleet(context) as client:
        _one(client.answer(handoff_id, outcome.value, options.text_or_stdin(reply)), as_json=as_json)


@handoff.command(epilog=examples(f"fleetmem handoff withdraw {_ID}"))
def withdraw(context: typer.Context, handoff_id: Identifier, reply: Reply = None, as_json: Json = False) -> None:
    """Take back what you asked for, while nobody has answered."""
    with fleet(context) as client:
        _one(client.withdraw(handoff_id, _read(reply)), as_json=as_json)


def _read(reply: str | None) -> str | None:
    return None if reply is None else options.text_or_stdin(reply)


def _one(found: wire.Handoff, *, as_json: bool) -> None:
    show.out(show.as_json(found) if as_json else show.handoff(found))


def _box(
    context: typer.Context, box: wire.Box, *, status: Status | None, overdue: bool, limit: int, as_json: bool
) -> None:
    with fleet(context) as client:
        found = client.handoffs(
            box,
            status=None if status is None else status.value,
            overdue=overdue,
            page_size=min(limit, wire.PAGE_SIZE_MOST),
        )
        handoffs = list(islice(found, limit))
    if as_json:
        show.out(show.as_json(handoffs))
    else:
        show.out("\n\n".join(map(show.handoff, handoffs)) or "No such handoffs that you may see.")
