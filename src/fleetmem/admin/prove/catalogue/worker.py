"""Q. The worker's login: what it must not read, decide or route; and the queue that it works."""

from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.case import Allowed, Case, Control, Group, Rows, Value, answers, blind, open_to_all, refused
from fleetmem.admin.prove.catalogue.notes import APPROVE
from fleetmem.admin.prove.catalogue.people import (
    BARE,
    BARE_CONSOLE,
    CHIEF,
    HERE,
    KIT,
    OWNER,
    READER,
    SAGE,
    SCRIBE,
    VERIFIER,
    WORKS,
)

_NOTE: Final = (
    "insert into fleet.note (segment, ordinal, severity, content, description, skill_key, policy_version, extractor{more})"
    " values (<{segment}>, 8, 'normal', 'x', 'y', 'a-key', 'v1', 'rules'{value})"
)
_WORKS: Final = Control(WORKS, Rows(1), _NOTE.format(segment="s_hall", more="", value=""))
_RECEIVE: Final = "insert into fleet.note_recipient (note, agent, score, match, nonce) values (<{note}>, <{agent}>, 0.9, 'match', md5('x'))"
_AUTOMATIC: Final = (
    "set local session_replication_role = replica; update fleet.memory_rule set auto_grant = true;"
    " set local session_replication_role = origin; set local session authorization fleetmem_worker; "
)
_GRANTS: Final = Control(HERE, Rows(1), _AUTOMATIC + APPROVE.format(note="n_plain"))


def _reads() -> Iterator[Case]:
    shut = (
        "fleet.beat",
        "fleet.handoff",
        "fleet.handoff_transition",
        "fleet.idempotency",
        "vault.signing_key",
        "vault.bearer",
        "fence.casefold",
    )
    for table in shut:
        yield refused(f"QR:{table}", WORKS, f"select 1 from {table}", "42501", "it is no part of the pipeline",
                      Control(WORKS, Allowed(), "select 1 from fleet.message"))  # fmt: skip
    for column in ("writes", "tokens_from"):
        yield refused(
            f"QC:{column}", WORKS, f"select {column} from fleet.principal", "42501", "nor is this about an agent"
        )
    writes = (
        "team",
        "team_member",
        "task",
        "message",
        "run",
        "span",
        "context_injection",
        "principal",
        "calibration",
        "memory_rule",
        "incident",
        "landing",
    )
    for table in writes:
        yield refused(
            f"QI:{table}", WORKS, f"insert into fleet.{table} default values", "42501", "it writes none of it by hand"
        )
    for table in (
        "note",
        "note_citation",
        "note_recipient",
        "note_denial",
        "landing_preview",
        "landing",
        "segment",
        "segment_task",
        "segment_run",
    ):
        yield refused(f"QD:{table}", WORKS, f"delete from fleet.{table}", "42501", "nor takes any away")


def _forged() -> Iterator[Case]:
    more = {"id": "<absent>", "team": "<pair>", "status": "'approved'", "audiences": "array[<hall>]", "generation": "1", "revision": "9",
            "created_at": "now()", "decided_by": "<chief>", "decided_at": "now()"}  # fmt: skip
    for column, value in more.items():
        statement = _NOTE.format(segment="s_hall", more=f", {column}", value=f", {value}")
        yield refused(f"QN:{column}", WORKS, statement, "42501", "what a note is made of is computed", _WORKS)
    for column, value in {
        "audiences": "'{}'",
        "content": "'x'",
        "reasons": "'{}'",
        "severity": "'normal'",
        "revision": "9",
        "team": "<pair>",
    }.items():
        yield refused(
            f"QU:{column}",
            WORKS,
            f"update fleet.note set {column} = {value} where id = <n_wait>",
            "42501",
            "and is never changed by it",
        )


