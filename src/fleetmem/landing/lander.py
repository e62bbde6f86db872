"""Writing a memory into a workspace, taking it away, and reading back what is there.

A severe memory becomes a managed block of the instructions (AGENTS.md, CLAUDE.md); any other one a block of a skill. An
act is idempotent: repeated after a crash it finds its block, or writes it, and answers alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeVar
from uuid import UUID

from fleetmem.errors import WorkspaceRefused
from fleetmem.landing import files, premises
from fleetmem.landing.files import Folder
from fleetmem.landing.hold import PATIENCE_S, Workspace, hold
from fleetmem.memory import block, skill
from fleetmem.memory.target import Layout

MOST_SKILLS: Final = 1_000
_Answer = TypeVar("_Answer")
_Step = Callable[[Folder, str], AbstractContextManager[Folder]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One note as it is to land: `skill` None puts it into the instructions.

    `description` asks for a new skill and is None where the note joins one. `nonce` is 32 hexadecimal digits, chosen once
    for a landing and kept with it, so that a repeated act writes the same bytes.
    """

    note: UUID
    nonce: str
    content: str
    skill: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """What was written and read back: `sha256` is of the block's bytes, `path` is relative to the workspace.

    A skill that others have joined is headed by `successor` once the note is taken away that headed it with `heading`.
    """

    note: UUID
    skill: str | None
    path: str
    sha256: str
    heading: str | None = None
    successor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a landing would do: `before` is None where the file would be new."""

    path: str
    before: bytes | None
    after: bytes


class Removal(StrEnum):
    """What taking a memory away came to."""

    BLOCK = "block"
    SKILL = "skill"  # the file held nothing else, so the skill went with it
    ABSENT = "absent"  # nothing was there to remove


def land(workspace: Workspace, memory: Memory) -> Landed:
    """Write a memory, or put it in the place of the block that its note already has, and read it back.

    Raises:
        RequestInvalid: the content, the key or the description may not be written anywhere.
        WorkspaceRefused: the workspace is not fit, and every file is as it was.
    """
    _check(memory)
    with hold(workspace) as top:
        premises.refuse_unfit(workspace, top)
        try:
            written = _put(top, workspace.layout, memory)
        except FileNotFoundError as error:
            raise WorkspaceRefused(f"the skill {memory.skill} is not there", field="skill", rule="no-skill") from error
        return _read_back(top, workspace.layout, memory, written)


def preview(workspace: Workspace, memory: Memory, *, patience_s: float = PATIENCE_S) -> Preview:
    """Say what `land` would write now, to the byte, without writing.

    Raises:
        RequestInvalid, WorkspaceRefused: as `land` would.
    """
    _check(memory)
    with hold(workspace, patience_s=patience_s) as top:
        premises.refuse_unfit(workspace, top)
        path, before = _current(top, workspace.layout, memory.skill)
        return Preview(path=path, before=before, after=_compose(before, memory, workspace.layout, path=path))


def instruct(workspace: Workspace, text: str) -> None:
    """Write an agent's own instructions anew, and keep every block that stands among the former ones, byte for byte.

    Raises:
        WorkspaceRefused: as `land`; or the text holds markers, or ends inside a code fence.
    """
    with hold(workspace) as top:
        premises.refuse_unfit(workspace, top)
        path, budget = workspace.layout.instructions, workspace.layout.budget_bytes
        found = files.read(top, path)
        content = _about(path, lambda: block.carry(found.content if found else b"", text.encode()))
        _about(path, lambda: skill.check_budget([len(content)], budget_bytes=budget))
        if found is None or found.content != content:
            files.replace(top, path, content, found)
        if content_of(top, workspace.layout, None) != content:
            raise WorkspaceRefused(f"{path} does not hold what was written", field=path, rule="read-back")


def remove(workspace: Workspace, landed: Landed) -> Removal:
    """Take a landed memory away, and the skill that only ever held it, and see that it is gone.

    Its block goes from whichever file of the workspace the runtime would read it in: who works there may have moved it.

    Raises:
        RequestInvalid: the record's key is none.
        WorkspaceRefused: a file's markers are out of order or something other than a plain file stands in its place;
            the memory may still be read.
    """
    if landed.skill is not None:
        skill.check_key(landed.skill)
    with hold(workspace) as top:
        outcome = _taken(top, workspace.layout, landed)
        if landed.skill is not None and outcome is not Removal.BLOCK:
            _drop_directory(top, workspace.layout, landed.skill)
        is_lost = outcome is Removal.ABSENT and landed.path != ""
        if _taken_elsewhere(top, workspace.layout, landed, is_lost=is_lost) and outcome is Removal.ABSENT:
            outcome = Removal.BLOCK
        path, left = _current(top, workspace.layout, landed.skill)
        if left is not None and _about(path, lambda: block.find(left, landed.note)) is not None:
            raise WorkspaceRefused(f"{path} holds the block again", field=path, rule="read-back")
        return outcome


def mentions(workspace: Workspace, note: UUID) -> bool:
    """Tell whether a file that the runtime reads names a note, whatever its markers are like; or cannot be read at all.

    Raises:
        WorkspaceRefused: another lander holds the workspace (`busy`), or it was moved meanwhile.
    """
    with hold(workspace) as top:
        try:
            places = (None, *skill_keys(top, workspace.layout))
            return any(str(note).encode() in (content_of(top, workspace.layout, key) or b"") for key in places)
        except WorkspaceRefused:
            return True


def _put(top: Folder, layout: Layout, memory: Memory) -> bytes:
    """Write a memory's file unless it is as it should be already, and return its bytes."""
    with _place(top, layout, memory.skill, create=memory.description is not None) as (folder, name):
        _refuse_collision(folder, name, memory)
        found = files.read(folder, name)
        content = _compose(found.content if found else None, memory, layout, path=folder.names(name))
        if found is None or found.content != content:
            files.replace(folder, name, content, found)
        else:
            files.sweep(folder, name)
        return content


