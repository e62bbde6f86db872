"""N. What a team says and does: read by members within their read sets, written by each as itself."""

from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.case import Allowed, Case, Control, Group, Rows, Value, Who, answers, blind, refused
from fleetmem.admin.prove.catalogue.people import (
    BARE,
    BARE_CONSOLE,
    CHIEF,
    HERE,
    KIT,
    LEE,
    MAX,
    OWNER,
    READER,
    SAGE,
    UNCLAIMED,
    ZOE,
)

TABLES: Final = ("task", "message", "run", "span", "context_injection", "team", "team_member")
_NOT_GRANTED: Final = "the column is not in the grant"
_COUNTED: Final = "select " + " + ".join(f"(select count(*) from fleet.{table})" for table in TABLES)


def _one(table: str, record: str, key: str = "id") -> str:
    return f"select 1 from fleet.{table} where {key} = <{record}>"


def _shut() -> Iterator[Case]:
    """Whoever is no member and no worker reads none of it."""
    for number, (who, table) in enumerate(
        ((who, table) for who in (BARE, BARE_CONSOLE, CHIEF, SAGE) for table in TABLES), start=1
    ):
        yield refused(
            f"NT1{number:02}",
            who,
            f"select 1 from fleet.{table}",
            "42501",
            "a team's words are no service's and no operator's",
        )


READING: Final = Group(
    "N",
    "Reading what a team says and does",
    in_scene=True,
    controls=(
        answers("NT00", KIT, "select count(*) from fleet.message where team = <crew>", 2, "a member reads what is for it"),
        answers("NT01", ZOE, "select count(*) from fleet.message where team = <crew>", 3, "another reads more"),
        answers("NT02", READER, "select count(*) from fleet.message where team = <crew>", 3, "an auditor reads all"),
        answers("NT03", HERE, "select count(*) from fleet.message where team in (<crew>, <closed>)", 4, "there is that much"),
    ),
    cases=(
        blind("NT10", KIT, _one("message", "m_hidden"), "a member without the audience", Control(ZOE, Rows(1))),
        blind("NT11", KIT, _one("message", "m_apart"), "another team's, in an audience it reads", Control(MAX, Rows(1))),
        blind("NT12", LEE, _one("message", "m_kit"), "who is in no team", Control(KIT, Rows(1))),
        blind("NT13", KIT, _one("task", "t_hidden"), "a task outside the read set", Control(ZOE, Rows(1))),
        blind("NT14", KIT, _one("task", "t_apart"), "a task of another team", Control(MAX, Rows(1))),
        blind("NT15", KIT, _one("run", "r_hidden"), "a run outside the read set", Control(ZOE, Rows(1))),
        blind("NT16", KIT, _one("run", "r_apart"), "a run of another team", Control(MAX, Rows(1))),
        blind("NT17", KIT, _one("span", "r_hidden", "run"), "the steps of a run that it may not see", Control(ZOE, Rows(1))),
        blind("NT18", KIT, _one("context_injection", "r_hidden", "run"), "what another was shown", Control(ZOE, Rows(1))),
        blind("NT19", KIT, _one("team", "closed", "name"), "a team that it is not in", Control(MAX, Rows(1))),
        blind("NT20", KIT, _one("team_member", "closed", "team"), "nor its members", Control(MAX, Rows(2))),
        blind("NT21", KIT, "select 1 from fleet.message where id = <m_hidden> or body = 'zoe to the board'", "nor by its words",
              Control(ZOE, Rows(1))),
        blind("NT22", KIT, "select 1 from fleet.task t join fleet.message m on m.task = t.id where m.id = <m_hidden>", "nor by a join",
              Control(ZOE, Rows(1))),
        answers("NT23", UNCLAIMED, _COUNTED, 0, "nobody's word for who it is: nothing, and no error",
                Control(KIT, Value(True), f"select ({_COUNTED}) > 5")),
        answers("NT24", Who(KIT.login, KIT.role, "gone"), _COUNTED, 0, "a deactivated agent is in no team"),
        answers("NT25", UNCLAIMED, "select fence.my_teams() is null", True, "the teams of nobody are null, without an error",
                Control(KIT, Value(3), "select cardinality(fence.my_teams())")),
        refused("NT26", KIT, "select seq from fleet.message", "42501", "a count without a gap tells how much is hidden",
                Control(KIT, Allowed(), "select id from fleet.message")),
        refused("NT27", KIT, "select opened_seq from fleet.task", "42501", "so does when a task was opened",
                Control(KIT, Allowed(), "select id from fleet.task")),
        refused("NT28", KIT, "select last_seq from fleet.team", "42501", "and where the count stands",
                Control(KIT, Allowed(), "select name from fleet.team")),
        refused("NT29", KIT, "select to_seq_inclusive from fleet.context_injection", "42501", "and what a run was shown up to",
                Control(KIT, Allowed(), "select run from fleet.context_injection")),
        refused("NT30", KIT, "insert into fleet.message (team, task, speaker, body, audience) values (<crew>, <t_hidden>, 'agent', 'x', <hall>)",
                "P0002", "a hidden task answers", Control(ZOE, Rows(1))),
        refused("NT31", KIT, "insert into fleet.message (team, task, speaker, body, audience) values (<crew>, <absent>, 'agent', 'x', <hall>)",
                "P0002", "as one that is not there"),
        *_shut(),
    ),
)  # fmt: skip

