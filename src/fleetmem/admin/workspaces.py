"""The workspaces of the roster's agents: made where they are missing, with the instructions that the roster gives them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from fleetmem import landing
from fleetmem.admin.deployment import Say
from fleetmem.config import Settings
from fleetmem.errors import WorkspaceRefused
from fleetmem.fleet.agent import Agent
from fleetmem.fleet.roster import Roster
from fleetmem.landing import Workspace


def root(settings: Settings) -> Path:
    """Return the owner's folder of workspaces. The supervisor is told it and nothing else about them: it deletes folders."""
    return settings.workspaces


def of(root: Path, agent: Agent) -> Workspace:
    """Return an agent's workspace below the owner's folder of them."""
    return Workspace(root=root, name=agent.workspace, target=agent.target)


def needed(root: Path, declared: Roster) -> list[Agent]:
    """Return the agents whose workspaces matter: who is in a team, for whom memory may land, and whoever has one anyway."""
    members = {agent.name for agent in declared.members()}
    return [each for each in declared.agents if each.name in members or os.path.lexists(of(root, each).path)]


def prepare(workspace: Workspace, instructions: str = "") -> None:
    """Make a workspace where it is missing; instructions are written only where no file of them is yet.

    Raises:
        WorkspaceRefused: it is not fit afterwards either, or the instructions may not be written.
    """
    landing.prepare(workspace)
    if instructions and not os.path.lexists(workspace.path / workspace.layout.instructions):
        landing.instruct(workspace, _written(instructions))


def instruct(workspace: Workspace, instructions: str) -> None:
    """Write instructions in the place of the former ones; landed memory among them stays byte for byte.

    Raises:
        WorkspaceRefused: the workspace is not fit, or the text may not stand among landed memory.
    """
    landing.instruct(workspace, _written(instructions))


def prepare_all(root: Path, agents: Iterable[Agent], say: Say) -> None:
    """Make the workspaces of some agents, and say which cannot take memory and why.

    A refusal is told and no more: beats and handoffs need no workspace, and landing itself refuses one that is not fit. A
    folder that somebody else made is looked at and left as it is; only its owner says that it is an agent's.
    """
    for agent in agents:
        workspace = of(root, agent)
        try:
            if landing.is_foreign(workspace):
                _refuse_unfit(workspace)
            else:
                prepare(workspace, agent.instructions)
        except WorkspaceRefused as error:
            say(f"no memory can land for {agent.name}: {error.detail}")


def _refuse_unfit(workspace: Workspace) -> None:
    faults = landing.faults(workspace)
    if faults:
        raise WorkspaceRefused(
            f"{workspace.path} was there already and is left as it is ({faults[0].detail}); if it is to be this agent's,"
            " run `fleetmem workspace prepare`",
            field=str(workspace.path),
            rule=faults[0].rule,
        )


def _written(instructions: str) -> str:
    return instructions.rstrip("\n") + "\n"
