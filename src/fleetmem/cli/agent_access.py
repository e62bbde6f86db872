"""The agent's way in: the options of `fleetmem` that say where the gateway is and whose token to use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import typer

from fleetmem.client import ConsoleClient, FleetClient
from fleetmem.errors import Absent, RouteAbsent, Unauthenticated

ClientT = TypeVar("ClientT", FleetClient, ConsoleClient)


@dataclass(frozen=True, slots=True)
class Access:
    """What was said before the command; None means the environment says."""

    url: str | None = None
    token_file: Path | None = None
    insecure: bool = False


def fleet(context: typer.Context) -> AbstractContextManager[FleetClient]:
    """Open the client that the options and the environment describe.

    Raises:
        Unauthenticated: there is no token, or the gateway knows it not.
        ConfigInvalid: the address or the token is unusable.
    """
    said = context.find_object(Access) or Access()
    return speaking(
        lambda: FleetClient(said.url, token_file=said.token_file, insecure=said.insecure), takes="an agent's token"
    )


@contextmanager
def speaking(opened: Callable[[], ClientT], *, takes: str) -> Iterator[ClientT]:
    """Open a client; one that is turned away says whose token the command takes, and where it spoke to."""
    where = ""
    try:
        with opened() as client:
            where = f" and spoke to {client.url}"
            yield client
    except (Unauthenticated, RouteAbsent) as error:
        error.detail = f"{error.detail.rstrip('.')}; this command takes {takes}{where}"
        raise


@contextmanager
def within(client: FleetClient, team: str) -> Iterator[None]:
    """Do something in a team; where nothing was found because the agent is in no such team, say that."""
    try:
        yield
    except Absent as error:
        if type(error) is Absent and all(each.name != team for each in client.teams()):
            raise no_team(team) from error
        raise


def no_team(name: str) -> Absent:
    """Say that a team is none of the agent's; whether there is one of that name is not said."""
    return Absent(f"There is no team {name}, or you are no member of it; `fleetmem team list` lists yours")
