"""What a new roster would change, in words an owner can weigh: above all, who would see more and who less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Final, assert_never

from fleetmem.fleet.team import OnNarrowing

_MOST_NAMED: Final = 5


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


@dataclass(frozen=True, slots=True, order=True)
class Membership:
    """An agent's place in a team."""

    agent: str
    team: str


@dataclass(frozen=True, slots=True, order=True)
class Carried:
    """An audience that a team's conversations carry."""

    team: str
    audience: str


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A rule of memory that changes, both sides as the roster writes them."""

    rule: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Revocation:
    """Landed memory that an agent may not hold any more: the ids of its `notes`, and whether they go at once."""

    agent: str
    notes: tuple[str, ...]
    how: OnNarrowing


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterPlan:
    """The difference between the roster in force and a declared one.

    `added`, `returned`, `removed` and `described` are principals (agents, operators, auditors). `conflicts` are
    sentences: while there is one, the roster cannot be applied. A removed principal is deactivated; its records stay.
    `revocations` are what the narrowing costs in landed memory, which only the database can tell.
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
    teams_added: tuple[str, ...] = ()
    teams_removed: tuple[str, ...] = ()
    teams_described: tuple[Described, ...] = ()
    members_added: tuple[Membership, ...] = ()
    members_removed: tuple[Membership, ...] = ()
    carried_added: tuple[Carried, ...] = ()
    carried_removed: tuple[Carried, ...] = ()
    rules_changed: tuple[RuleChange, ...] = ()
    revocations: tuple[Revocation, ...] = ()
    conflicts: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True where the declared roster is the one in force."""
        return not any(getattr(self, each.name) for each in fields(self))

    @property
    def narrowed(self) -> frozenset[str]:
        """The agents that may have to give up memory: who reads less, leaves a team, or leaves."""
        return frozenset(
            (*self.removed, *(each.agent for each in self.reads_lost), *(each.agent for each in self.members_removed))
        )

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
            *self._of_teams(),
            *(f"MEMORY RULE: {each.rule} {each.before} → {each.after}" for each in self.rules_changed),
            *self._of_memory(),
            *(f"REFUSED: {sentence}" for sentence in self.conflicts),
        )

    def _of_teams(self) -> Iterator[str]:
        yield from (f"TEAM ADDED: {name}" for name in self.teams_added)
        yield from (f"TEAM RETIRED: {name}; its records stay" for name in self.teams_removed)
        yield from (f"TEAM CHANGED: {each.name} ({', '.join(each.what)})" for each in self.teams_described)
        yield from (f"JOINS: {each.agent} becomes a member of {each.team}" for each in self.members_added)
        yield from (f"LEAVES: {each.agent} is no longer a member of {each.team}" for each in self.members_removed)
        yield from (
            f"CARRIES MORE: conversations of {each.team} may carry `{each.audience}`" for each in self.carried_added
        )
        yield from (
            f"CARRIES LESS: conversations of {each.team} may no longer carry `{each.audience}`"
            for each in self.carried_removed
        )

    def _of_memory(self) -> Iterator[str]:
        for each in self.revocations:
            landed = f"{_counted(len(each.notes), 'landed note')} ({_named(each.notes)})"
            match each.how:
                case OnNarrowing.AT_ONCE:
                    yield f"REVOKES: {each.agent} gives up {landed}, gone from its next run on"
                case OnNarrowing.PROPOSE:
                    yield f"PROPOSES: revoking {landed} of {each.agent}; an operator decides, and until then it keeps what it has"
                case _:
                    assert_never(each.how)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _named(notes: Sequence[str]) -> str:
    more = len(notes) - _MOST_NAMED
    return ", ".join(notes[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
