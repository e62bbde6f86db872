"""Which workspaces are fit: closed to what lies above them, and with nothing inside that would carry memory elsewhere.

A runtime reads more than its working directory: Codex takes instructions and skills from every directory up to the git
root, Claude Code instructions from every directory there is above (`memory.target` says what was measured). So each
workspace is its own git root, and one that lies below another workspace, or below directories whose files would climb into
it, is refused: memory that one agent holds would be read by another.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from fleetmem.errors import WorkspaceRefused
from fleetmem.landing import files
from fleetmem.landing.files import Folder
from fleetmem.landing.hold import Workspace, hold
from fleetmem.memory import block, skill
from fleetmem.memory.target import Layout

_GIT: Final = ".git"
_HEAD: Final = "HEAD"
# Tells a workspace from any other repository; inside .git, where no runtime looks and nothing is committed.
_SIGN: Final = "fleetmem-workspace"
_REPOSITORY: Final = {
    _HEAD: b"ref: refs/heads/main\n",
    "config": b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    _SIGN: b"A workspace of fleetmem: one agent's, closed to what lies above it.\n",
}
_FOLDERS: Final = ("objects", "refs")


def prepare(workspace: Workspace) -> None:
    """Make a workspace where it is missing, and a git root of its own out of it; an existing one is left as it is.

    Raises:
        WorkspaceRefused: it is not fit afterwards either; `faults` tells all of it.
    """
    root = str(workspace.root)
    try:
        workspace.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(workspace.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise WorkspaceRefused(f"{root}: {error.strerror}", field=root, rule="absent") from error
    try:
        if files.kind(Folder(descriptor, ""), workspace.name) is None:
            with files.made(Folder(descriptor, ""), workspace.name):
                pass
    finally:
        os.close(descriptor)
    with hold(workspace) as top:
        with files.made(top, _GIT) as repository:
            for name in _FOLDERS:
                with files.made(repository, name):
                    pass
            for name, content in _REPOSITORY.items():
                if files.kind(repository, name) is None:
                    files.replace(repository, name, content, None)
        refuse_unfit(workspace, top)


def is_foreign(workspace: Workspace) -> bool:
    """Tell whether something stands in a workspace's place that `prepare` never made a workspace of."""
    return os.path.lexists(workspace.path) and not os.path.lexists(workspace.path / _GIT / _SIGN)


def nested(paths: Sequence[Path]) -> list[tuple[Path, Path]]:
    """Return each (inner, outer) of workspaces that lie inside one another, or are one by two names."""
    real = [(path, path.resolve()) for path in paths]
    return [(a, b) for a, inner in real for b, outer in real if a != b and inner.is_relative_to(outer)]


def refuse_unfit(workspace: Workspace, top: Folder) -> None:
    """Refuse a workspace that is not closed, or whose instructions would not be read.

    Raises:
        WorkspaceRefused: the first fault.
    """
    for fault in (*_not_closed(workspace, top), *_shadowed(top, workspace.layout)):
        raise fault


def faults(workspace: Workspace) -> tuple[WorkspaceRefused, ...]:
    """Return everything that is wrong with a workspace, as the refusals that landing would meet there, or should.

    Stricter than landing itself: it also looks at skills that no memory is in, because a link among them would show this
    agent what lies in another's workspace.
    """
    try:
        with hold(workspace) as top:
            layout = workspace.layout
            return (
                *_not_closed(workspace, top),
                *_shadowed(top, layout),
                *_instructions(top, layout),
                *_skills(top, layout),
            )
    except WorkspaceRefused as error:
        return (error,)


