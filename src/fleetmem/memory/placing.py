"""Where a note goes in one recipient's workspace: into a skill it has, into a new one, or nowhere. Pure.

Only that recipient's own skills are passed; no other agent's directory is ever searched in order to place a memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from fleetmem.memory.profile import Similar


class Placing(StrEnum):
    """What becomes of the note."""

    JOIN = "join"  # a block in a skill that is there
    NEW = "new"  # a skill of its own, which a person must see first
    WITHHELD = "withheld"  # the key it proposes belongs to another subject


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill's key, which is its directory, and when it says to load it."""

    key: str
    description: str

    @property
    def text(self) -> str:
        """Return what a note is compared with."""
        return f"{self.key.replace('-', ' ')}: {self.description}"


@dataclass(frozen=True, slots=True)
class Placement:
    """The decision: `key` is the skill joined or proposed, `similarity` that of the skill which decided it (None: no skills)."""

    placing: Placing
    key: str
    similarity: float | None


def place(
    text: str, skills: Sequence[Skill], proposed: Skill, similar: Similar, *, threshold: float = 0.45
) -> Placement:
    """Decide where a note goes, by the cosines of its text, and of when it should be loaded, with each skill there is.

    The proposed key counts for nothing in them: it would make an unrelated skill of the same name look near.

    The skill of the proposed key is joined where it is near enough, else the nearest one that is. A proposed key that an
    unrelated skill holds already withholds the note: it would be read as part of something else.
    """
    if not skills:
        return Placement(Placing.NEW, proposed.key, None)
    rows = similar([text, proposed.description], [skill.text for skill in skills])
    near = {skill.key: max(column) for skill, column in zip(skills, zip(*rows, strict=True), strict=True)}
    if proposed.key in near:
        placing = Placing.JOIN if near[proposed.key] >= threshold else Placing.WITHHELD
        return Placement(placing, proposed.key, near[proposed.key])
    best = min(near, key=lambda key: (-near[key], key))
    if near[best] >= threshold:
        return Placement(Placing.JOIN, best, near[best])
    return Placement(Placing.NEW, proposed.key, near[best])
