"""A team's day and the memories of it, for as long as a block runs: played by the parts that would make it, and undone.

Nothing of memory can be taken away again, and the ledger least of all. So what the attempts aim at is never committed: one
transaction of the owner's takes each login's session authorization in turn, makes the records as that login would, tries each
attempt within a savepoint, and is rolled back. No worker ever sees it, and no number of the ledger is used up.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Final

import psycopg

from fleetmem.admin.prove.case import ADMIN, Who
from fleetmem.admin.prove.catalogue.people import CHIEF, DEPUTY, KIT, WORKS, ZOE
from fleetmem.admin.prove.purse import Purse
from fleetmem.admin.prove.setting import Connection
from fleetmem.admin.prove.stage import Stage

_PATIENCE: Final = "set local lock_timeout = '3s'; set local statement_timeout = '20s'"


@dataclass(frozen=True, slots=True)
class Step:
    """One statement of the day; what it returns is the record `makes`, by which later statements name it."""

    who: Who | None  # None: the owner, who made the team
    statement: str
    makes: str = ""


def _by_owner(*statements: str) -> tuple[Step, ...]:
    return tuple(Step(None, statement) for statement in statements)


_NOTE: Final = (
    "insert into fleet.note (segment, ordinal, severity, content, description, skill_key, reasons, policy_version, extractor)"
    " values (<{segment}>, {ordinal}, '{severity}', '{content}', 'when it matters', 'a-key', '{reasons}', 'v1', 'rules') returning id"
)
_RECEIVES: Final = (
    "insert into fleet.note_recipient (note, agent, score, match, skill, new_skill, nonce)"
    " values (<{note}>, <{agent}>, 0.9, 'match', 'a-key', false, md5('{note}{agent}'))"
)
_PREVIEWED: Final = "insert into fleet.landing_preview (note, revision, agent, path, after) values (<{note}>, 1, <{agent}>, 'p', 'text')"
_APPROVED: Final = (
    "insert into fleet.note_review (note, revision, decision) values (<{note}>, 1, 'approve');"
    " update fleet.note set status = 'approved' where id = <{note}>"
)


def _note(
    name: str, segment: str, ordinal: int, *agents: str, severity: str = "normal", reasons: str = "{}"
) -> tuple[Step, ...]:
    """A note of a segment, proposed for some agents, with what would be written for each."""
    made = _NOTE.format(
        segment=segment, ordinal=ordinal, severity=severity, content=f"the rule {name}", reasons=reasons
    )
    return (
        Step(WORKS, made, name),
        *(Step(WORKS, _RECEIVES.format(note=name, agent=agent)) for agent in agents),
        *(Step(WORKS, _PREVIEWED.format(note=name, agent=agent)) for agent in agents),
    )


def _task(name: str, who: Who, team: str, audience: str) -> tuple[Step, ...]:
    """A task and a run at it, by one agent; the task stays open."""
    return (
        Step(
            who,
            f"insert into fleet.task (team, prompt, audience) values (<{team}>, 'do {name}', <{audience}>) returning id",
            f"t_{name}",
        ),
        Step(who, f"insert into fleet.run (task, instruction) values (<t_{name}>, 'do it') returning id", f"r_{name}"),
    )


def _settled(name: str, who: Who) -> tuple[Step, ...]:
    return (
        Step(who, f"update fleet.run set status = 'succeeded', output = 'done {name}' where id = <r_{name}>"),
        Step(who, f"update fleet.task set status = 'done' where id = <t_{name}>"),
    )


def _segment(name: str, team: str, task: str) -> tuple[Step, ...]:
    """A segment of one settled task, closed."""
    return (
        Step(WORKS, f"insert into fleet.segment (team, status) values (<{team}>, 'open') returning id", name),
        Step(WORKS, f"insert into fleet.segment_task (segment, task) values (<{name}>, <t_{task}>)"),
        Step(WORKS, f"insert into fleet.segment_run (segment, run) values (<{name}>, <r_{task}>)"),
        Step(WORKS, f"update fleet.segment set status = 'closed', boundary = 'idle', to_seq = 99 where id = <{name}>"),
    )


_MESSAGE: Final = "insert into fleet.message (team, task, speaker, body, audience) values (<crew>, {task}, 'agent', '{body}', <{audience}>) returning id"
_SIGNED: Final = "insert into fleet.note_review (note, revision, decision) values (<{note}>, 1, 'approve')"
# The rules as they are by default, whatever the fleet's own are: what they ask for is asked for in the attempts.
_RULES: Final = (
    "set local session_replication_role = replica;"
    " update fleet.memory_rule set review_all = false, auto_grant = false, on_narrowing = 'at_once';"
    " set local session_replication_role = origin"
)
TEAMS: Final = _by_owner(
    _RULES,
    "insert into fleet.team (name, audiences, two_person) values (<crew>, array[<hall>, <board>, <ops>], false),"
    " (<pair>, array[<hall>], true), (<closed>, array[<hall>], false)",
    "insert into fleet.team_member (team, agent, position) values (<crew>, <kit>, 1), (<crew>, <zoe>, 2), (<crew>, <max>, 3),"
    " (<pair>, <kit>, 1), (<pair>, <zoe>, 2), (<closed>, <zoe>, 1), (<closed>, <max>, 2)",
)
SAID: Final = (
    *_task("seen", KIT, "crew", "hall"),
    *_task("hidden", ZOE, "crew", "board"),
    *_task("over", KIT, "crew", "hall"),
    *_task("two", ZOE, "pair", "hall"),
    *_task("apart", ZOE, "closed", "hall"),
    Step(KIT, _MESSAGE.format(task="<t_seen>", body="kit to all", audience="hall"), "m_kit"),
    Step(ZOE, _MESSAGE.format(task="null", body="zoe to all", audience="hall"), "m_zoe"),
    Step(ZOE, _MESSAGE.format(task="<t_hidden>", body="zoe to the board", audience="board"), "m_hidden"),
    Step(
        ZOE,
        "insert into fleet.message (team, speaker, body, audience) values (<closed>, 'agent', 'x', <hall>) returning id",
        "m_apart",
    ),
    Step(KIT, "insert into fleet.span (run, seq, kind, name) values (<r_seen>, 1, 'tool', 'look') returning run"),
    Step(ZOE, "insert into fleet.span (run, seq, kind, name) values (<r_hidden>, 1, 'tool', 'look') returning run"),
    Step(
        ZOE,
        "insert into fleet.context_injection (run, messages, text_sha256) values (<r_hidden>, array[<m_hidden>]::uuid[], sha256('x'))",
    ),
    *_task("deep", ZOE, "crew", "board"),
    *_settled("over", KIT),
    *_settled("two", ZOE),
    *_settled("deep", ZOE),
)
NOTES: Final = (
    *_segment("s_hall", "crew", "over"),
    *_segment("s_two", "pair", "two"),
    *_segment("s_deep", "crew", "deep"),
    Step(WORKS, "insert into fleet.segment (team, status) values (<closed>, 'open') returning id", "s_open"),
    Step(WORKS, "insert into fleet.segment_task (segment, task) values (<s_open>, <t_apart>)"),
    *_note("n_wait", "s_hall", 1, "kit", severity="severe", reasons="{severe}"),
    *_note("n_plain", "s_hall", 2, "kit"),
    *_note("n_landed", "s_hall", 3, "kit", "max"),
    *_note("n_pair", "s_two", 1, "kit", "zoe"),
    *_note("n_asked", "s_hall", 4, "kit"),
    *_note("n_gone", "s_hall", 5, "kit"),
    *_note("n_severe", "s_hall", 6, "kit", severity="severe"),
    *_note("n_sealed", "s_hall", 7, "kit"),
    *_note("n_deep", "s_deep", 1),
    *_note("n_signed", "s_two", 2, "kit", "zoe"),
    *_note("n_reason", "s_two", 3, "kit", reasons="{fallback}"),
    Step(DEPUTY, _SIGNED.format(note="n_sealed")),
    Step(DEPUTY, _SIGNED.format(note="n_signed")),
    Step(WORKS, "insert into fleet.note_denial (note, agent, reason, score) values (<n_wait>, <max>, 'below_threshold', 0.1)"),
    Step(WORKS, "insert into fleet.note_citation (note, ordinal, run) values (<n_wait>, 1, <r_over>)"),
    Step(CHIEF, _APPROVED.format(note="n_landed")),
    Step(CHIEF, _APPROVED.format(note="n_asked")),
    Step(CHIEF, "update fleet.note set status = 'rejected' where id = <n_gone>"),
    Step(WORKS, "update fleet.landing set status = 'landed', path = 'p', sha256 = 'x' where note = <n_landed> and agent = <kit> returning id", "l_kit"),
    Step(WORKS, "select id from fleet.landing where note = <n_asked>", "l_asked"),
    Step(WORKS, "select fence.report('drift', <n_landed>, <l_kit>, <kit>, 'edited by hand', '{}')"),
    Step(WORKS, "select id from fleet.incident where note = <n_landed>", "i_open"),
)  # fmt: skip
DAY: Final = (*TEAMS, *SAID, *NOTES)


@contextmanager
def played(admin: Connection, stage: Stage) -> Iterator[Stage]:
    """Play the day on the owner's connection, which must be a superuser's; yields the stage that knows what came of it."""
    admin.execute(f"begin; {_PATIENCE}".encode())
    try:
        for step in DAY:
            stage = _taken(admin, stage, step)
        yield stage
    finally:
        with suppress(psycopg.Error):
            admin.execute("rollback")


@contextmanager
def within(admin: Connection, who: Who, token: str | None) -> Iterator[None]:
    """Be `who`, with a claim bound, for one attempt; whatever it did is undone, and the day is as it was."""
    admin.execute("savepoint attempt")
    try:
        _become(admin, who, token)
        yield
    finally:
        admin.execute("rollback to attempt; release attempt")


def _become(admin: Connection, who: Who, token: str | None) -> None:
    if who.login != ADMIN:
        admin.execute(f"set local session authorization {who.login}".encode())
    if who.role:
        admin.execute(f"set local role {who.role}".encode())
    if token is not None:
        admin.execute("select pg_catalog.set_config('fence.token', %s, true)", [token])


def _taken(admin: Connection, stage: Stage, step: Step) -> Stage:
    if step.who is None:
        admin.execute(stage.filled(step.statement).encode())
        return stage
    _become(admin, step.who, Purse(stage).claim(step.who.claim))
    cursor = admin.execute(stage.filled(step.statement).encode())
    row = cursor.fetchone() if step.makes else None
    admin.execute("set local session authorization default; select pg_catalog.set_config('fence.token', '', true)")
    return replace(stage, records={**stage.records, step.makes: str(row[0])}) if row else stage
