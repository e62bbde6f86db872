"""Which edits of a note's recipients are admissible: fewer of them, or other members of the note's own team.

Never wider: whoever is to receive a note is an active member of its team and reads every audience that went into it. The
database decides the same by itself, when an edit is stored and again when the note is approved; this decides it where the
reviewer can still be told, and a test holds the two to one rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    """An agent of the note's team: what it reads, and whether it is still one that may receive anything."""

    agent: str
    reads: frozenset[str]
    is_active: bool


@dataclass(frozen=True, slots=True)
class Change:
    """What an edit does to the recipients, each part by name."""

    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def is_narrowing(self) -> bool:
        """Whether nobody receives the note who did not before."""
        return not self.added


def faults(proposed: Iterable[str], *, members: Iterable[Member], audiences: frozenset[str]) -> Mapping[str, str]:
    """Return why each of the proposed may not receive the note, `left_team` or `audience`; empty for an admissible edit."""
    team = {member.agent: member for member in members}
    return {agent: fault for agent in proposed if (fault := _fault(team.get(agent), audiences)) is not None}


def change(before: Iterable[str], after: Iterable[str]) -> Change:
    """Return what becomes of the recipients."""
    old, new = frozenset(before), frozenset(after)
    return Change(tuple(sorted(old & new)), tuple(sorted(old - new)), tuple(sorted(new - old)))


def _fault(member: Member | None, audiences: frozenset[str]) -> str | None:
    if member is None or not member.is_active:
        return "left_team"
    return None if audiences <= member.reads else "audience"
