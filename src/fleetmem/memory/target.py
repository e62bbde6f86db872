"""The agent runtimes that memory lands for: which files each one reads, and how much of them.

Measured with both real command lines against a loopback model server (`scripts/verify-codex-skills.sh` repeats it):

* Codex 0.111.0 joins the AGENTS.md of every directory from the git root down to the working directory and takes skills
  from all of them. An AGENTS.override.md replaces the AGENTS.md beside it. Past 32 KiB the chain is cut in silence.
* Claude Code 2.1.197 stops at the git root for skills, agents and commands, and does *not* stop there for CLAUDE.md,
  CLAUDE.local.md and .claude/{CLAUDE.md,rules}: those it takes from every directory up to the root of the file system.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fleetmem.fleet.agent import Target

__all__ = ["LAYOUTS", "Layout", "Target"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where one runtime looks, as paths of components relative to a directory.

    `instructions` is always loaded, `skills` is the folder of `<key>/SKILL.md`. `shadows` are files that would keep the
    instructions from being read. `climbs_git` reach a workspace from a directory above it that belongs to the same
    repository; `climbs_all` do so from every directory above it.
    """

    instructions: str
    skills: tuple[str, ...]
    budget_bytes: int
    shadows: tuple[str, ...]
    climbs_git: tuple[str, ...]
    climbs_all: tuple[str, ...]


LAYOUTS: Final = {
    Target.CODEX: Layout(
        instructions="AGENTS.md",
        skills=(".agents", "skills"),
        budget_bytes=32_768,  # `project_doc_max_bytes`, counted over the whole chain
        shadows=("AGENTS.override.md",),
        climbs_git=("AGENTS.md", "AGENTS.override.md", ".agents/skills", ".codex/skills"),
        climbs_all=(),
    ),
    Target.CLAUDE_CODE: Layout(
        instructions="CLAUDE.md",
        skills=(".claude", "skills"),
        budget_bytes=40_000,  # nothing is cut; above this size Claude Code itself warns that the file is too large
        shadows=(),
        climbs_git=(".claude/skills", ".claude/commands", ".claude/agents"),
        climbs_all=("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules"),
    ),
}
