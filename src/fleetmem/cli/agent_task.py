"""`fleetmem task`: open, list, show, settle."""

from __future__ import annotations

from enum import StrEnum
from itertools import islice
from typing import Annotated

import typer

from fleetmem import wire
from fleetmem.cli import options, show, show_work
from fleetmem.cli.agent_access import fleet, within
from fleetmem.cli.options import Json, Most, Team, examples

task = options.group("Tasks: what a team is asked.")

_ID = "01981d02-5c1b-7a90-8e44-0c2f9a1be7d3"
Identifier = Annotated[str, typer.Argument(metavar="ID", help="The task's id.")]


class Status(StrEnum):
    """Where a task can stand."""

    open = "open"
    done = "done"
    failed = "failed"
    cancelled = "cancelled"


class Outcome(StrEnum):
    """How a task can end."""

    done = "done"
    failed = "failed"
    cancelled = "cancelled"


@task.command(
    "open",
    epilog=examples(
        'fleetmem task open website "Add a health check." --audience client',
        "fleetmem task open website - --audience client < prompt.txt",
    ),
)
def open_(
    context: typer.Context,
    team: Team,
    prompt: Annotated[str, typer.Argument(help="What is asked; - reads standard input.")],
    *,
    audience: Annotated[str, typer.Option(help="Whom it is for: one of the team's that you may write for.")],
    as_json: Json = False,
) -> None:
    """Open a task."""
    with fleet(context) as client, within(client, team):
        made = client.open_task(team, options.text_or_stdin(prompt), audience=audience)
    show.out(show.as_json(made) if as_json else show_work.task(made))


@task.command("list", epilog=examples("fleetmem task list website", "fleetmem task list website --status open --json"))
def list_(
    context: typer.Context,
    team: Team,
    status: Annotated[Status | None, typer.Option(help="Only those that stand there.")] = None,
    limit: Most = wire.PAGE_SIZE,
    as_json: Json = False,
) -> None:
    """List a team's tasks, newest first, as far as you may see them."""
    with fleet(context) as client, within(client, team):
        tasks = client.tasks(
            team, status=None if status is None else status.value, page_size=min(limit, wire.PAGE_SIZE_MOST)
        )
        found = list(islice(tasks, limit))
    if as_json:
        show.out(show.as_json(found))
    else:
        show.out("\n\n".join(map(show_work.task, found)) or "No tasks that you may see.")


@task.command("show", epilog=examples(f"fleetmem task show {_ID}"))
def show_(context: typer.Context, task_id: Identifier, as_json: Json = False) -> None:
    """Show one task with the runs at it."""
    with fleet(context) as client:
        found = client.task(task_id)
    show.out(show.as_json(found) if as_json else show_work.task(found))


@task.command(epilog=examples(f"fleetmem task settle {_ID} done"))
def settle(
    context: typer.Context,
    task_id: Identifier,
    outcome: Annotated[Outcome, typer.Argument(help="How it ended.")],
    as_json: Json = False,
) -> None:
    """Say how a task ended: one that you opened, or have a run at."""
    with fleet(context) as client:
        ended = client.settle_task(task_id, outcome.value)
    show.out(show.as_json(ended) if as_json else show_work.task(ended))
