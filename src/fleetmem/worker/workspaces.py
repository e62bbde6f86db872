"""Which folder is an agent's, and which refusals of it pass by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fleetmem import landing
from fleetmem.errors import FleetmemError, WorkspaceRefused
from fleetmem.landing import Workspace
from fleetmem.memory.target import Target

# The world's doing for the moment, not the workspace's: the same act may succeed in a while.
_PASSING: Final = frozenset({"busy", "changed", "moved", "no-space", "read-back", "system"})
_NO_FOLDER: Final = "no-workspace"


def of(root: Path, name: str | None, target: str | None) -> Workspace:
    """Return an agent's workspace below the owner's folder of them.

    Raises:
        WorkspaceRefused: the agent has none.
    """
    if name is None:
        raise WorkspaceRefused("the agent has no workspace in the roster", field="workspace", rule=_NO_FOLDER)
    return Workspace(root=root, name=name, target=Target(target or Target.CODEX))


def fit(root: Path, name: str | None, target: str | None) -> Workspace:
    """Return an agent's workspace, made where it is missing.

    Raises:
        WorkspaceRefused: the agent has none, or it is not fit.
    """
    workspace = of(root, name, target)
    if not workspace.path.exists():
        landing.prepare(workspace)
    return workspace


def passes(error: FleetmemError) -> bool:
    """Tell whether a refusal may be gone in a while."""
    return isinstance(error, WorkspaceRefused) and error.rule in _PASSING


def why(error: FleetmemError) -> str:
    """Say a refusal as `rule: path`, which holds nothing of what was to be written.

    Whoever works in the workspace names its files: what is no printable text in a name is written as its escape.
    """
    told = f"{error.rule or error.code}: {error.field or ''}".rstrip(": ")
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in told)
