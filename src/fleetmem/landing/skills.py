"""Which skills a workspace has, for who decides where a memory goes. Nothing is written."""

from __future__ import annotations

from contextlib import suppress

from fleetmem.errors import WorkspaceRefused
from fleetmem.landing import lander
from fleetmem.landing.hold import PATIENCE_S, Workspace, hold
from fleetmem.memory import skill


def skills(workspace: Workspace, *, patience_s: float = PATIENCE_S) -> dict[str, str]:
    """Return the description of every skill that the runtime would load, by its key; of a missing workspace none.

    Raises:
        WorkspaceRefused: another lander holds the workspace for so long (`busy`), or it is no plain folder.
    """
    try:
        with hold(workspace, patience_s=patience_s) as top:
            found = dict[str, str]()
            for key in lander.skill_keys(top, workspace.layout):
                with suppress(WorkspaceRefused):
                    content = lander.content_of(top, workspace.layout, key)
                    if content is not None:
                        found[key] = skill.read(content, key)
            return found
    except WorkspaceRefused as error:
        if error.rule != "absent":
            raise
        return {}
