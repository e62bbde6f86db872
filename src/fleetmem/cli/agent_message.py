"""`fleetmem message`: post, list."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

import typer

from fleetmem import wire
from fleetmem.cli import options, show, show_work
from fleetmem.cli.agent_access import fleet, within
from fleetmem.cli.options import Json, Most, Team, examples

message = options.group("Messages: what a team's members say to one another.")

_ID = "01981d02-5c1b-7a90-8e44-0c2f9a1be7d3"
OfTask = Annotated[str | None, typer.Option("--task", metavar="ID", help="The task it belongs to.")]


@message.command(
    epilog=examples(
        'fleetmem message post website "The frontend needs only the public API." --audience client',
        f"fleetmem message post website - --audience client --task {_ID} < said.txt",
    )
)
def post(
    context: typer.Context,
    team: Team,
    body: Annotated[str, typer.Argument(help="What you say; - reads standard input.")],
    *,
    audience: Annotated[str, typer.Option(help="Whom it is for: one of the team's that you may write for.")],
    human: Annotated[bool, typer.Option("--human", help="A person said it, and you report it.")] = False,
    task: OfTask = None,
    run: Annotated[str | None, typer.Option(metavar="ID", help="The run of yours it belongs to.")] = None,
    as_json: Json = False,
) -> None:
    """Say something within a team."""
    with fleet(context) as client, within(client, team):
        made = client.post_message(
            team,
            options.text_or_stdin(body),
            audience=audience,
            speaker="human" if human else "agent",
            task=task,
            run=run,
        )
    show.out(show.as_json(made) if as_json else show_work.message(made))


@message.command(
    "list", epilog=examples("fleetmem message list website", f"fleetmem message list website --task {_ID} --json")
)
def list_(
    context: typer.Context,
    team: Team,
    *,
    task: OfTask = None,
    after: Annotated[str | None, typer.Option(metavar="ID", help="Only what came after this message.")] = None,
    limit: Most = wire.PAGE_SIZE,
    as_json: Json = False,
) -> None:
    """List what a team said, oldest first, as far as you may see it."""
    with fleet(context) as client, within(client, team):
        messages = client.messages(team, task=task, after=after, page_size=min(limit, wire.PAGE_SIZE_MOST))
        found = list(islice(messages, limit))
    if as_json:
        show.out(show.as_json(found))
    else:
        show.out("\n\n".join(map(show_work.message, found)) or "No messages that you may see.")
