"""What `fleetmem up` suggests to try: commands that work on the fleet as it is, in the names of whoever is in it."""

import os
import shlex
import shutil
import sys
from collections.abc import Collection
from pathlib import Path

from fleetmem.config import Settings, load
from fleetmem.fleet.agent import Agent
from fleetmem.fleet.roster import Roster


def suggestions(roster: Roster, tokens: Path, *, gateway: str, console: str, settings: Settings) -> list[str]:
    """Return lines for a shell: who an agent is, a beat where one may be written, and what an operator reviews.

    `tokens` is the folder of token files; whoever has none there is not suggested.
    """
    usual = load({})
    program = "fleetmem" if shutil.which("fleetmem") else os.path.relpath(sys.argv[0])
    there = {path.stem for path in tokens.glob("*.token")}
    agent = _agent([each for each in roster.agents if each.name in there])
    operator = next((each.name for each in roster.operators if each.name in there), None)
    lines = [
        *([f"export FLEETMEM_URL={gateway}"] if settings.gateway_port != usual.gateway_port else []),
        *([f"export FLEETMEM_CONSOLE_URL={console}"] if settings.console_port != usual.console_port else []),
    ]
    if agent is not None:
        lines += [f"export FLEETMEM_TOKEN_FILE={_file(tokens, agent.name)}", f"{program} me"]
        if agent.writes:
            audience = shlex.quote(_widest(agent.writes, roster.agents))
            lines.append(f"{program} beat publish hello 'This fleet is up.' --audience {audience}")
    if operator is not None:
        lines.append(f"{program} --token-file {_file(tokens, operator)} review list")
    return [*lines, f"{program} prove"]


def _agent(agents: list[Agent]) -> Agent | None:
    """Choose whom to be: the first that may write something."""
    return next((each for each in agents if each.writes), agents[0] if agents else None)


def _widest(audiences: Collection[str], agents: Collection[Agent]) -> str:
    """Choose the audience that most agents read."""
    return min(audiences, key=lambda audience: (-sum(audience in each.reads for each in agents), audience))


def _file(tokens: Path, name: str) -> str:
    return shlex.quote(str(tokens / f"{name}.token"))
