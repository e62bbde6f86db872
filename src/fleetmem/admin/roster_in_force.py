"""Read the roster that the database runs under."""

from __future__ import annotations

from typing import Any, Final

import psycopg
from psycopg.rows import dict_row

from fleetmem.fleet.agent import Agent, Person, Rol, Target
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.roster import Roster
from fleetmem.fleet.team import MemoryRule, OnNarrowing, Team

_AUDIENCES: Final = "select name, description from fleet.audience where active order by name"
_PRINCIPALS: Final = """
select name, rol, description, instructions, reads, writes, coalesce(workspace, name) as workspace, target, active
  from fleet.principal order by name
"""
_TEAMS: Final = """
select t.name, t.description, t.audiences, t.two_person,
       array(select m.agent from fleet.team_member m where m.team = t.name and m.active order by m.position, m.agent) as members
  from fleet.team t where t.active order by t.name
"""
_RULE: Final = "select review_all, auto_grant, least_precision, on_narrowing from fleet.memory_rule"


def read(connection: psycopg.Connection[Any]) -> tuple[Roster, dict[str, Rol]]:
    """Return the active roster, and what everyone who was deactivated had been; reads as `fleetmem_owner`."""
    with connection.cursor(row_factory=dict_row) as cursor:
        audiences = cursor.execute(_AUDIENCES).fetchall()
        principals = cursor.execute(_PRINCIPALS).fetchall()
        teams = cursor.execute(_TEAMS).fetchall()
        rule = cursor.execute(_RULE).fetchone()
    active = [row for row in principals if row["active"]]
    roster = Roster(
        audiences=tuple(Audience(row["name"], row["description"]) for row in audiences),
        agents=tuple(_agent(row) for row in active if row["rol"] == Rol.AGENT),
        operators=tuple(Person(row["name"], row["description"]) for row in active if row["rol"] == Rol.OPERATOR),
        auditors=tuple(Person(row["name"], row["description"]) for row in active if row["rol"] == Rol.AUDITOR),
        teams=tuple(_team(row) for row in teams),
        memory=MemoryRule(**{**rule, "on_narrowing": OnNarrowing(rule["on_narrowing"])}) if rule else MemoryRule(),
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
        target=Target(row["target"]),
    )


def _team(row: dict[str, Any]) -> Team:
    return Team(
        name=row["name"],
        description=row["description"],
        members=tuple(row["members"]),
        audiences=frozenset(row["audiences"]),
        two_person=row["two_person"],
    )