def _check(memory: Memory) -> None:
    block.check_content(memory.content)
    if memory.skill is not None:
        skill.check_key(memory.skill)
    if memory.description is not None:
        skill.check_description(memory.description)


@contextmanager
def _place(top: Folder, layout: Layout, key: str | None, *, create: bool) -> Iterator[tuple[Folder, str]]:
    """Open the folder of a memory's file and say the file's name; the folders of a new skill are made on the way.

    Raises:
        FileNotFoundError: a folder is missing and none may be made.
    """
    if key is None:
        yield top, layout.instructions
        return
    step: _Step = files.made if create else files.opened
    with _walk(top, layout.skills, step) as skills:
        is_new = create and files.kind(skills, key) is None
        try:
            with step(skills, key) as folder:
                yield folder, skill.FILE
        except BaseException:
            if is_new:
                files.discard_empty(skills, key)
            raise


@contextmanager
def _walk(top: Folder, names: tuple[str, ...], step: _Step) -> Iterator[Folder]:
    if not names:
        yield top
        return
    with step(top, names[0]) as folder, _walk(folder, names[1:], step) as last:
        yield last


def _refuse_collision(folder: Folder, name: str, memory: Memory) -> None:
    """Refuse to found a skill in a folder that somebody else fills already, though it has no SKILL.md."""
    if memory.description is None or files.kind(folder, name) is not None:
        return
    if set(files.entries(folder)) - {files.draft_of(name)}:
        raise WorkspaceRefused(f"{folder.path} is in use already", field=folder.path, rule="skill-exists")


def _compose(before: bytes | None, memory: Memory, layout: Layout, *, path: str) -> bytes:
    return _about(path, lambda: _with_block(before, memory, layout))


def _with_block(before: bytes | None, memory: Memory, layout: Layout) -> bytes:
    if memory.skill is None:
        after = block.insert(before or b"", note=memory.note, nonce=memory.nonce, content=memory.content)
        skill.check_budget([len(after)], budget_bytes=layout.budget_bytes)
        return after
    if before is None:
        if memory.description is None:
            raise WorkspaceRefused("is not there, so nothing can join it", rule="no-skill")
        before = skill.skeleton(memory.skill, memory.description)
    elif memory.description is not None and block.find(before, memory.note) is None:
        raise WorkspaceRefused("exists already, and is another skill than the one proposed", rule="skill-exists")
    skill.read(before, memory.skill)
    after = block.insert(before, note=memory.note, nonce=memory.nonce, content=memory.content)
    skill.read(after, memory.skill)
    return after


def _taken(top: Folder, layout: Layout, landed: Landed) -> Removal:
    try:
        with _place(top, layout, landed.skill, create=False) as (folder, name):
            return _take(folder, name, landed)
    except FileNotFoundError:
        return Removal.ABSENT