COMMITTED: Final = Group(
    "N",
    "Over the gateway's own login",
    controls=(
        answers("NT05", KIT, "select count(*) from fleet.message where team = <desk>", 1, "a member reads what is for it"),
        answers("NT06", ZOE, "select count(*) from fleet.message where team in (<desk>, <away>)", 3, "another reads more"),
    ),
    cases=(
        blind("NT07", KIT, _one("message", "w_hidden"), "a member without the audience", Control(ZOE, Rows(1))),
        blind("NT08", KIT, _one("message", "w_away"), "another team's", Control(MAX, Rows(1))),
        blind("NT09", LEE, _one("message", "w_kit"), "who is in no team", Control(KIT, Rows(1))),
        blind("NT09u", UNCLAIMED, _one("message", "w_kit"), "without a claim", Control(KIT, Rows(1))),
        blind("NT09m", KIT, _one("team_member", "away", "team"), "who is in another team", Control(MAX, Rows(2))),
    ),
)  # fmt: skip

_POST: Final = "insert into fleet.message (team, task, speaker, body, audience) values (<{team}>, {task}, 'agent', 'x', <{audience}>)"
_POSTS: Final = _POST.format(team="crew", task="<t_seen>", audience="hall")
_TASK: Final = "insert into fleet.task (team, prompt, audience) values (<{team}>, 'x', <{audience}>)"
_RUN: Final = "insert into fleet.run (task, instruction) values (<{task}>, 'x')"
_SPAN: Final = "insert into fleet.span (run, seq, kind, name) values (<{run}>, 9, 'tool', 'x')"
_SHOWN: Final = "insert into fleet.context_injection (run, messages, withheld, text_sha256) values (<r_seen>, {messages}, {withheld}, sha256('x'))"
_NONE: Final = "'{}'"


def _forged() -> Iterator[Case]:
    """No stamp can be sent along."""
    rows = (
        ("message", "team, speaker, body, audience", "<crew>, 'agent', 'x', <hall>",
         {"id": "<absent>", "author": "<zoe>", "seq": "1", "created_at": "now()"}),
        ("task", "team, prompt, audience", "<crew>, 'x', <hall>",
         {"id": "<absent>", "opened_by": "<zoe>", "status": "'done'", "opened_seq": "1", "created_at": "now()", "settled_at": "now()"}),
        ("run", "task, instruction", "<t_seen>, 'x'",
         {"id": "<absent>", "agent": "<zoe>", "attempt": "9", "team": "<pair>", "audience": "<board>", "status": "'succeeded'",
          "started_at": "now()", "output": "'x'", "spans": "9"}),
        ("span", "run, seq, kind, name", "<r_seen>, 9, 'tool', 'x'", {"arrived_at": "now()"}),
        ("context_injection", "run, messages, text_sha256", "<r_seen>, '{}', sha256('x')",
         {"from_seq_exclusive": "0", "to_seq_inclusive": "0", "created_at": "now()"}),
    )  # fmt: skip
    for table, columns, values, more in rows:
        for number, (column, value) in enumerate(more.items(), start=1):
            statement = f"insert into fleet.{table} ({columns}, {column}) values ({values}, {value})"
            works = Control(KIT, Rows(1), f"insert into fleet.{table} ({columns}) values ({values})")
            yield refused(f"NF{table[0]}{number}", KIT, statement, "42501", _NOT_GRANTED, works)


