"""`fleetmem me`."""

from __future__ import annotations

import typer

from fleetmem.cli import show
from fleetmem.cli.agent_access import fleet
from fleetmem.cli.options import Json


def me(context: typer.Context, as_json: Json = False) -> None:
    """Say who you are: what you may read and write, and who your colleagues are."""
    with fleet(context) as client:
        who = client.me()
    show.out(show.as_json(who) if as_json else show.me(who))
