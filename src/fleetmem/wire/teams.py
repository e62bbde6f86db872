"""Teams, as a member sees its own."""

from __future__ import annotations

from msgspec import Struct

from fleetmem.wire.base import Described


class Team(Struct, frozen=True, kw_only=True):
    """A team the bearer is a member of: its audiences, and its members in their order."""

    name: str
    description: str
    audiences: list[str]
    members: list[Described]


class TeamList(Struct, frozen=True, kw_only=True):
    """Every team of the bearer's, by name."""

    items: list[Team]
