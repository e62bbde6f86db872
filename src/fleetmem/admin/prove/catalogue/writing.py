"""E. Writing as somebody else, and status abuse."""

from typing import Final

from fleetmem.admin.prove.case import Case, Control, Group, Refused, Rows, Value, Who, answers, blind, refused
from fleetmem.admin.prove.catalogue.people import CHIEF, KIT, LEE, MAX, ZOE

_BEAT: Final = "insert into fleet.beat (topic, body, audience) values ('t', 'x', <hall>)"
_ASK: Final = "insert into fleet.handoff (recipient, request, audience) values (<max>, 'x', <hall>)"
_WORKS: Final = Control(KIT, Rows(1), _BEAT)
_ASKS: Final = Control(KIT, Rows(1), _ASK)
_NOT_GRANTED: Final = "the column is not in the grant"


def _beat(columns: str, values: str) -> str:
    return f"insert into fleet.beat (topic, body, audience, {columns}) values ('t', 'x', <hall>, {values})"


def _handoff(columns: str, values: str) -> str:
    return f"insert into fleet.handoff (recipient, request, audience, {columns}) values (<max>, 'x', <hall>, {values})"


def _set(table: str, change: str, record: str) -> str:
    return f"update fleet.{table} set {change} where id = <{record}>"


BEATS: Final = Group(
    "E",
    "Beats in another's name, place or time",
    controls=(
        answers("E02", KIT, _BEAT + " returning author", "<kit>", "the stamp writes the verified name"),
        answers("E02t", KIT, _BEAT + " returning created_at between now() - interval '1 minute' and clock_timestamp()", True,
                "and the database's clock"),
        answers("E02e", KIT, _BEAT + " returning expires_at = created_at + interval '7 days' and ended_at is null", True,
                "and its life"),
    ),
    cases=(
        refused("E01", KIT, _beat("author", "<zoe>"), "42501", _NOT_GRANTED, _WORKS),
        refused("E01s", KIT, _beat("author", "<kit>"), "42501", "not even one's own name"),
        refused("E05", KIT, _beat("id", "<absent>"), "42501", _NOT_GRANTED, _WORKS),
        refused("E06", KIT, _beat("created_at", "'2000-01-01'"), "42501", "no back-dating", _WORKS),
        refused("E06e", KIT, _beat("ended_at", "now()"), "42501", _NOT_GRANTED, _WORKS),
        refused("E06a", KIT, _beat("ended_as", "'superseded'"), "42501", _NOT_GRANTED, _WORKS),
        refused("E06k", KIT, _beat("topic_key", "'other'"), "42501", _NOT_GRANTED, _WORKS),
        refused("E04", KIT, "insert into fleet.beat (topic, body, audience) values ('t', 'x', <ops>)", "42501",
                "readable, not writable", Control(ZOE, Rows(1))),
        refused("E04b", KIT, "insert into fleet.beat (topic, body, audience) values ('t', 'x', <board>)", "42501",
                "neither", Control(ZOE, Rows(1))),
        refused("E04n", KIT, "insert into fleet.beat (topic, body, audience) values ('t', 'x', 'no-such-audience')", "42501",
                "an audience that does not exist answers like one that is shut: no oracle"),
        refused("E04s", KIT, "insert into fleet.beat (topic, body, audience) values ('t', 'x', <shut>)", "42501",
                "and so does one that nobody writes"),
        refused("E04z", KIT, "insert into fleet.beat (topic, body, audience) values ('t', 'x', null)", "42501 23502",
                "no audience is nobody's, never everybody's"),
        refused("E04e", KIT, "insert into fleet.beat (topic, body, audience) values ('t', 'x', '')", "42501", "nor an empty one"),
        refused("E04w", KIT, "insert into fleet.beat (topic, body, audience) values ('t', 'x', '%')", "42501", "nor a pattern"),
        refused("E07", KIT, _set("beat", "body = 'y'", "b_kit"), "42501", "a beat's text never changes, not its author's"),
        refused("E07z", KIT, _set("beat", "audience = <hall>", "b_hidden"), "42501", "nor its audience"),
        refused("E07a", KIT, _set("beat", "author = <kit>", "b_zoe"), "42501", "nor its author"),
        refused("E07x", KIT, _set("beat", "expires_at = 'infinity'", "b_kit"), "42501", "nor its end"),
        refused("E08", KIT, "delete from fleet.beat where id = <b_kit>", "42501", "nothing is deleted"),
        refused("E08a", KIT, "delete from fleet.beat", "42501", "nothing is deleted"),
        blind("E11", KIT, _set("beat", "ended_as = 'retracted'", "b_zoe"), "another's beat, readable: 0 rows",
              Control(ZOE, Rows(1))),
        blind("E11h", KIT, _set("beat", "ended_as = 'retracted'", "b_hidden"), "another's beat, hidden: 0 rows as well",
              Control(ZOE, Rows(1))),
        blind("E11n", KIT, _set("beat", "ended_as = 'retracted'", "absent"), "and absent: the same"),
        refused("E13s", KIT, _set("beat", "ended_as = 'superseded'", "b_kit"), "23514", "only a newer beat supersedes",
                Control(KIT, Rows(1), _set("beat", "ended_as = 'retracted'", "b_kit"))),
        refused("E13n", KIT, _set("beat", "ended_as = null", "b_ended"), "23514", "no beat comes back"),
        refused("E13r", KIT, _set("beat", "ended_as = 'retracted'", "b_ended"), "23514", "nor ends twice"),
        refused("E12", KIT, _BEAT + " on conflict (id) do update set body = 'y'", "42501", "needs UPDATE on the column",
                Control(KIT, Rows(1), _BEAT + " on conflict do nothing")),
        refused("E12a", KIT, _BEAT + " on conflict (id) do update set ended_as = 'retracted' returning xmin", "42501",
                "system columns are in no column grant"),
        refused("E12r", KIT, _BEAT + " returning *, ctid", "42501", "nor by RETURNING",
                Control(KIT, Rows(1), _BEAT + " returning *")),
        refused("E13", KIT, "merge into fleet.beat b using (values (<b_hidden>::uuid)) v (id) on b.id = v.id"
                " when matched then delete", "42501", "MERGE needs each right (CVE-2023-39418)"),
        refused("E13m", KIT, "merge into fleet.beat b using (values (<b_hidden>::uuid)) v (id) on b.id = v.id"
                " when not matched then insert (topic, body, audience) values ('t', 'x', <board>)", "42501",
                "MERGE checks what it inserts", Control(KIT, Rows(1),
                "merge into fleet.beat b using (values (<b_hidden>::uuid)) v (id) on b.id = v.id"
                " when not matched then insert (topic, body, audience) values ('t', 'x', <hall>)")),
        blind("E13u", KIT, "merge into fleet.beat b using (values (<b_zoe>::uuid)) v (id) on b.id = v.id"
              " when matched and b.author = <kit> then update set ended_as = 'retracted'", "MERGE on another's row: 0 rows"),
        refused("E13v", KIT, "merge into fleet.beat b using (values (<b_zoe>::uuid)) v (id) on b.id = v.id"
                " when matched then update set ended_as = 'retracted'", "42501", "MERGE that reaches another's row fails whole",
                Control(ZOE, Rows(1))),
        refused("E28", KIT, "copy fleet.beat (topic, body, audience) from stdin", "0A000",
                "COPY FROM is refused where row security is on"),
        refused("E30", KIT, "insert into fleet.beat (topic, body, audience) values ('t', 'x', <hall>), ('u', 'x', <board>)",
                "42501", "one foreign row refuses the whole statement", Control(ZOE, Rows(2))),
        blind("E25", KIT, "insert into fleet.beat (topic, body, audience) select topic || ' copy', body, <hall> from fleet.beat",
              "a bulk copy copies what is visible", Control(ZOE, Rows(6)), rows=5),
        refused("E31", KIT, "with a as (update fleet.beat set ended_as = 'retracted' where id = <b_zoe> returning id)"
                " select 1 / count(*) from a", "22012", "a CTE reaches no further: it touched nothing",
                Control(ZOE, Value(1))),
        blind("E32", KIT, "update fleet.beat b set ended_as = 'retracted' from fleet.principal p where p.name = b.author"
              " and b.id = <b_zoe>", "UPDATE … FROM reaches no further", Control(ZOE, Rows(1))),
    ),
)  # fmt: skip


