"""Bring the database's roster to the declared one, in one transaction, and say beforehand what that would change.

Runs as `fleetmem_owner`, who may write the roster and, under forced row security, reads no agent's record. Nothing is
deleted: who leaves keeps a row with `active = false` and empty sets, and loses access at its next statement, whatever it
holds. Who returns needs a new token, because nobody remembers who kept an old one. Suspensions are the operators' and stay.

Landed memory that an agent may not hold any more is revoked by the database's own triggers, in the same transaction; what
they did is told afterwards from what is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, LiteralString

import psycopg

from fleetmem.admin import roster_held, roster_in_force
from fleetmem.errors import RosterInvalid
from fleetmem.fleet.agent import Rol, Target
from fleetmem.fleet.difference import diff
from fleetmem.fleet.plan import RosterPlan
from fleetmem.fleet.roster import Roster

# One sync at a time; readers are not held up. Advisory locks are nobody's here but the scribe's.
_LOCK: Final = "lock table fleet.audience, fleet.principal in share row exclusive mode"
# And no decision about memory meanwhile, so that what the sync revokes can be told from what others do.
_LEDGER: Final = "select fence.ledger_lock()"

_PUT_AUDIENCE: Final = """
insert into fleet.audience (name, description, active) values (%(name)s, %(description)s, true)
on conflict (name) do update set description = excluded.description, active = true
"""
_PUT_PRINCIPAL: Final = """
insert into fleet.principal (name, rol, description, instructions, reads, writes, workspace, target, active)
values (%(name)s, %(rol)s, %(description)s, %(instructions)s, %(reads)s, %(writes)s, %(workspace)s, %(target)s, true)
on conflict (name) do update set
  description = excluded.description, instructions = excluded.instructions, reads = excluded.reads,
  writes = excluded.writes, workspace = excluded.workspace, target = excluded.target, active = true,
  tokens_from = case when principal.active then principal.tokens_from else clock_timestamp() end
"""
_DEACTIVATE: Final = """
update fleet.principal set active = false, reads = '{}', writes = '{}' where name = any (%(names)s) and active returning name
"""
# A team's row counts its messages, and a message waits for whoever holds it: only what changes is written.
_PUT_TEAM: Final = """
insert into fleet.team as t (name, description, audiences, two_person, active)
values (%(name)s, %(description)s, %(audiences)s, %(two_person)s, true)
on conflict (name) do update set
  description = excluded.description, audiences = excluded.audiences, two_person = excluded.two_person, active = true
where (t.description, t.audiences, t.two_person, t.active)
      is distinct from (excluded.description, excluded.audiences, excluded.two_person, true)
"""
_PUT_MEMBER: Final = """
insert into fleet.team_member as m (team, agent, position, active) values (%(team)s, %(agent)s, %(position)s, true)
on conflict (team, agent) do update set position = excluded.position, active = true
where (m.position, m.active) is distinct from (excluded.position, true)
"""
_LEAVE: Final = "update fleet.team_member set active = false where team = %(team)s and agent = %(agent)s and active"
_RETIRE_TEAMS: Final = "update fleet.team set active = false where name = any (%(names)s) and active"
_RETIRE: Final = "update fleet.audience set active = false where name = any (%(names)s) and active returning name"
_PUT_RULE: Final = """
update fleet.memory_rule set review_all = %(review_all)s, auto_grant = %(auto_grant)s,
       least_precision = %(least_precision)s, on_narrowing = %(on_narrowing)s
"""
_EVIDENCE: Final = "memory_rule_auto_grant"


def plan(connection: psycopg.Connection[Any], roster: Roster) -> RosterPlan:
    """Say what `sync` would change; `connection` is the owner's, inside or outside a transaction."""
    with connection.transaction():
        with _role(connection, "fleetmem_owner"):
            difference = _difference(connection, roster)
        with _role(connection, "fleetmem_auditor"):
            conflicts = (
                *difference.conflicts,
                *roster_held.unsettled(connection, difference.audiences_removed),
                *roster_held.misplaced(connection, roster),
            )
            revocations = roster_held.revocations(connection, roster, difference.narrowed)
    return replace(difference, conflicts=conflicts, revocations=revocations)


def sync(connection: psycopg.Connection[Any], roster: Roster) -> RosterPlan:
    """Make the declared roster the one in force and return what that changed.

    All of it or nothing; committed with the caller's transaction, or at once where there is none. `revocations` of what is
    returned are what the database did, not what the plan foresaw.

    Raises:
        RosterInvalid: the plan has conflicts; nothing is changed.
    """
    with connection.transaction():
        with _role(connection, "fleetmem_owner"):
            connection.execute(_LOCK)
        with _role(connection, "fleetmem_scribe"):
            connection.execute(_LEDGER)
        difference = plan(connection, roster)
        if difference.conflicts:
            raise RosterInvalid("\n".join(difference.conflicts), rule="conflict")
        if not difference.is_empty:
            before = _given_up(connection, difference)
            with _role(connection, "fleetmem_owner"):
                _apply(connection, roster, difference)
            done = roster_held.performed(before, _given_up(connection, difference))
            difference = replace(difference, revocations=done)
    return difference


