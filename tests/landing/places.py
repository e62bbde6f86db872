"""A fleet's folder to attack: workspaces beside things that must stay as they are, and a picture of all of it."""

import os
import stat
from pathlib import Path
from uuid import UUID

from fleetmem import landing
from fleetmem.landing import Memory, Workspace
from fleetmem.memory.target import Target

NOTE = UUID("0197c0de-0000-7000-8000-000000000001")
NONCE = "a" * 32
KEY = "public-contract"
RULE = "The frontend needs only the public API contract."
DESCRIPTION = "Load this when the frontend asks for: configuration # or values."
SKILL = f".agents/skills/{KEY}/SKILL.md"

SEVERE = Memory(note=NOTE, nonce=NONCE, content=RULE)
PROPOSED = Memory(note=NOTE, nonce=NONCE, content=RULE, skill=KEY, description=DESCRIPTION)
JOINING = Memory(note=NOTE, nonce=NONCE, content=RULE, skill=KEY)
HAND_WRITTEN = f"---\nname: {KEY}\ndescription: Written by a person.\n---\n\nUse the contract.\n".encode()

MEMORIES = {"severe": SEVERE, "proposed": PROPOSED, "joining": JOINING}

# What an entry of a directory is, in the least that must not change: kind, permissions, and bytes or target.
Entry = tuple[str, int, bytes]


def placed(base: Path, name: str = "frontend", target: Target = Target.CODEX) -> Workspace:
    return Workspace(root=base / "workspaces", name=name, target=target)


def workspace(base: Path, name: str = "frontend", target: Target = Target.CODEX) -> Workspace:
    made = placed(base, name, target)
    landing.prepare(made)
    return made


def outside(base: Path) -> Path:
    """Make what lies beside the workspaces: a secret, and folders that look like a workspace's own."""
    beside = base / "outside"
    (beside / "skills" / KEY).mkdir(parents=True)
    (beside / "secret").write_bytes(b"postgresql://owner:hunter2@db\n")
    (beside / "SKILL.md").write_bytes(HAND_WRITTEN)
    (beside / "skills" / KEY / "SKILL.md").write_bytes(HAND_WRITTEN)
    (beside / KEY).mkdir()
    (beside / "AGENTS.md").write_bytes(b"# Somebody else's\n")
    return beside


def picture(folder: Path) -> dict[str, Entry]:
    """Return everything below a folder, by its path relative to it; links are told and not followed."""
    seen = dict[str, Entry]()
    for directory, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(directory, name)
            status = path.lstat()
            kind = stat.filemode(status.st_mode)[0]
            held = path.read_bytes() if kind == "-" else os.fsencode(path.readlink()) if kind == "l" else b""
            seen[str(path.relative_to(folder))] = (kind, stat.S_IMODE(status.st_mode), held)
    return seen


def without_folders(seen: dict[str, Entry]) -> dict[str, Entry]:
    return {path: entry for path, entry in seen.items() if entry[0] != "d"}