def _life(case_id: str, expires: str, why: str) -> Case:
    statement = f"insert into fleet.beat (topic, body, audience, expires_at) values ('t', 'x', <hall>, {expires})"
    return refused(case_id, KIT, statement, "23514 22008 22007", why)


LIMITS: Final = Group(
    "E",
    "Beats beyond their limits",
    controls=(
        blind("E60", KIT, "insert into fleet.beat (topic, body, audience, expires_at)"
              " values ('t', 'x', <hall>, now() + interval '89 days')", "within its limits a beat is taken", rows=1),
    ),
    cases=(
        _life("E61", "'infinity'", "a beat ends"),
        _life("E62", "'-infinity'", "and not before it begins"),
        _life("E63", "now() - interval '1 second'", "and not in the past"),
        _life("E64", "now() + interval '91 days'", "and not after 90 days"),
        _life("E65", "'294276-12-31'", "the last year there is"),
        _life("E66", "'4713-01-01 BC'", "the first year there is"),
        _life("E67", "'294277-01-01'", "a year there is not"),
        _life("E68", "'2026-08-13T25:61:00Z'", "no time at all"),
        refused("E70", KIT, "insert into fleet.beat (topic, body, audience) values ('t', repeat('x', 8001), <hall>)", "23514",
                "too long a body"),
        refused("E71", KIT, "insert into fleet.beat (topic, body, audience) values ('t', '', <hall>)", "23514", "no body"),
        refused("E72", KIT, "insert into fleet.beat (topic, body, audience) values ('t', null, <hall>)", "23502", "no body"),
        refused("E73", KIT, "insert into fleet.beat (topic, body, audience) values ('', 'x', <hall>)", "23514", "no topic"),
        refused("E74", KIT, "insert into fleet.beat (topic, body, audience) values (null, 'x', <hall>)", "23502", "no topic"),
        refused("E75", KIT, "insert into fleet.beat (topic, body, audience) values (repeat('ß', 201), 'x', <hall>)", "23514",
                "too long a topic"),
    ),
)  # fmt: skip


