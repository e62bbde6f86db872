"""The agent's way in: the options of `fleetmem` that say where the gateway is and whose token to use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import typer

from fleetmem.client import FleetClient


@dataclass(frozen=True, slots=True)
class Access:
    """What was said before the command; None means the environment says."""

    url: str | None = None
    token_file: Path | None = None
    insecure: bool = False


def fleet(context: typer.Context) -> FleetClient:
    """Open the client that the options and the environment describe.

    Raises:
        Unauthenticated: there is no token.
        ConfigInvalid: the address or the token is unusable.
    """
    said = context.find_object(Access) or Access()
    return FleetClient(said.url, token_file=said.token_file, insecure=said.insecure)
