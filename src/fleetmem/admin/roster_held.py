"""What agents hold and what is unfinished: what stands in the way of a new roster, and what landed memory it costs.

The owner reads no record, so the auditor does, who reads every one and writes none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from fleetmem.fleet.agent import Agent
from fleetmem.fleet.plan import Revocation, RosterPlan
from fleetmem.fleet.roster import Roster
from fleetmem.fleet.team import OnNarrowing

# What must be settled before an audience can go: a record that still wants something of its readers, work that is going on,
# and memory that nobody has decided about.
_IN_USE: Final = """
select wanted.name,
       (select count(*) from fleet.beat b
         where b.audience = wanted.name and b.ended_at is null and b.expires_at > clock_timestamp()) as beats,
       (select count(*) from fleet.handoff h
         where h.audience = wanted.name and h.status in ('open', 'accepted')) as handoffs,
       (select count(*) from fleet.task t
         where (t.status = 'open' or exists (select from fleet.segment_task p join fleet.segment s on s.id = p.segment
                                              where p.task = t.id and s.status <> 'flushed'))
           and (t.audience = wanted.name
                or exists (select from fleet.message m where m.task = t.id and m.audience = wanted.name)
                or exists (select from fleet.run r where r.task = t.id and r.audience = wanted.name))) as tasks,
       (select count(*) from fleet.note n where n.status = 'candidate' and wanted.name = any (n.audiences)) as notes
  from unnest(%(names)s::text[]) as wanted (name) order by wanted.name
"""
# Memory that is in an agent's workspace, or on its way into it or out of it.
_IN_FILES: Final = """
select p.name, coalesce(p.workspace, p.name), p.target, count(*)
  from fleet.principal p join fleet.landing l on l.agent = p.name
 where l.status in ('pending', 'landed', 'drifted', 'removing') group by p.name order by p.name
"""
# Landed notes of the narrowed agents that nobody may hold who is not named with them: the mirror of fence.reach_narrowed.
_FORBIDDEN: Final = """
with held as (select * from jsonb_to_recordset(%(members)s) as h (agent text, team text, reads text[]))
select r.agent, array_agg(r.note::text order by r.note)
  from fleet.note_recipient r
  join fleet.note n on n.id = r.note and n.status = 'approved'
 where r.active and r.agent = any (%(agents)s)
   and exists (select from fleet.landing l
                where l.note = r.note and l.agent = r.agent and l.status in ('pending', 'landed', 'drifted'))
   and not exists (select from held h where h.agent = r.agent and h.team = n.team and n.audiences <@ h.reads)
   and not (%(proposed)s and exists (select from fleet.incident i
                                      where i.kind = 'narrowed' and i.status = 'open' and i.note = r.note and i.agent = r.agent))
 group by r.agent order by r.agent
"""
_GIVEN_UP: Final = """
select 'at_once', l.agent, l.note::text from fleet.landing l where l.status = 'removing' and l.agent = any (%(agents)s)
union all
select 'propose', i.agent, i.note::text from fleet.incident i
 where i.kind = 'narrowed' and i.status = 'open' and i.agent = any (%(agents)s)
"""

_Connection = psycopg.Connection[Any]
GivenUp = frozenset[tuple[OnNarrowing, str, str]]


def unsettled(connection: _Connection, leaving: tuple[str, ...]) -> tuple[str, ...]:
    """Say which audiences cannot go yet, and what is unfinished for each."""
    if not leaving:
        return ()
    counts = connection.execute(_IN_USE, {"names": list(leaving)}).fetchall()
    return tuple(
        f"the audience `{name}` cannot go yet: {beats} live beats and {handoffs} unfinished handoffs are written for it,"
        f" {tasks} unfinished tasks and {notes} undecided notes carry it"
        for name, beats, handoffs, tasks, notes in counts
        if beats or handoffs or tasks or notes
    )


def misplaced(connection: _Connection, roster: Roster) -> tuple[str, ...]:
    """Say where memory would be left in files that its holder no longer reads, or that another agent would."""
    agents = {agent.name: agent for agent in roster.agents}
    places = {agent.workspace: agent.name for agent in roster.agents}
    rows = connection.execute(_IN_FILES).fetchall()
    return tuple(each for row in rows for each in _misplaced(agents, places, row))


def _misplaced(agents: Mapping[str, Agent], places: Mapping[str, str], row: tuple[Any, ...]) -> Iterator[str]:
    name, workspace, target, count = row
    declared, tenant = agents.get(name), places.get(workspace, name)
    if declared is not None and (declared.workspace, declared.target) != (workspace, target):
        yield (
            f"{name} cannot change its workspace or target yet: memory of {count} notes is in `{workspace}`, in the files of"
            f" {target}; revoke it, or take {name} out of its teams first, and wait until it is removed"
        )
    if tenant != name:
        yield (
            f"{tenant} cannot have the workspace `{workspace}` yet: memory of {count} notes of {name} is in it; wait until"
            " it is removed"
        )


def revocations(connection: _Connection, roster: Roster, narrowed: frozenset[str]) -> tuple[Revocation, ...]:
    """Return what landed memory the narrowed agents may not hold under a declared roster."""
    if not narrowed:
        return ()
    reads = {agent.name: sorted(agent.reads) for agent in roster.agents}
    members = [
        {"agent": agent, "team": team.name, "reads": reads[agent]}
        for team in roster.teams
        for agent in team.members
        if agent in reads
    ]
    how = roster.memory.on_narrowing
    asked = {"members": Jsonb(members), "agents": sorted(narrowed), "proposed": how is OnNarrowing.PROPOSE}
    rows = connection.execute(_FORBIDDEN, asked).fetchall()
    return tuple(Revocation(agent=agent, notes=tuple(notes), how=how) for agent, notes in rows)


def given_up(connection: _Connection, plan: RosterPlan) -> GivenUp:
    """Return what the narrowed agents are losing now: removals that are under way, and proposals that wait."""
    rows = connection.execute(_GIVEN_UP, {"agents": sorted(plan.narrowed)}).fetchall()
    return frozenset((OnNarrowing(how), agent, note) for how, agent, note in rows)


def performed(before: GivenUp, after: GivenUp) -> tuple[Revocation, ...]:
    """Return what was revoked or proposed between two looks."""
    new = after - before
    return tuple(
        Revocation(agent=agent, notes=tuple(sorted(note for h, a, note in new if (h, a) == (how, agent))), how=how)
        for how, agent in sorted({(how, agent) for how, agent, _ in new}, key=lambda pair: (pair[1], pair[0]))
    )