def _move(  # noqa: PLR0917 -- read by position
    case_id: str, who: Who, record: str, status: str, why: str, control: Control | None = None
) -> Case:
    statement = _set("handoff", f"status = '{status}', reply = 'x'", record)
    return refused(case_id, who, statement, "23514", why, control)


HANDOFFS: Final = Group(
    "E",
    "Handoffs in another's name, and moves that are not one's own",
    controls=(
        answers("E14c", KIT, _ASK + " returning sender", "<kit>", "the stamp writes the verified name"),
        answers("E15c", KIT, _ASK + " returning status", "open", "and the first status"),
    ),
    cases=(
        refused("E14", KIT, _handoff("sender", "<zoe>"), "42501", _NOT_GRANTED, _ASKS),
        refused("E15", KIT, _handoff("status", "'done'"), "42501", _NOT_GRANTED, _ASKS),
        refused("E15r", KIT, _handoff("reply", "'yes'"), "42501", _NOT_GRANTED, _ASKS),
        refused("E15i", KIT, _handoff("id", "<absent>"), "42501", _NOT_GRANTED, _ASKS),
        refused("E15d", KIT, _handoff("created_at", "'2000-01-01'"), "42501", _NOT_GRANTED, _ASKS),
        refused("E15u", KIT, _handoff("updated_at", "'2000-01-01'"), "42501", _NOT_GRANTED, _ASKS),
        refused("E16", KIT, _set("handoff", "recipient = <kit>", "h_hidden"), "42501", "no redirecting to oneself"),
        refused("E16s", KIT, _set("handoff", "sender = <kit>", "h_in"), "42501", "nor from oneself"),
        refused("E16a", KIT, _set("handoff", "audience = <hall>", "h_in"), "42501", "nor to more readers"),
        refused("E16f", KIT, _set("handoff", "flags = '{}'", "h_in"), "42501", "no taking a flag off"),
        refused("E16q", KIT, _set("handoff", "request = 'y'", "h_out"), "42501", "the request never changes"),
        refused("E16d", KIT, _set("handoff", "due_at = null", "h_in"), "42501", "nor its date"),
        _move("E18", KIT, "h_out", "accepted", "a sender does not accept its own", Control(MAX, Rows(1))),
        _move("E18d", KIT, "h_out", "declined", "nor decline it", Control(MAX, Rows(1))),
        _move("E18w", KIT, "h_in", "withdrawn", "a recipient does not withdraw", Control(ZOE, Rows(1))),
        _move("E19", KIT, "h_in", "done", "done comes after accepted", Control(KIT, Rows(1),
              _set("handoff", "status = 'done', reply = 'x'", "h_accepted"))),
        _move("E19f", KIT, "h_in", "failed", "and so does failed"),
        _move("E20", KIT, "h_done", "open", "done is final"),
        _move("E20a", KIT, "h_done", "accepted", "done is final"),
        _move("E20w", ZOE, "h_done", "withdrawn", "done is final for the sender too"),
        _move("E21", KIT, "h_in", "bogus", "no such status"),
        _move("E21o", KIT, "h_in", "open", "no step is no move"),
        refused("E21n", KIT, _set("handoff", "status = null", "h_in"), "23514 23502", "no status is none"),
        refused("E21r", KIT, _set("handoff", "reply = 'x'", "h_in"), "23514", "a reply without a move"),
        refused("E21d", KIT, _set("handoff", "status = 'done', reply = null", "h_accepted"), "23514", "an end has a reply"),
        refused("E22", KIT, _set("handoff", "status = 'accepted'", "h_in") + "; " + _set("handoff", "status = 'declined'", "h_in"),
                "23514", "out of accepted there are only done and failed"),
        _move("E22w", MAX, "h_accepted", "withdrawn", "accepted work is not withdrawn"),
        blind("E33", MAX, _set("handoff", "status = 'accepted'", "h_in"), "a third agent that cannot see it: 0 rows",
              Control(KIT, Rows(1))),
        blind("E33s", KIT, _set("handoff", "status = 'accepted'", "h_seen"), "a third agent that can see it: 0 rows too",
              Control(MAX, Rows(1))),
        blind("E33h", KIT, _set("handoff", "status = 'withdrawn'", "h_hidden"), "nor withdraw what is hidden",
              Control(ZOE, Rows(1))),
        blind("E33n", KIT, _set("handoff", "status = 'withdrawn'", "absent"), "and absent: the same"),
        blind("E33l", LEE, _set("handoff", "status = 'declined'", "h_lee"), "who reads nothing answers what it was handed",
              rows=1),
        refused("E23", KIT, "delete from fleet.handoff where id = <h_out>", "42501", "nothing is deleted"),
        refused("E34", KIT, "insert into fleet.handoff (recipient, request, audience) values (<max>, 'x', <board>)", "42501",
                "in an audience that one does not write", Control(ZOE, Rows(1))),
        refused("E34o", KIT, "insert into fleet.handoff (recipient, request, audience) values (<max>, 'x', <ops>)", "42501",
                "reading it is not enough", Control(ZOE, Rows(1))),
        refused("E34n", KIT, "insert into fleet.handoff (recipient, request, audience) values (<max>, 'x', 'no-such')", "42501",
                "no oracle for audiences"),
        refused("E35", KIT, "insert into fleet.handoff (recipient, request, audience) values (<kit>, 'x', <hall>)", "23514",
                "to oneself", _ASKS),
        refused("E35g", KIT, "insert into fleet.handoff (recipient, request, audience) values (<gone>, 'x', <hall>)", "23514",
                "to one who was deactivated", _ASKS),
        refused("E35o", KIT, "insert into fleet.handoff (recipient, request, audience) values (<chief>, 'x', <hall>)", "23514",
                "to an operator", _ASKS),
        refused("E35n", KIT, "insert into fleet.handoff (recipient, request, audience) values ('no-such', 'x', <hall>)", "23514",
                "to nobody: the same answer as for an operator"),
        refused("E35z", KIT, "insert into fleet.handoff (recipient, request, audience) values (null, 'x', <hall>)", "23514 23502",
                "to null"),
        refused("E36", KIT, _handoff("due_at", "'infinity'"), "23514", "a date is a date", _ASKS),
        refused("E36p", KIT, _handoff("due_at", "now() - interval '1 day'"), "23514", "and not a past one", _ASKS),
        refused("E36f", KIT, _handoff("due_at", "now() + interval '400 days'"), "23514", "nor a far one", _ASKS),
        refused("E37", KIT, _handoff("flags", "array_fill('x'::text, '{9}')"), "23514", "too many flags",
                Control(KIT, Rows(1), _handoff("flags", "'{approval,checks}'"))),
        refused("E37l", KIT, _handoff("flags", "array[repeat('x', 201)]"), "23514", "too long a flag"),
        refused("E37n", KIT, _handoff("flags", "array[null]::text[]"), "23514", "a null among the flags breaks its readers"),
        refused("E37d", KIT, _handoff("flags", "'{{a,b},{c,d}}'"), "23514", "flags in two dimensions break their readers"),
        refused("E37z", KIT, _handoff("flags", "null"), "23502 23514", "no flags are none, not null"),
        refused("E38", KIT, "insert into fleet.handoff (recipient, request, audience) values (<max>, repeat('x', 8001), <hall>)",
                "23514", "too long a request"),
        refused("E39", KIT, _set("handoff", "status = 'accepted', reply = repeat('x', 8001)", "h_in"), "23514",
                "too long a reply"),
        refused("E40", KIT, "copy fleet.handoff (recipient, request, audience) from stdin", "0A000",
                "COPY FROM is refused where row security is on"),
        refused("E41", KIT, "merge into fleet.handoff h using (values (<h_seen>::uuid)) v (id) on h.id = v.id"
                " when matched then update set status = 'accepted'", "42501", "MERGE that reaches another's row fails whole",
                Control(MAX, Rows(1))),
    ),
)  # fmt: skip