PIPELINE: Final = Group(
    "Q",
    "The worker's login, beyond its work",
    in_scene=True,
    controls=(
        answers("Q00", WORKS, "select count(*) from fleet.note where team in (<crew>, <pair>)", 11, "the worker reads notes"),
        answers("Q01", WORKS, "select count(*) from fleet.message where team = <crew>", 3, "and what was said"),
        answers("Q02", WORKS, _NOTE.format(segment="s_hall", more="", value="") + " returning audiences = array[<hall>]", True, "it proposes; audiences are computed"),
        blind("Q03", WORKS, "select 1 from fleet.principal where name in (<kit>, <zoe>)", "it reads agents", rows=2),
    ),
    cases=(
        *_reads(),
        *_forged(),
        blind("Q10", WORKS, "select 1 from fleet.principal where name in (<chief>, <sage>)", "and no person",
              Control(READER, Rows(2))),
        refused("Q11", WORKS, APPROVE.format(note="n_wait"), "23514", "what needs a person waits for one", _GRANTS),
        refused("Q12", WORKS, APPROVE.format(note="n_plain"), "23514", "and so does everything, where the owner did not say otherwise", _GRANTS),
        refused("Q13", HERE, _AUTOMATIC + APPROVE.format(note="n_reason"), "23514", "a reason to look is one, whatever the owner said", _GRANTS),
        refused("Q14", HERE, _AUTOMATIC + APPROVE.format(note="n_severe"), "23514", "what is always on is seen, whatever its proposer says", _GRANTS),
        refused("Q15", HERE, _AUTOMATIC + "insert into fleet.note_recipient (note, agent, match, skill, nonce) values (<n_plain>, <max>, 'fallback', 'a-key',"
                " md5('x')); " + APPROVE.format(note="n_plain"), "23514", "and who got it for want of a better one", _GRANTS),
        refused("Q16", HERE, _AUTOMATIC + APPROVE.format(note="n_deep"), "23514", "a note without a recipient is granted to nobody", _GRANTS),
        refused("Q17", HERE, _AUTOMATIC.replace("auto_grant = true", "auto_grant = true, review_all = true") + APPROVE.format(note="n_plain"), "23514",
                "where all is seen, all is", _GRANTS),
        refused("Q18", WORKS, "update fleet.note set status = 'rejected' where id = <n_wait>", "42501 23514", "it rejects nothing"),
        blind("Q19", WORKS, "update fleet.note set status = 'approved' where id = <n_landed>", "a decided note is out of its reach"),
        refused("Q20", WORKS, _RECEIVE.format(note="n_wait", agent="cal"), "23514", "no recipient outside the team",
                Control(WORKS, Rows(1), _RECEIVE.format(note="n_wait", agent="max"))),
        refused("Q21", WORKS, _RECEIVE.format(note="n_deep", agent="kit"), "23514", "none past the audiences",
                Control(WORKS, Rows(1), _RECEIVE.format(note="n_deep", agent="zoe"))),
        refused("Q22", WORKS, _RECEIVE.format(note="n_landed", agent="zoe"), "23514", "none of a decided note",
                Control(WORKS, Rows(1), _RECEIVE.format(note="n_plain", agent="zoe"))),
        refused("Q23", WORKS, _RECEIVE.format(note="n_sealed", agent="zoe"), "23514", "none below a signature",
                Control(WORKS, Rows(1), _RECEIVE.format(note="n_plain", agent="zoe"))),
        refused("Q24", WORKS, "update fleet.note_recipient set agent = <zoe> where note = <n_wait>", "42501", "none becomes another"),
        refused("Q25", WORKS, "update fleet.note_recipient set active = true where note = <n_wait>", "42501", "none comes back"),
        refused("Q26", WORKS, _NOTE.format(segment="s_open", more="", value=""), "23514", "no note of a segment that is not done", _WORKS),
        refused("Q27", WORKS, _NOTE.format(segment="absent", more="", value=""), "23514 23503", "nor of none"),
        refused("Q28", WORKS, "insert into fleet.note_citation (note, ordinal, run) values (<n_wait>, 2, <r_two>)", "23514", "a note cites its own segment",
                Control(WORKS, Rows(1), "insert into fleet.note_citation (note, ordinal, run) values (<n_wait>, 2, <r_over>)")),
        refused("Q29", WORKS, "insert into fleet.segment_task (segment, task) values (<s_open>, <t_two>)", "23514", "no segment mixes teams",
                Control(WORKS, Rows(1), "insert into fleet.segment_run (segment, run) values (<s_open>, <r_apart>)")),
        refused("Q30", WORKS, "update fleet.segment set status = 'open', boundary = null, to_seq = null where id = <s_hall>", "23514", "a segment closes once",
                Control(WORKS, Rows(1), "update fleet.segment set status = 'flushed', outcome = 'notes' where id = <s_hall>")),
        blind("Q31", WORKS, "update fleet.segment set status = 'flushed', outcome = 'notes' where id = <s_hall>;"
              " update fleet.segment set status = 'closed' where id = <s_hall>", "and is flushed once"),
        refused("Q32", WORKS, "update fleet.segment set team = <crew> where id = <s_two>", "42501", "and stays its team's"),
        refused("Q33", WORKS, "update fleet.landing set agent = <zoe> where id = <l_asked>", "42501", "a file goes to whom it was asked for"),
        refused("Q34", WORKS, "update fleet.landing set path = 'elsewhere' where id = <l_kit>", "23514", "and stays where it is",
                Control(WORKS, Rows(1), "update fleet.landing set status = 'drifted', reason = 'x' where id = <l_kit>")),
        refused("Q35", WORKS, "update fleet.landing set status = 'removing' where id = <l_kit>", "23514", "the worker takes nothing back by itself"),
        refused("Q36", WORKS, "update fleet.landing set status = 'pending' where id = <l_kit>", "23514 23502", "nor asks for it again"),
        refused("Q37", WORKS, "update fleet.incident set status = 'dismissed' where id = <i_open>", "42501", "an incident is a person's to close"),
        refused("Q38", WORKS, "update fleet.memory_rule set auto_grant = true", "42501", "the rules are the owner's"),
        refused("Q39", WORKS, "insert into fleet.note_review (note, revision, decision) values (<n_wait>, 1, 'approve')", "42501", "it signs nothing"),
        *(
            refused(f"Q4{number}", WORKS, f"set local role {role}", "42501", "it becomes nobody else")
            for number, role in enumerate(("fleetmem_owner", "fleetmem_scribe", "fleetmem_verifier", "fleetmem_agent", "fleetmem_operator",
                                           "fleetmem_gateway", "fleetmem_console", "fleetmem_auditor", "fleetmem_backup"))
        ),
        *(
            refused(f"Q5{number}", WORKS, f"select {call}", "42501", "what it does not need it may not call")
            for number, call in enumerate(("api.me('x')", "api.console_me('x', 'operator')", "fence.require('operator')", "fence._who('agent')",
                "fence.note_revoke(<n_wait>, 'x')", "fence.reset_automatic_notes(<s_hall>)", "fence.landings_request(<n_wait>)",
                "fence.review_withdraw(<n_landed>, <kit>)", "fence.tokens()", "fence.current_operator()"))
        ),
        refused("Q60", WORKS, "create temporary table t (a int)", "42501", "no table of its own"),
        refused("Q61", WORKS, "create table queue.t (a int)", "42501", "not in the queue either"),
        refused("Q62", WORKS, "do $$ begin end $$", "42501", "no code of its own", catalogue_right=True),
        refused("Q63", WORKS, "select pg_advisory_lock(1)", "42501", "no lock of its own", catalogue_right=True),
    ),
)  # fmt: skip