def _difference(connection: psycopg.Connection[Any], roster: Roster) -> RosterPlan:
    current, inactive = roster_in_force.read(connection)
    difference = diff(current, roster, inactive=inactive)
    if not difference.rules_changed or not roster.memory.auto_grant:
        return difference
    row = connection.execute("select fence.routing_precision()").fetchone()
    known = None if row is None else row[0]
    if known is not None and known >= roster.memory.least_precision:
        return difference
    return replace(difference, conflicts=(*difference.conflicts, _without_evidence(roster, known)))


def _without_evidence(roster: Roster, known: float | None) -> str:
    has = (
        "no calibration of the routing that is made from human labels and that precise is promoted"
        if known is None
        else f"the promoted calibration is known to be precise to {known}"
    )
    return (
        f"memory cannot be granted without a person: auto_grant takes a precision of at least {roster.memory.least_precision},"
        f" and {has}; run `fleetmem routing calibrate FILE --labels human` and then `fleetmem routing promote`"
    )


def _given_up(connection: psycopg.Connection[Any], difference: RosterPlan) -> roster_held.GivenUp:
    with _role(connection, "fleetmem_auditor"):
        return roster_held.given_up(connection, difference)


def _apply(connection: psycopg.Connection[Any], roster: Roster, difference: RosterPlan) -> None:
    # Audiences first and last: the database refuses a set that names one which is not active. The rule of memory before
    # anybody is narrowed, so that the declared one says what becomes of what they hold.
    with connection.cursor() as cursor:
        cursor.executemany(
            _PUT_AUDIENCE, [{"name": each.name, "description": each.description} for each in roster.audiences]
        )
        if difference.rules_changed:
            _put_rule(connection, roster)
        cursor.execute(_DEACTIVATE, {"names": list(difference.removed)})
        cursor.executemany(_PUT_PRINCIPAL, list(_rows(roster)))
        cursor.executemany(_LEAVE, [{"team": each.team, "agent": each.agent} for each in difference.members_removed])
        cursor.execute(_RETIRE_TEAMS, {"names": list(difference.teams_removed)})
        cursor.executemany(_PUT_TEAM, list(_teams(roster)))
        cursor.executemany(_PUT_MEMBER, list(_members(roster)))
        cursor.execute(_RETIRE, {"names": list(difference.audiences_removed)})


def _put_rule(connection: psycopg.Connection[Any], roster: Roster) -> None:
    rule = roster.memory
    try:
        connection.execute(
            _PUT_RULE,
            {
                "review_all": rule.review_all,
                "auto_grant": rule.auto_grant,
                "least_precision": rule.least_precision,
                "on_narrowing": rule.on_narrowing.value,
            },
        )
    except psycopg.errors.CheckViolation as error:
        if error.diag.constraint_name != _EVIDENCE:
            raise
        raise RosterInvalid(_without_evidence(roster, None), rule="conflict") from error


def _rows(roster: Roster) -> Iterator[dict[str, object]]:
    for agent in roster.agents:
        yield {
            "name": agent.name,
            "rol": Rol.AGENT.value,
            "description": agent.description,
            "instructions": agent.instructions,
            "reads": sorted(agent.reads),
            "writes": sorted(agent.writes),
            "workspace": agent.workspace,
            "target": agent.target.value,
        }
    people = [(Rol.OPERATOR, each) for each in roster.operators] + [(Rol.AUDITOR, each) for each in roster.auditors]
    for rol, person in people:
        yield {
            "name": person.name,
            "rol": rol.value,
            "description": person.description,
            "instructions": "",
            "reads": [],
            "writes": [],
            "workspace": None,
            "target": Target.CODEX.value,
        }


def _teams(roster: Roster) -> Iterator[dict[str, object]]:
    for team in roster.teams:
        yield {
            "name": team.name,
            "description": team.description,
            "audiences": sorted(team.audiences),
            "two_person": team.two_person,
        }


def _members(roster: Roster) -> Iterator[dict[str, object]]:
    for team in roster.teams:
        for position, agent in enumerate(team.members, start=1):
            yield {"team": team.name, "agent": agent, "position": position}


@contextmanager
def _role(connection: psycopg.Connection[Any], role: LiteralString) -> Iterator[None]:
    """Act as a role until the block ends, within the open transaction only."""
    connection.execute(f"set local role {role}")
    yield
    connection.execute("set local role none")
