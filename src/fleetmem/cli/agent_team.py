"""`fleetmem team`: list, show."""

from __future__ import annotations

from typing import Annotated

import typer

from fleetmem.cli import options, show, show_work
from fleetmem.cli.agent_access import fleet, no_team
from fleetmem.cli.options import Json, examples

team = options.group("Teams: who works together, and for which audiences. You see those you are a member of.")


@team.command("list", epilog=examples("fleetmem team list", "fleetmem team list --json"))
def list_(context: typer.Context, as_json: Json = False) -> None:
    """List your teams."""
    with fleet(context) as client:
        found = client.teams()
    if as_json:
        show.out(show.as_json(found))
    else:
        show.out("\n\n".join(map(show_work.team, found)) or "You are a member of no team.")


@team.command("show", epilog=examples("fleetmem team show website"))
def show_(
    context: typer.Context, name: Annotated[str, typer.Argument(help="The team.")], as_json: Json = False
) -> None:
    """Show one of your teams."""
    with fleet(context) as client:
        found = next((each for each in client.teams() if each.name == name), None)
    if found is None:
        raise no_team(name)
    show.out(show.as_json(found) if as_json else show_work.team(found))
