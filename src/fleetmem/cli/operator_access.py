"""The operator's way in: the same options as an agent's, led to the console."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager

import typer

from fleetmem.cli.agent_access import Access, speaking
from fleetmem.client import ConsoleClient
from fleetmem.errors import RequestInvalid


def console(context: typer.Context) -> AbstractContextManager[ConsoleClient]:
    """Open the client that the options and the environment describe.

    Raises:
        Unauthenticated: there is no token, or the console knows it not.
        ConfigInvalid: the address or the token is unusable.
    """
    said = context.find_object(Access) or Access()
    return speaking(
        lambda: ConsoleClient(said.url, token_file=said.token_file, insecure=said.insecure),
        takes="an operator's or auditor's token",
    )


def confirm(question: str, *, instead: str = "--yes") -> None:
    """Ask a person at a terminal; anything but yes ends the command with nothing done.

    `instead` is what a script says on the command line.

    Raises:
        RequestInvalid: nobody is there to be asked.
        Abort: the answer was no.
    """
    if not sys.stdin.isatty():
        raise RequestInvalid(f"no terminal to confirm at; say {instead}", field="--yes", rule="required")
    typer.confirm(question, abort=True, err=True)
