"""Whether a landed memory is still where it was written: the file system is the record of what is available."""

from __future__ import annotations

from enum import StrEnum

from fleetmem.errors import WorkspaceRefused
from fleetmem.landing import lander
from fleetmem.landing.files import Folder
from fleetmem.landing.hold import PATIENCE_S, Workspace, hold
from fleetmem.landing.lander import Landed
from fleetmem.memory import block
from fleetmem.memory.target import Layout


class Standing(StrEnum):
    """What became of a landed memory; everything but `HELD` is drift."""

    HELD = "held"
    EDITED = "edited"  # the block is there and its bytes are others
    MOVED = "moved"  # the block is gone from its file and stands in another one of the workspace
    MISSING = "missing"  # the file or the block is gone
    REFUSED = "refused"  # nobody can tell: the markers are out of order, or no plain file is there


def inspect(workspace: Workspace, landed: Landed, *, patience_s: float = PATIENCE_S) -> Standing:
    """Say how a memory stands in its workspace now.

    Raises:
        WorkspaceRefused: another lander holds the workspace (`busy`): ask again.
    """
    try:
        with hold(workspace, patience_s=patience_s) as top:
            return _standing(top, workspace.layout, landed)
    except WorkspaceRefused as error:
        if error.rule == "busy":
            raise
        return Standing.MISSING if error.rule == "absent" else Standing.REFUSED


def available(workspace: Workspace, landed: Landed) -> bool:
    """Tell whether a memory's file still holds its block with the recorded digest.

    Raises:
        WorkspaceRefused: as `inspect`.
    """
    return inspect(workspace, landed) is Standing.HELD


def _standing(top: Folder, layout: Layout, landed: Landed) -> Standing:
    content = lander.content_of(top, layout, landed.skill)
    there = None if content is None else block.find(content, landed.note)
    if content is None or there is None:
        return Standing.MOVED if _elsewhere(top, layout, landed) else Standing.MISSING
    return Standing.HELD if there.sha256(content) == landed.sha256 else Standing.EDITED


def _elsewhere(top: Folder, layout: Layout, landed: Landed) -> bool:
    """Tell whether any other file that the runtime reads holds the note; raw bytes, since its markers may be broken."""
    note = str(landed.note).encode()
    places = {None, *lander.skill_keys(top, layout)} - {landed.skill}
    return any(note in (lander.content_of(top, layout, key) or b"") for key in places)
