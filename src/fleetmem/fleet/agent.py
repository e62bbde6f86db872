"""Who may hold a token: agents, and the people who watch over them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Rol(StrEnum):
    """What a token lets its holder be; the database column and the signed claim spell it alike."""

    AGENT = "agent"
    OPERATOR = "operator"
    AUDITOR = "auditor"


class Target(StrEnum):
    """Which runtime runs an agent, as the roster spells it; `memory.target` says where each one looks."""

    CODEX = "codex"
    CLAUDE_CODE = "claude-code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent of the roster.

    `reads` and `writes` are names of audiences, and independent dials: an agent with no reads browses nothing and can
    still be handed work. `workspace` is the name of its folder, one path component.
    """

    name: str
    description: str
    instructions: str
    reads: frozenset[str]
    writes: frozenset[str]
    workspace: str
    target: Target = Target.CODEX


@dataclass(frozen=True, slots=True)
class Person:
    """An operator or an auditor: someone with a token for the console and none for the agents' gateway."""

    name: str
    description: str = ""