def _taken_elsewhere(top: Folder, layout: Layout, landed: Landed, *, is_lost: bool) -> bool:
    """Take the note's blocks out of every other file that the runtime reads, and tell whether there were any.

    A file that cannot be read is passed over, unless the memory is lost: then nobody can tell that it is not there.
    """
    found = False
    for key in _others(top, layout, landed, is_lost=is_lost):
        try:
            holds = str(landed.note).encode() in (content_of(top, layout, key) or b"")
        except WorkspaceRefused:
            if is_lost:
                raise
            continue
        if holds:
            found = _taken(top, layout, replace(landed, skill=key, heading=None)) is not Removal.ABSENT or found
    return found


def _others(top: Folder, layout: Layout, landed: Landed, *, is_lost: bool) -> set[str | None]:
    try:
        keys = skill_keys(top, layout)
    except WorkspaceRefused:
        if is_lost:
            raise
        keys = ()
    return {None, *keys} - {landed.skill}


def _take(folder: Folder, name: str, landed: Landed) -> Removal:
    files.sweep(folder, name)
    found = files.read(folder, name)
    path = folder.names(name)
    if found is None or _about(path, lambda: block.find(found.content, landed.note)) is None:
        return Removal.ABSENT
    left = block.remove(found.content, landed.note)
    if landed.skill is not None and skill.is_skeleton(left, landed.skill):
        files.discard(folder, name, found)
        return Removal.SKILL
    files.replace(folder, name, _reheaded(left, landed), found)
    return Removal.BLOCK


def _reheaded(left: bytes, landed: Landed) -> bytes:
    """Put another description over a skill whose own came with the note that goes; one that somebody else wrote stays."""
    if landed.skill is None or landed.heading is None or landed.successor is None:
        return left
    above = skill.skeleton(landed.skill, landed.heading)
    return skill.skeleton(landed.skill, landed.successor) + left.removeprefix(above) if left.startswith(above) else left


def _drop_directory(top: Folder, layout: Layout, key: str) -> None:
    try:
        with _walk(top, layout.skills, files.opened) as skills:
            files.discard_empty(skills, key)
    except FileNotFoundError:
        return


def skill_keys(top: Folder, layout: Layout) -> tuple[str, ...]:
    """Return the names of the workspace's skill directories that could be ours; links and the like are passed over.

    Raises:
        WorkspaceRefused: there are more than anybody would look through (`too-many`), or no plain folder holds them.
    """
    try:
        with _walk(top, layout.skills, files.opened) as skills:
            names = files.entries(skills)
            if len(names) > MOST_SKILLS:
                path = "/".join(layout.skills)
                raise WorkspaceRefused(f"{path} holds more than {MOST_SKILLS} skills", field=path, rule="too-many")
            return tuple(key for key in names if files.kind(skills, key) == "directory")
    except FileNotFoundError:
        return ()


def content_of(top: Folder, layout: Layout, key: str | None) -> bytes | None:
    """Return what the instructions (None) or a skill's file hold now; None where there is no such file.

    Raises:
        WorkspaceRefused: something other than a plain file is there.
    """
    return _current(top, layout, key)[1]


def _current(top: Folder, layout: Layout, key: str | None) -> tuple[str, bytes | None]:
    """Return the path of a memory's file and what it holds now, walking there anew from the workspace."""
    path = layout.instructions if key is None else "/".join((*layout.skills, key, skill.FILE))
    try:
        with _place(top, layout, key, create=False) as (folder, name):
            found = files.read(folder, name)
    except FileNotFoundError:
        return path, None
    return path, found.content if found else None


def _read_back(top: Folder, layout: Layout, memory: Memory, written: bytes) -> Landed:
    path, content = _current(top, layout, memory.skill)
    there = None if content is None else _about(path, lambda: block.find(content, memory.note))
    if content != written or there is None:
        raise WorkspaceRefused(f"{path} does not hold what was written", field=path, rule="read-back")
    return Landed(note=memory.note, skill=memory.skill, path=path, sha256=there.sha256(written))


def _about(path: str, act: Callable[[], _Answer]) -> _Answer:
    """Name the file in a refusal of the pure modules, which know bytes alone."""
    try:
        return act()
    except WorkspaceRefused as error:
        raise WorkspaceRefused(f"{path} {error.detail}", field=path, rule=error.rule) from error