WRITING: Final = Group(
    "N",
    "Writing in a team as somebody else, elsewhere, or afterwards",
    in_scene=True,
    controls=(
        answers("NT40", KIT, _POSTS + " returning author", "<kit>", "the stamp writes the verified name"),
        answers("NT41", KIT, _TASK.format(team="crew", audience="hall") + " returning opened_by", "<kit>", "of a task too"),
        answers("NT42", KIT, _RUN.format(task="t_seen") + " returning agent", "<kit>", "and of a run"),
        answers("NT43", KIT, _RUN.format(task="t_seen") + " returning attempt", 2, "whose number is counted"),
        answers("NT44", HERE, "select max(seq) - min(seq) + 1 - count(*) from fleet.message where team = <crew>", 0, "a count has no gap"),
    ),
    cases=(
        *_forged(),
        refused("NT50", KIT, _POST.format(team="closed", task="null", audience="hall"), "42501", "a team that it is not in",
                Control(MAX, Rows(1))),
        refused("NT51", LEE, _POST.format(team="crew", task="null", audience="hall"), "42501", "who is in no team", Control(KIT, Rows(1))),
        refused("NT52", KIT, _POST.format(team="crew", task="null", audience="ops"), "42501", "readable, not writable",
                Control(ZOE, Rows(1))),
        refused("NT53", KIT, _POST.format(team="crew", task="null", audience="drop"), "42501", "writable, and not carried by the team"),
        refused("NT54", KIT, _POST.format(team="no-such-team", task="null", audience="hall").replace("<no-such-team>", "'no-such-team'"),
                "42501", "no team answers as one that is shut"),
        refused("NT55", KIT, _POST.format(team="crew", task="<t_over>", audience="hall"), "23514", "a settled task takes no more words",
                Control(KIT, Rows(1), _POSTS)),
        refused("NT56", KIT, "insert into fleet.message (team, run, speaker, body, audience) values (<crew>, <r_hidden>, 'agent', 'x', <hall>)",
                "P0002", "words put into another's run", Control(ZOE, Rows(1))),
        refused("NT57", KIT, _TASK.format(team="closed", audience="hall"), "42501", "a task for another team", Control(MAX, Rows(1))),
        refused("NT58", KIT, _TASK.format(team="crew", audience="board"), "42501", "a task outside the write set", Control(ZOE, Rows(1))),
        refused("NT59", KIT, _RUN.format(task="t_hidden"), "P0002", "a run at a task it may not see", Control(ZOE, Rows(1))),
        refused("NT60", KIT, _RUN.format(task="t_apart"), "P0002", "a run at another team's task", Control(MAX, Rows(1))),
        refused("NT61", KIT, _RUN.format(task="t_over"), "23514", "a settled task takes no run",
                Control(KIT, Rows(1), _RUN.format(task="t_seen"))),
        refused("NT62", KIT, _SPAN.format(run="r_hidden"), "42501", "a step in another's run", Control(ZOE, Rows(1))),
        refused("NT63", ZOE, _SPAN.format(run="r_seen"), "42501", "also where it can be read", Control(KIT, Rows(1))),
        refused("NT64", KIT, _SPAN.format(run="r_over"), "42501 23514", "a step of a run that is over",
                Control(KIT, Rows(1), _SPAN.format(run="r_seen"))),
        blind("NT65", KIT, "update fleet.run set status = 'failed' where id = <r_hidden>", "another's run: 0 rows", Control(ZOE, Rows(1))),
        blind("NT66", ZOE, "update fleet.run set status = 'failed' where id = <r_seen>", "also where it can be read",
              Control(KIT, Rows(1))),
        blind("NT67", MAX, "update fleet.task set status = 'done' where id = <t_seen>", "a task that it has no part in",
              Control(KIT, Rows(1))),
        refused("NT68", KIT, "update fleet.run set status = 'failed' where id = <r_over>", "23514", "a run is settled once",
                Control(KIT, Rows(1), "update fleet.run set status = 'failed' where id = <r_seen>")),
        refused("NT69", KIT, "update fleet.task set status = 'open' where id = <t_over>", "23514", "no task is opened again",
                Control(KIT, Rows(1), "update fleet.task set status = 'failed' where id = <t_seen>")),
        refused("NT70", KIT, "update fleet.message set body = 'y' where id = <m_kit>", "42501", "words never change"),
        refused("NT71", KIT, "update fleet.task set prompt = 'y' where id = <t_seen>", "42501", "nor a task"),
        refused("NT72", KIT, "update fleet.run set instruction = 'y' where id = <r_seen>", "42501", "nor what a run was told"),
        refused("NT73", KIT, "update fleet.span set body = 'y' where run = <r_seen>", "42501", "nor a step"),
        refused("NT74", KIT, _SPAN.format(run="r_seen").replace(" 9,", " 1,") + " on conflict (run, seq) do update set body = 'y'", "42501",
                "nor by sending it again", Control(KIT, Rows(0), _SPAN.format(run="r_seen").replace(" 9,", " 1,")
                + " on conflict (run, seq) do nothing")),
        *(
            refused(f"NT75{table[0]}", KIT, f"delete from fleet.{table}", "42501", "nothing is deleted")
            for table in ("message", "task", "run", "span", "context_injection")
        ),
        refused("NT80", KIT, _SHOWN.format(messages="array[<m_hidden>]::uuid[]", withheld=_NONE), "23514", "shown what it may not see",
                Control(KIT, Rows(1), _SHOWN.format(messages="array[<m_kit>]::uuid[]", withheld=_NONE))),
        refused("NT81", KIT, _SHOWN.format(messages="array[<m_apart>]::uuid[]", withheld=_NONE), "23514", "nor of another team"),
        refused("NT82", ZOE, _SHOWN.format(messages=_NONE, withheld=_NONE), "P0002 42501", "into another's run",
                Control(KIT, Rows(1))),
        refused("NT83", KIT, "copy fleet.message (team, speaker, body, audience) from stdin", "0A000", "COPY FROM is refused under row security"),
        refused("NT90", KIT, "insert into fleet.team (name, audiences) values ('mine', array[<hall>])", "42501", "no team of one's own"),
        refused("NT91", KIT, "insert into fleet.team_member (team, agent, position) values (<closed>, <kit>, 9)", "42501", "nobody joins by itself"),
        refused("NT92", KIT, "update fleet.team set audiences = array[<board>] where name = <crew>", "42501", "nor widens what it carries"),
        refused("NT93", CHIEF, "insert into fleet.team_member (team, agent, position) values (<closed>, <kit>, 9)", "42501",
                "nor does an operator let one in"),
        refused("NT94", OWNER, "update fleet.team set last_seq = 0 where name = <crew>", "42501", "the count is nobody's to set",
                Control(OWNER, Rows(1), "update fleet.team set description = 'x' where name = <crew>")),
        *(
            refused(f"NT95{number}", HERE, f"delete from fleet.{table}", "42501", "nothing is deleted, whoever asks")
            for number, table in enumerate(TABLES)
        ),
        refused("NT96", HERE, "set local session_replication_role = replica; delete from fleet.message", "42501",
                "and no setting lets it be"),
        refused("NT97", HERE, "update fleet.message set body = 'y' where id = <m_kit>", "42501", "nor rewritten"),
    ),
)  # fmt: skip

GROUPS: Final = (COMMITTED, READING, WRITING)