_STEP: Final = (
    "insert into fleet.handoff_transition (id, handoff, to_status, made_by, made_at)"
    " values (<absent>, <h_in>, 'done', <kit>, now())"
)
_KEPT: Final = (
    "insert into fleet.idempotency (key, request_sha256, status, answer) values ({}, sha256('x'), 200, '{{}}')"
)

OTHER_TABLES: Final = Group(
    "E",
    "The history, remembered answers and the roster",
    controls=(
        answers("E80", KIT, "select count(*) from fleet.handoff_transition where handoff = <h_in>", 1, "kit reads a history"),
        blind("E81", KIT, _KEPT.format("'k2'"), "kit remembers an answer", rows=1),
        answers("E82", KIT, _KEPT.format("'k2'") + " returning principal", "<kit>", "under the verified name"),
    ),
    cases=(
        refused("E83", KIT, _STEP, "42501", "history is written by moves alone"),
        refused("E84", KIT, "update fleet.handoff_transition set reply = 'x' where handoff = <h_in>", "42501", "and never changed"),
        refused("E85", KIT, "delete from fleet.handoff_transition where handoff = <h_in>", "42501", "nor deleted"),
        refused("E86", KIT, "insert into fleet.idempotency (principal, key, request_sha256, status, answer)"
                " values (<zoe>, 'k', sha256('x'), 200, '{}')", "42501", "an answer put into another's mouth"),
        refused("E87", KIT, "update fleet.idempotency set answer = '{}' where key = 'k1'", "42501", "an answer never changes"),
        refused("E88", KIT, "delete from fleet.idempotency where key = 'k1'", "42501", "nor goes away"),
        refused("E89", KIT, _KEPT.format("'k3'") + " on conflict (principal, key) do update set answer = 'x'", "42501",
                "nor by way of a conflict"),
        refused("E90", KIT, _KEPT.format("''"), "23514", "an empty key"),
        refused("E91", KIT, "insert into fleet.idempotency (key, request_sha256, status, answer)"
                " values ('k', '\\x00', 200, '{}')", "23514", "a digest has 32 bytes"),
        refused("E91s", KIT, "insert into fleet.idempotency (key, request_sha256, status, answer)"
                " values ('k', sha256('x'), 500, '{}')", "23514", "an answer that no act gives"),
        refused("E91l", KIT, "insert into fleet.idempotency (key, request_sha256, status, answer)"
                " values ('k', sha256('x'), 200, repeat('x', 200000))", "23514", "an answer longer than any"),
        refused("E92", KIT, "update fleet.principal set reads = array[<board>] where name = <kit>", "42501", "no wider reach"),
        refused("E93", KIT, "update fleet.principal set active = true where name = <gone>", "42501", "no one comes back"),
        refused("E94", KIT, "update fleet.principal set suspended_at = null where name = <held>", "42501", "nor is let back in"),
        refused("E95", KIT, "update fleet.principal set description = 'trusted' where name = <kit>", "42501",
                "nor describes itself", Control(CHIEF, Refused(("42501",)))),
        refused("E96", KIT, "insert into fleet.principal (name, rol, reads) values ('kit2', 'agent', array[<board>])", "42501",
                "no new agent"),
        refused("E97", KIT, "delete from fleet.principal where name = <zoe>", "42501", "no agent less"),
        refused("E98", KIT, "insert into fleet.audience (name) values ('new')", "42501", "no new audience"),
        refused("E99", KIT, "update fleet.audience set description = 'x' where name = <hall>", "42501", "none changed"),
    ),
)  # fmt: skip

GROUPS: Final = (BEATS, LIMITS, HANDOFFS, OTHER_TABLES)
