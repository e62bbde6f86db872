"""A throw-away fleet's memories: what a team said over its gateway, notes as the worker's login proposes them, decisions at its console.

No model is asked, and no file is written: a drill brings back what the database knows.
"""

from typing import Any, Final
from uuid import UUID

import psycopg

from fleetmem.admin import deployment
from fleetmem.admin.up import Fleet
from fleetmem.client import FleetClient
from fleetmem.client.console import ConsoleClient
from fleetmem.fleet.roster import Roster
from fleetmem.fleet.team import Team

_WORDS: Final = "The boiler is read every Monday; never at night.\n\\. ü🏠"
_SEGMENT: Final = "insert into fleet.segment (team, status) values (%s, 'open') returning id"
_CLOSED: Final = "update fleet.segment set status = 'closed', boundary = 'idle', to_seq = 1000 where id = %s"
_FLUSHED: Final = "update fleet.segment set status = 'flushed', outcome = 'notes' where id = %s"
_NOTE: Final = """
insert into fleet.note (segment, ordinal, severity, content, description, skill_key, reasons, policy_version, extractor)
values (%s, %s, 'normal', %s, 'when the boiler is looked after', 'boiler', '{new_skill}', 'drill', 'rules') returning id
"""
_RECEIVES: Final = """
insert into fleet.note_recipient (note, agent, score, match, skill, new_skill, nonce)
values (%(note)s, %(agent)s, 0.9, 'match', 'boiler', true, md5(%(note)s::text || %(agent)s))
"""
_PREVIEWED: Final = """
insert into fleet.landing_preview (note, revision, agent, path, after)
values (%s, 1, %s, '.agents/skills/boiler/SKILL.md', 'a skill')
"""
_LANDED: Final = """
update fleet.landing set status = 'landed', path = '.agents/skills/boiler/SKILL.md', sha256 = encode(sha256('a skill'), 'hex')
 where note = %s
"""


def remember(fleet: Fleet, declared: Roster) -> None:
    """Let a team work, and its work become notes: one landed, one revoked, one waiting for a person."""
    team, operator = declared.teams[0], declared.operators[0]
    task, run = _work(fleet, team)
    way = deployment.as_login(fleet.settings.home, fleet.owner, "fleetmem_worker")
    with (
        psycopg.connect(**way) as worker,
        ConsoleClient(fleet.console.url, token=fleet.token(operator.name)) as console,
    ):
        landed, revoked, _ = _propose(worker, team, task, run)
        worker.commit()
        for note in (landed, revoked):
            console.approve(note, 1)
            worker.execute(_LANDED, [note])
            worker.commit()
        console.revoke(revoked, remark="it was wrong")


def _work(fleet: Fleet, team: Team) -> tuple[UUID, UUID]:
    """One task, said and done by the first member that may; its task and run."""
    with FleetClient(fleet.agents.url, token=fleet.token(team.members[0])) as client:
        audience = min(team.audiences)
        task = client.open_task(team.name, "look after the boiler", audience=audience)
        client.post_message(team.name, _WORDS, audience=audience, task=task.id)
        run = client.open_run(task.id, instruction="look")
        client.settle_run(run.id, "succeeded", output=_WORDS)
        client.settle_task(task.id, "done")
    return task.id, run.id


def _propose(worker: psycopg.Connection[Any], team: Team, task: UUID, run: UUID) -> list[UUID]:
    """Three notes of a segment, each for every member that may have it."""
    segment = _id(worker, _SEGMENT, team.name)
    worker.execute("insert into fleet.segment_task (segment, task) values (%s, %s)", [segment, task])
    worker.execute("insert into fleet.segment_run (segment, run) values (%s, %s)", [segment, run])
    worker.execute(_CLOSED, [segment])
    notes = [_id(worker, _NOTE, segment, ordinal, f"{_WORDS} ({ordinal})") for ordinal in (1, 2, 3)]
    for note in notes:
        for member in team.members:
            (why,) = worker.execute("select fence.may_receive(%s, %s)", [note, member]).fetchone() or (None,)
            if why is None:
                worker.execute(_RECEIVES, {"note": note, "agent": member})
                worker.execute(_PREVIEWED, [note, member])
            else:
                worker.execute(
                    "insert into fleet.note_denial (note, agent, reason) values (%s, %s, 'audience')", [note, member]
                )
    worker.execute(_FLUSHED, [segment])
    return notes


def _id(worker: psycopg.Connection[Any], statement: str, *values: object) -> UUID:
    (made,) = worker.execute(statement.encode(), values).fetchone() or (None,)
    assert isinstance(made, UUID)  # noqa: S101 -- `returning` returned it
    return made
