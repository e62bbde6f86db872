"""Compare the roster in force with a declared one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Final

from fleetmem.fleet.agent import Agent, Person, Rol
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.plan import Carried, Described, Membership, Reach, RosterPlan, RuleChange
from fleetmem.fleet.roster import Roster
from fleetmem.fleet.team import MemoryRule, OnNarrowing, Team

_ARTICLED: Final = {Rol.AGENT: "an agent", Rol.OPERATOR: "an operator", Rol.AUDITOR: "an auditor"}
_NOBODY: Final[Mapping[str, Rol]] = MappingProxyType({})


def diff(current: Roster, declared: Roster, *, inactive: Mapping[str, Rol] = _NOBODY) -> RosterPlan:
    """Compare the roster in force with a declared one; `inactive` holds who was deactivated before, and as what."""
    old, new = _principals(current), _principals(declared)
    arriving = new.keys() - old.keys()
    reads_before, reads_after = _reach(current, "reads"), _reach(declared, "reads")
    writes_before, writes_after = _reach(current, "writes"), _reach(declared, "writes")
    circles_before = {audience.name: audience for audience in current.audiences}
    circles_after = {audience.name: audience for audience in declared.audiences}
    members_before, members_after = _members(current), _members(declared)
    carried_before, carried_after = _carried(current), _carried(declared)
    teams_before, teams_after = _teams(current), _teams(declared)
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
        teams_added=_sorted(teams_after.keys() - teams_before.keys()),
        teams_removed=_sorted(teams_before.keys() - teams_after.keys()),
        teams_described=_teams_described(teams_before, teams_after),
        members_added=tuple(sorted(members_after - members_before)),
        members_removed=tuple(sorted(members_before - members_after)),
        carried_added=tuple(sorted(carried_after - carried_before)),
        carried_removed=tuple(sorted(carried_before - carried_after)),
        rules_changed=_rules_changed(current.memory, declared.memory),
        conflicts=(
            *_role_conflicts(before={**inactive, **current.roles()}, after=declared.roles()),
            *_team_conflicts(declared),
        ),
    )


def _role_conflicts(*, before: Mapping[str, Rol], after: Mapping[str, Rol]) -> tuple[str, ...]:
    # A name keeps its role for ever: an old token must never open a new door.
    return tuple(
        f"{name} was {_ARTICLED[before[name]]} and cannot become {_ARTICLED[after[name]]}; choose a new name"
        for name in sorted(before.keys() & after.keys())
        if before[name] != after[name]
    )


def _team_conflicts(declared: Roster) -> tuple[str, ...]:
    # A file's own mistakes are told with their lines; a roster that was put together in a program has none.
    circles = {audience.name for audience in declared.audiences}
    agents = {agent.name for agent in declared.agents}
    return (
        *(
            f"the audience `{audience}` cannot go while the team {team.name} carries it"
            for team in declared.teams
            for audience in sorted(team.audiences - circles)
        ),
        *(
            f"{member} cannot be a member of {team.name}: it is no agent of this roster"
            for team in declared.teams
            for member in team.members
            if member not in agents
        ),
    )


def _principals(roster: Roster) -> dict[str, Agent | Person]:
    everyone: list[Agent | Person] = [*roster.agents, *roster.operators, *roster.auditors]
    return {each.name: each for each in everyone}


def _reach(roster: Roster, dial: str) -> set[Reach]:
    return {Reach(agent.name, audience) for agent in roster.agents for audience in getattr(agent, dial)}


def _teams(roster: Roster) -> dict[str, Team]:
    return {team.name: team for team in roster.teams}


def _members(roster: Roster) -> set[Membership]:
    return {Membership(agent, team.name) for team in roster.teams for agent in team.members}


def _carried(roster: Roster) -> set[Carried]:
    return {Carried(team.name, audience) for team in roster.teams for audience in team.audiences}


def _teams_described(before: Mapping[str, Team], after: Mapping[str, Team]) -> tuple[Described, ...]:
    changes = (
        Described(name, tuple(what for what, changes in _aspects(before[name], after[name]) if changes))
        for name in sorted(before.keys() & after.keys())
    )
    return tuple(change for change in changes if change.what)


def _aspects(old: Team, new: Team) -> Iterator[tuple[str, bool]]:
    """Yield what of a team may change beside who is in it and what it carries, and whether it does."""
    yield "description", old.description != new.description
    yield "two_person", old.two_person != new.two_person
    stay = set(old.members) & set(new.members)
    yield "order", [each for each in old.members if each in stay] != [each for each in new.members if each in stay]


def _rules_changed(before: MemoryRule, after: MemoryRule) -> tuple[RuleChange, ...]:
    pairs = (
        (each.name, _spelled(getattr(before, each.name)), _spelled(getattr(after, each.name))) for each in fields(after)
    )
    return tuple(RuleChange(rule, old, new) for rule, old, new in pairs if old != new)


def _spelled(value: bool | float | OnNarrowing) -> str:  # noqa: FBT001 -- a value to write, not a switch
    return str(value).lower()


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
