"""A workspace held open by one lander at a time."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fleetmem.errors import WorkspaceRefused
from fleetmem.landing import files
from fleetmem.landing.files import Folder
from fleetmem.memory.target import LAYOUTS, Layout, Target

PATIENCE_S: Final = 10.0
_PAUSE_S: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """One agent's folder: `name` is one component below `root`, the owner's folder of workspaces.

    Links in `root` are the owner's and are followed; none is from there on.
    """

    root: Path
    name: str
    target: Target = Target.CODEX

    @property
    def path(self) -> Path:
        """Where it is, for messages and for walking up; never for opening."""
        return self.root / self.name

    @property
    def layout(self) -> Layout:
        """Return where its runtime looks."""
        return LAYOUTS[self.target]


@contextmanager
def hold(workspace: Workspace, *, patience_s: float = PATIENCE_S) -> Iterator[Folder]:
    """Open a workspace and keep every other lander out of it until the block ends.

    The lock is on the directory itself, so it leaves nothing behind and ends with the process that held it. A workspace
    that was moved away while we waited is let go: what we hold must still be what the name leads to.

    Raises:
        WorkspaceRefused: `rule` is `absent`, `busy` (somebody else holds it after `patience_s` seconds), `moved`, or as
            `files.opened`.
    """
    path = str(workspace.path)
    with _top(workspace) as root, ExitStack() as stack:
        try:
            inside = stack.enter_context(files.opened(root, workspace.name, may_be_mount=True))
        except FileNotFoundError as error:
            raise WorkspaceRefused(f"{path} does not exist", field=path, rule="absent") from error
        _lock(workspace, inside.descriptor, patience_s)
        _refuse_moved(workspace, root, inside)
        yield Folder(inside.descriptor, "")
        _refuse_moved(workspace, root, inside)


def _refuse_moved(workspace: Workspace, root: Folder, inside: Folder) -> None:
    held = os.fstat(inside.descriptor)
    try:
        named = os.stat(workspace.name, dir_fd=root.descriptor, follow_symlinks=False)
    except FileNotFoundError:
        named = None
    if named is None or (named.st_dev, named.st_ino) != (held.st_dev, held.st_ino):
        raise WorkspaceRefused(f"{workspace.path} was moved meanwhile", field=str(workspace.path), rule="moved")


@contextmanager
def _top(workspace: Workspace) -> Iterator[Folder]:
    try:
        descriptor = os.open(workspace.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        root = str(workspace.root)
        raise WorkspaceRefused(f"{root}: {error.strerror}", field=root, rule="absent") from error
    try:
        yield Folder(descriptor, str(workspace.root))
    finally:
        os.close(descriptor)


def _lock(workspace: Workspace, descriptor: int, patience_s: float) -> None:
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                path = str(workspace.path)
                raise WorkspaceRefused(f"{path} is held by somebody else", field=path, rule="busy") from None
            time.sleep(_PAUSE_S)
        else:
            return