_JOBS: Final = "select 1 from queue.procrastinate_jobs"
_JOB: Final = "insert into queue.procrastinate_jobs (queue_name, task_name) values ('memory', 'land')"


def _outsiders() -> Iterator[Case]:
    for short, who in {
        "b": BARE,
        "k": KIT,
        "d": BARE_CONSOLE,
        "c": CHIEF,
        "s": SAGE,
        "r": READER,
        "v": VERIFIER,
    }.items():
        yield refused(f"QQ{short}r", who, _JOBS, "42501", "the queue is the worker's", Control(WORKS, Allowed()))
        yield refused(f"QQ{short}i", who, _JOB, "42501", "nobody asks for work by hand", Control(WORKS, Rows(1)))
        yield refused(
            f"QQ{short}f",
            who,
            "select fence.defer('land', '{}', null, null, 0)",
            "42501",
            "nor by its function",
            Control(WORKS, Rows(1)),
        )
        yield refused(f"QQ{short}c", who, "select queue.procrastinate_fetch_job_v2(null, null)", "42501", "nor takes work away",
                      Control(WORKS, Allowed()))  # fmt: skip


QUEUE: Final = Group(
    "Q",
    "The queue",
    in_scene=True,
    controls=(
        answers("Q80", HERE, "select count(*) from queue.procrastinate_jobs where args @> jsonb_build_object('task', <t_seen>)", 1,
                "what a task needs done is asked for with it"),
        answers("Q81", HERE, "select count(*) from queue.procrastinate_jobs where args @> jsonb_build_object('landing', <l_asked>)", 1, "and a landing"),
    ),
    cases=(
        *_outsiders(),
        refused("Q82", SCRIBE, "update queue.procrastinate_jobs set args = '{}'", "42501", "who fills it changes nothing", Control(SCRIBE, Rows(1), _JOB)),
        refused("Q83", SCRIBE, "delete from queue.procrastinate_jobs", "42501", "nor deletes"),
        refused("Q84", WORKS, "truncate queue.procrastinate_jobs", "42501", "nor is it emptied at once"),
        refused("Q85", WORKS, "alter table queue.procrastinate_jobs disable trigger all", "42501", "the worker owns nothing of it"),
        blind("Q86", OWNER, "select 1 from fleet.message where id = <m_kit>", "its owner reads no team's words",
              Control(OWNER, Allowed(), _JOBS)),
        answers("Q87", HERE, "select count(*) from queue.procrastinate_jobs j cross join lateral jsonb_each_text(j.args) a"
                " where j.queueing_lock in ('place_task:' || <t_seen>, 'land:' || <l_asked>, 'preview:' || <n_wait>)"
                " and a.value !~ '^[0-9a-f-]{36}$'", 0, "a job holds ids alone",
                Control(HERE, Value(3), "select count(*) from queue.procrastinate_jobs j"
                " where j.queueing_lock in ('place_task:' || <t_seen>, 'land:' || <l_asked>, 'preview:' || <n_wait>)")),
        open_to_all("Q88", WORKS, "select pg_notify('procrastinate_any_queue', 'x')",
                    "a job wakes its worker by NOTIFY, which anyone may send: it says no more than that there is work"),
    ),
)  # fmt: skip

GROUPS: Final = (PIPELINE, QUEUE)