def _not_closed(workspace: Workspace, top: Folder) -> Iterator[WorkspaceRefused]:
    yield from _collected(lambda: _refuse_borrowed_git(top))
    above = list(workspace.root.resolve().parents)
    above.insert(0, workspace.root.resolve())
    for directory in above:
        if os.path.lexists(directory / _GIT / _SIGN):
            yield _refusal(
                str(directory), "nested", f"{workspace.path} lies inside {directory}, another agent's workspace"
            )
        in_repository = any(os.path.lexists(each / _GIT) for each in (directory, *directory.parents))
        climbing = (*workspace.layout.climbs_all, *(workspace.layout.climbs_git if in_repository else ()))
        for name in climbing:
            if os.path.lexists(directory / name):
                yield _climbs(workspace, directory / name)


def _refuse_borrowed_git(top: Folder) -> None:
    """Refuse a workspace that is no git root of its own: a file `.git` leads to another tree's repository."""
    what = files.kind(top, _GIT)
    if what is None:
        raise _refusal(_GIT, "git-root", "the workspace is no git root of its own, so a runtime would look above it")
    if what != "directory":
        raise _refusal(_GIT, "git-root", f".git is a {what}; a workspace has a repository of its own, no worktree")
    with files.opened(top, _GIT) as repository:
        if files.read(repository, _HEAD) is None:
            raise _refusal(_GIT, "git-root", ".git is no repository: it has no HEAD")


def _shadowed(top: Folder, layout: Layout) -> Iterator[WorkspaceRefused]:
    for name in layout.shadows:
        if files.kind(top, name) is not None:
            yield _refusal(
                name, "shadowed", f"{name} is read in the place of {layout.instructions}, which holds the memory"
            )


def _instructions(top: Folder, layout: Layout) -> Iterator[WorkspaceRefused]:
    def look() -> None:
        found = files.read(top, layout.instructions)
        if found is not None:
            block.scan(found.content)
            skill.check_budget([len(found.content)], budget_bytes=layout.budget_bytes)

    yield from _collected(look, path=layout.instructions)
    yield from _left_over(top, layout.instructions)


def _skills(top: Folder, layout: Layout) -> Iterator[WorkspaceRefused]:
    found = list[WorkspaceRefused]()

    def look(parent: Folder, names: tuple[str, ...]) -> None:
        if names:
            with files.opened(parent, names[0]) as folder:
                look(folder, names[1:])
            return
        for key in files.entries(parent):
            found.extend(_skill(parent, key))

    try:
        yield from _collected(lambda: look(top, layout.skills))
    except FileNotFoundError:
        return
    yield from found


def _skill(skills: Folder, key: str) -> Iterator[WorkspaceRefused]:
    what = files.kind(skills, key)
    if what in {None, "file"}:
        return
    path = skills.names(key)
    if what != "directory":
        yield _refusal(path, "not-plain", f"{path} is a {what}: what it shows is not this workspace's own")
        return

    def look() -> None:
        found = files.read(folder, skill.FILE)
        if found is not None and block.scan(found.content):
            skill.read(found.content, key)

    with files.opened(skills, key) as folder:
        yield from _collected(look, path=folder.names(skill.FILE))
        yield from _left_over(folder, skill.FILE)


def _left_over(folder: Folder, name: str) -> Iterator[WorkspaceRefused]:
    draft = files.draft_of(name)
    if files.kind(folder, draft) is not None:
        path = folder.names(draft)
        yield _refusal(
            path, "left-over", f"{path} is the draft of a lander that was killed; the next landing removes it"
        )


def _collected(look: Callable[[], None], *, path: str | None = None) -> Iterator[WorkspaceRefused]:
    try:
        look()
    except WorkspaceRefused as error:
        yield error if error.field or path is None else _refusal(path, error.rule, f"{path} {error.detail}")


def _climbs(workspace: Workspace, carrier: Path) -> WorkspaceRefused:
    return _refusal(str(carrier), "carrier-above", f"{carrier} would be read in {workspace.path}, which lies below it")


def _refusal(path: str, rule: str | None, sentence: str) -> WorkspaceRefused:
    return WorkspaceRefused(sentence, field=path, rule=rule)
