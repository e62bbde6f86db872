"""What a new roster would change, in words an owner can weigh: above all, who would see more and who less."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Final

from fleetmem.fleet.agent import Agent, Person, Rol
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.roster import Roster

_ARTICLED: Final = {Rol.AGENT: "an agent", Rol.OPERATOR: "an operator", Rol.AUDITOR: "an auditor"}
_NOBODY: Final[Mapping[str, Rol]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, order=True)
class Reach:
    """One cell of the fence: an agent and an audience."""

    agent: str
    audience: str


@dataclass(frozen=True, slots=True, order=True)
class Described:
    """A name that stays and whose declaration changes; `what` lists the fields, never their text."""

    name: str
    what: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterPlan:
    """The difference between the roster in force and a declared one.

    `added`, `returned`, `removed` and `described` are principals (agents, operators, auditors). `conflicts` are
    sentences: while there is one, the roster cannot be applied. A removed principal is deactivated; its records stay.
    """

    audiences_added: tuple[str, ...] = ()
    audiences_removed: tuple[str, ...] = ()
    audiences_described: tuple[Described, ...] = ()
    added: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    described: tuple[Described, ...] = ()
    reads_gained: tuple[Reach, ...] = ()
    reads_lost: tuple[Reach, ...] = ()
    writes_gained: tuple[Reach, ...] = ()
    writes_lost: tuple[Reach, ...] = ()
    conflicts: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True where the declared roster is the one in force."""
        return not any(getattr(self, each.name) for each in fields(self))

    def sentences(self) -> tuple[str, ...]:
        """Say the plan in plain words, the widening of access first."""
        return (
            *(
                f"SEES MORE: {each.agent} would read `{each.audience}`, past records included"
                for each in self.reads_gained
            ),
            *(f"SEES LESS: {each.agent} would no longer read `{each.audience}`" for each in self.reads_lost),
            *(f"WRITES MORE: {each.agent} may write for `{each.audience}`" for each in self.writes_gained),
            *(f"WRITES LESS: {each.agent} may no longer write for `{each.audience}`" for each in self.writes_lost),
            *(f"ADDED: {name}" for name in self.added),
            *(
                f"RETURNS: {name}; its old tokens stay dead, `fleetmem token rotate {name}` writes a new one"
                for name in self.returned
            ),
            *(f"DEACTIVATED: {name} loses all access at once; its records stay" for name in self.removed),
            *(f"CHANGED: {each.name} ({', '.join(each.what)})" for each in self.described),
            *(f"AUDIENCE ADDED: `{name}`" for name in self.audiences_added),
            *(f"AUDIENCE RETIRED: `{name}`" for name in self.audiences_removed),
            *(f"AUDIENCE CHANGED: `{each.name}` ({', '.join(each.what)})" for each in self.audiences_described),
            *(f"REFUSED: {sentence}" for sentence in self.conflicts),
        )


def diff(current: Roster, declared: Roster, *, inactive: Mapping[str, Rol] = _NOBODY) -> RosterPlan:
    """Compare the roster in force with a declared one; `inactive` holds who was deactivated before, and as what."""
    old, new = _principals(current), _principals(declared)
    arriving = new.keys() - old.keys()
    reads_before, reads_after = _reach(current, "reads"), _reach(declared, "reads")
    writes_before, writes_after = _reach(current, "writes"), _reach(declared, "writes")
    circles_before = {audience.name: audience for audience in current.audiences}
    circles_after = {audience.name: audience for audience in declared.audiences}
    return RosterPlan(
        audiences_added=_sorted(circles_after.keys() - circles_before.keys()),
        audiences_removed=_sorted(circles_before.keys() - circles_after.keys()),
        audiences_described=_described(circles_before, circles_after),
        added=_sorted(arriving - inactive.keys()),
        returned=_sorted(arriving & inactive.keys()),
        removed=_sorted(old.keys() - new.keys()),
        described=_described(old, new),
        reads_gained=tuple(sorted(reads_after - reads_before)),
        reads_lost=tuple(sorted(reads_before - reads_after)),
        writes_gained=tuple(sorted(writes_after - writes_before)),
        writes_lost=tuple(sorted(writes_before - writes_after)),
        conflicts=_role_conflicts(before={**inactive, **current.roles()}, after=declared.roles()),
    )


def _role_conflicts(*, before: Mapping[str, Rol], after: Mapping[str, Rol]) -> tuple[str, ...]:
    # A name keeps its role for ever: an old token must never open a new door.
    return tuple(
        f"{name} was {_ARTICLED[before[name]]} and cannot become {_ARTICLED[after[name]]}; choose a new name"
        for name in sorted(before.keys() & after.keys())
        if before[name] != after[name]
    )


def _principals(roster: Roster) -> dict[str, Agent | Person]:
    everyone: list[Agent | Person] = [*roster.agents, *roster.operators, *roster.auditors]
    return {each.name: each for each in everyone}


def _reach(roster: Roster, dial: str) -> set[Reach]:
    return {Reach(agent.name, audience) for agent in roster.agents for audience in getattr(agent, dial)}


def _described(
    before: Mapping[str, Agent | Person | Audience], after: Mapping[str, Agent | Person | Audience]
) -> tuple[Described, ...]:
    told_as_reach = {"name", "reads", "writes"}
    pairs = ((before[name], after[name]) for name in sorted(before.keys() & after.keys()))
    changes = (
        Described(
            new.name,
            tuple(
                each.name
                for each in fields(new)
                if each.name not in told_as_reach and getattr(old, each.name, None) != getattr(new, each.name)
            ),
        )
        for old, new in pairs
    )
    return tuple(change for change in changes if change.what)


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
