"""Bring the database's roster to the declared one, in one transaction, and say beforehand what that would change.

Runs as `fleetmem_owner`, who may write the roster and, under forced row security, reads no agent's record. Nothing is
deleted: who leaves keeps a row with `active = false` and empty sets, and loses access at its next statement, whatever it
holds. Who returns needs a new token, because nobody remembers who kept an old one. Suspensions are the operators' and stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, LiteralString

import psycopg
from psycopg.rows import dict_row

from fleetmem.errors import RosterInvalid
from fleetmem.fleet.agent import Agent, Person, Rol
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.difference import diff
from fleetmem.fleet.plan import RosterPlan
from fleetmem.fleet.roster import Roster

# One sync at a time; readers are not held up. Advisory locks are nobody's here but the scribe's.
_LOCK: Final = "lock table fleet.audience, fleet.principal in share row exclusive mode"

_AUDIENCES: Final = "select name, description, active from fleet.audience order by name"
_PRINCIPALS: Final = """
select name, rol, description, instructions, reads, writes, coalesce(workspace, name) as workspace, active
  from fleet.principal order by name
"""
# What must be settled before an audience can go: a record that still wants something of its readers.
_IN_USE: Final = """
select wanted.name,
       (select count(*) from fleet.beat b
         where b.audience = wanted.name and b.ended_at is null and b.expires_at > clock_timestamp()) as beats,
       (select count(*) from fleet.handoff h
         where h.audience = wanted.name and h.status in ('open', 'accepted')) as handoffs
  from unnest(%(names)s::text[]) as wanted (name) order by wanted.name
"""

_PUT_AUDIENCE: Final = """
insert into fleet.audience (name, description, active) values (%(name)s, %(description)s, true)
on conflict (name) do update set description = excluded.description, active = true
"""
_PUT_PRINCIPAL: Final = """
insert into fleet.principal (name, rol, description, instructions, reads, writes, workspace, active)
values (%(name)s, %(rol)s, %(description)s, %(instructions)s, %(reads)s, %(writes)s, %(workspace)s, true)
on conflict (name) do update set
  description = excluded.description, instructions = excluded.instructions, reads = excluded.reads,
  writes = excluded.writes, workspace = excluded.workspace, active = true,
  tokens_from = case when principal.active then principal.tokens_from else clock_timestamp() end
"""
_DEACTIVATE: Final = """
update fleet.principal set active = false, reads = '{}', writes = '{}' where name = any (%(names)s) and active returning name
"""
_RETIRE: Final = "update fleet.audience set active = false where name = any (%(names)s) and active returning name"


def plan(connection: psycopg.Connection[Any], roster: Roster) -> RosterPlan:
    """Say what `sync` would change; `connection` is the owner's, inside or outside a transaction."""
    with connection.transaction(), _role(connection, "fleetmem_owner"):
        current, inactive = _in_force(connection)
    difference = diff(current, roster, inactive=inactive)
    return replace(difference, conflicts=(*difference.conflicts, *_unsettled(connection, difference.audiences_removed)))


def sync(connection: psycopg.Connection[Any], roster: Roster) -> RosterPlan:
    """Make the declared roster the one in force and return what that changed.

    All of it or nothing; committed with the caller's transaction, or at once where there is none.

    Raises:
        RosterInvalid: the plan has conflicts; nothing is changed.
    """
    with connection.transaction():
        with _role(connection, "fleetmem_owner"):
            connection.execute(_LOCK)
        difference = plan(connection, roster)
        if difference.conflicts:
            raise RosterInvalid("\n".join(difference.conflicts), rule="conflict")
        if not difference.is_empty:
            with _role(connection, "fleetmem_owner"):
                _apply(connection, roster, difference)
    return difference


def _apply(connection: psycopg.Connection[Any], roster: Roster, difference: RosterPlan) -> None:
    # Audiences first and last: the database refuses a set that names one which is not active.
    with connection.cursor() as cursor:
        cursor.executemany(
            _PUT_AUDIENCE, [{"name": each.name, "description": each.description} for each in roster.audiences]
        )
        cursor.execute(_DEACTIVATE, {"names": list(difference.removed)})
        cursor.executemany(_PUT_PRINCIPAL, list(_rows(roster)))
        cursor.execute(_RETIRE, {"names": list(difference.audiences_removed)})


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
        }


def _in_force(connection: psycopg.Connection[Any]) -> tuple[Roster, dict[str, Rol]]:
    """Return the active roster, and what everyone who was deactivated had been."""
    with connection.cursor(row_factory=dict_row) as cursor:
        audiences = cursor.execute(_AUDIENCES).fetchall()
        principals = cursor.execute(_PRINCIPALS).fetchall()
    active = [row for row in principals if row["active"]]
    roster = Roster(
        audiences=tuple(Audience(row["name"], row["description"]) for row in audiences if row["active"]),
        agents=tuple(_agent(row) for row in active if row["rol"] == Rol.AGENT),
        operators=tuple(Person(row["name"], row["description"]) for row in active if row["rol"] == Rol.OPERATOR),
        auditors=tuple(Person(row["name"], row["description"]) for row in active if row["rol"] == Rol.AUDITOR),
    )
    return roster, {row["name"]: Rol(row["rol"]) for row in principals if not row["active"]}


def _agent(row: dict[str, Any]) -> Agent:
    return Agent(
        name=row["name"],
        description=row["description"],
        instructions=row["instructions"],
        reads=frozenset(row["reads"]),
        writes=frozenset(row["writes"]),
        workspace=row["workspace"],
    )


def _unsettled(connection: psycopg.Connection[Any], leaving: tuple[str, ...]) -> tuple[str, ...]:
    """Say which audiences cannot go yet. The owner sees no records, so the auditor counts them."""
    if not leaving:
        return ()
    with connection.transaction(), _role(connection, "fleetmem_auditor"):
        counts = connection.execute(_IN_USE, {"names": list(leaving)}).fetchall()
    return tuple(
        f"the audience `{name}` cannot go yet: {beats} live beats and {handoffs} unfinished handoffs are written for it"
        for name, beats, handoffs in counts
        if beats or handoffs
    )


@contextmanager
def _role(connection: psycopg.Connection[Any], role: LiteralString) -> Iterator[None]:
    """Act as a role until the block ends, within the open transaction only."""
    connection.execute(f"set local role {role}")
    yield
    connection.execute("set local role none")
