"""F. Reading what is not yours, and oracles: what an error, a count or a plan could tell."""

from typing import Final

from fleetmem.admin.prove.case import (
    Allowed,
    Case,
    Control,
    Group,
    Refused,
    Rows,
    Value,
    answers,
    blind,
    open_to_all,
    refused,
)
from fleetmem.admin.prove.catalogue.people import CHIEF, KIT, LEE, MAX, SAGE, UNCLAIMED, ZOE

_COUNT: Final = "select count(*) from fleet.beat"
_ROSTER: Final = "select count(*) from fleet.principal where name in (<kit>, <zoe>, <gone>, <held>, <chief>, <sage>)"

HIDDEN: Final = Group(
    "F",
    "Records of others",
    controls=(
        answers("F00", KIT, _COUNT, 5, "kit sees its own and what it reads"),
        answers("F00z", ZOE, _COUNT, 6, "zoe sees its own and what it reads"),
        answers("F00h", KIT, "select count(*) from fleet.handoff", 5, "kit sees five handoffs"),
    ),
    cases=(
        answers("F01", KIT, _COUNT + " where id = <b_hidden>", 0, "another audience is invisible", Control(ZOE, Value(1))),
        answers("F01d", KIT, _COUNT + " where id = <b_zoe_drop>", 0, "to write an audience is not to read it",
                Control(ZOE, Value(1))),
        answers("F01o", ZOE, _COUNT + " where id = <b_drop>", 0, "nor the other way round", Control(KIT, Value(1))),
        answers("F01l", LEE, _COUNT, 0, "who reads nothing sees nothing", Control(KIT, Value(5))),
        answers("F02", KIT, "select count(*) from fleet.handoff where id = <h_hidden>", 0, "a handoff between two others",
                Control(MAX, Value(1))),
        answers("F02l", LEE, "select count(*) from fleet.handoff", 1, "who reads nothing sees what it was handed",
                Control(ZOE, Value(7))),
        answers("F03", KIT, "select count(*) from fleet.handoff_transition where handoff = <h_hidden>", 0,
                "nor the history of one", Control(ZOE, Value(1))),
        answers("F03a", LEE, "select count(*) from fleet.handoff_transition", 1, "only one's own", Control(ZOE, Value(10))),
        answers("F04", KIT, _ROSTER, 3, "colleagues: active agents, no operator, no auditor", Control(CHIEF, Value(6))),
        refused("F04r", KIT, "select reads from fleet.principal", "42501", "others' reach is not public"),
        refused("F04w", KIT, "select writes from fleet.principal where name = <kit>", "42501", "not even one's own, here"),
        refused("F04i", KIT, "select instructions from fleet.principal", "42501", "nor their instructions"),
        refused("F04s", KIT, "select * from fleet.principal", "42501", "nor the whole row"),
        answers("F05", KIT, "select count(*) from fleet.audience where name in (<hall>, <board>, <ops>, <drop>, <shut>)", 3,
                "an agent knows the audiences that it reads or writes", Control(CHIEF, Value(5))),
        answers("F06", KIT, "select count(*) from fleet.idempotency", 1, "one's own remembered answers", Control(ZOE, Value(1))),
        answers("F06z", KIT, "select count(*) from fleet.idempotency where key = 'z1'", 0, "no one else's",
                Control(ZOE, Value(1))),
        refused("F06r", KIT, "select request from fleet.beat", "42703", "no such column"),
        blind("F11", KIT, "copy fleet.beat (id, body) to stdout", "COPY obeys row security", Control(ZOE, Rows(6)), rows=5),
        blind("F11q", KIT, "copy (select id from fleet.beat where id = <b_hidden>) to stdout", "so does COPY of a query",
              Control(ZOE, Rows(1))),
        answers("F32", KIT, _COUNT + " tablesample system (100)", 5, "TABLESAMPLE obeys row security", Control(ZOE, Value(6))),
        answers("F33", KIT, "select count(*) from only fleet.beat", 5, "ONLY obeys row security", Control(ZOE, Value(6))),
        answers("F34", KIT, "select bool_and(b.id is null) from (values (<b_hidden>::uuid)) v (id) left join fleet.beat b"
                " on b.id = v.id", True, "an outer join shows absence", Control(ZOE, Value(False))),
        blind("F35", KIT, "declare c cursor for select id from fleet.beat where id = <b_hidden>; fetch all from c",
              "a cursor obeys row security", Control(ZOE, Rows(1))),
        answers("F38", KIT, "select count(*) from ts_rewrite('a'::tsquery, 'select ''a''::tsquery, ''b''::tsquery from fleet.beat"
                " where id = ' || quote_literal(<b_hidden>)) t where t = 'a'", 1, "a query inside a function is policed too",
                Control(ZOE, Value(0))),
        refused("F18", KIT, "select query_to_xml('select * from fleet.beat', true, false, '')", "42501", "EXECUTE is revoked", catalogue_right=True),
        refused("F18t", KIT, "select table_to_xml('fleet.beat', true, false, '')", "42501", "EXECUTE is revoked", catalogue_right=True),
        refused("F18s", KIT, "select schema_to_xml('fleet', true, false, '')", "42501", "EXECUTE is revoked", catalogue_right=True),
        refused("F18d", KIT, "select database_to_xml(true, false, '')", "42501", "EXECUTE is revoked", catalogue_right=True),
        refused("F19", KIT, "select * from ts_stat('select to_tsvector(body) from fleet.beat')", "42501", "EXECUTE is revoked", catalogue_right=True),
        refused("F36", KIT, "select api.beat_get(null, <b_hidden>)", "42501", "no door inside a transaction that has entered"),
        refused("F37", KIT, "select vault.x from vault.signing_key vault", "42501", "the vault is shut"),
    ),
)  # fmt: skip

ORACLES: Final = Group(
    "F",
    "Errors, locks and plans that could tell",
    controls=(answers("F40", ZOE, _COUNT + " where id = <b_hidden>", 1, "the row these aim at is there"),),
    cases=(
        answers("F07", KIT, _COUNT + " where 1 / (case id when <b_hidden> then 0 else 1 end) = 1", 5,
                "a division by zero on the hidden row does not happen", Control(ZOE, Refused(("22012",)))),
        refused("F08", KIT, _COUNT + " where body::int > 0", "22P02", "a cast fails, on a visible row"),
        answers("F09", KIT, _COUNT + " where id = <b_hidden> and body::int > 0", 0, "and not on a hidden one",
                Control(ZOE, Refused(("22P02",)))),
        answers("F09o", KIT, _COUNT + " where 1 / (length(body) - 18) > 5 or id = <b_hidden>", 0,
                "nor in a condition with OR", Control(ZOE, Refused(("22012",)))),
        answers("F09h", KIT, "select count(*) from fleet.handoff where 1 / (case id when <h_hidden> then 0 else 1 end) = 1", 5,
                "nor on a hidden handoff", Control(ZOE, Refused(("22012",)))),
        answers("F09r", KIT, "select count(*) from fleet.principal where 1 / (case name when <chief> then 0 else 1 end) = 1"
                " and name in (<kit>, <chief>)", 1, "nor on a hidden principal", Control(CHIEF, Refused(("22012",)),
                "select count(*) from fleet.principal where 1 / (case name when <chief> then 0 else 1 end) = 1")),
        refused("F12", KIT, "select ctid, xmin from fleet.beat", "42501", "system columns are in no column grant"),
        refused("F12t", KIT, "select tableoid from fleet.handoff", "42501", "system columns are in no column grant"),
        refused("F15", KIT, "select name from fleet.audience for update", "42501", "locks need a right to change",
                Control(KIT, Rows(3), "select name from fleet.audience")),
        refused("F15s", KIT, "select name from fleet.principal for share", "42501", "and so do shared ones"),
        blind("F16", KIT, "select id from fleet.handoff where id = <h_hidden> for update", "no lock on what one cannot see",
              Control(ZOE, Rows(1))),
        blind("F16s", KIT, "select id from fleet.handoff where id = <h_seen> for update", "nor on what one only reads",
              Control(ZOE, Rows(1))),
        blind("F16b", KIT, "select id from fleet.beat where id = <b_zoe> for update", "nor on another's beat",
              Control(ZOE, Rows(1))),
        refused("F26", KIT, "insert into fleet.idempotency (key, request_sha256, status, answer)"
                " values ('k1', sha256('x'), 200, '{}')", "23505", "one's own key is taken"),
        blind("F27", KIT, "insert into fleet.idempotency (key, request_sha256, status, answer)"
              " values ('z1', sha256('x'), 200, '{}')", "zoe's key is free: a key belongs to who sent it",
              Control(ZOE, Refused(("23505",))), rows=1),
        blind("F27c", KIT, "insert into fleet.idempotency (key, request_sha256, status, answer)"
              " values ('z1', sha256('x'), 200, '{}') on conflict do nothing", "and no conflict shows it",
              Control(ZOE, Rows(0)), rows=1),
        blind("F27t", MAX, "insert into fleet.beat (topic, body, audience) values ('the hidden topic', 'x', <hall>)",
              "another's topic is free: one live beat an author and topic", rows=1),
        refused("F29", KIT, "insert into fleet.beat (topic, body, audience) values ('t', repeat('x', 9000), <hall>)", "23514",
                "a failing check does not print the row (X26)"),
        answers("F30", KIT, "update fleet.handoff set status = 'accepted' where id = <h_in> returning"
                " (select count(*) from fleet.beat)", 5, "a sub-select in RETURNING is policed"),
        answers("F23", KIT, "select count(*) from pg_stats where schemaname in ('fleet', 'vault', 'fence')"
                " and tablename <> 'casefold'", 0, "pg_stats hides a table with row security"),
        answers("F23x", KIT, "select count(*) from pg_stats_ext where schemaname = 'fleet'", 0, "and so does pg_stats_ext"),
        refused("F23r", KIT, "select stavalues1 from pg_statistic", "42501", "and the table behind it is shut"),
        refused("F25", KIT, "select data from pg_largeobject", "42501", "no large object"),
        answers("F41", KIT, "select count(*) from pg_stat_activity where usename <> 'fleetmem_gateway' and query <> ''"
                " and query not like '<insufficient privilege>'", 0, "another login's statements are hidden"),
        refused("F42", KIT, "select * from pg_locks", "42501",
                "the locks of a publisher in flight are hashes of its name and topic", catalogue_right=True),
        answers("F43", LEE, "select count(*) from fleet.handoff where recipient = <kit> or sender = <kit>", 0,
                "a party's column tells nobody else", Control(KIT, Value(4))),
    ),
)  # fmt: skip

PRIVILEGES: Final = Group(
    "F",
    "What the catalogue and a plan say to anyone",
    controls=(answers("F50", KIT, "select has_column_privilege('fleet.beat', 'body', 'select')", True, "kit may read a body"),),
    cases=(
        answers("F51", KIT, "select bool_or(has_table_privilege(t, p)) from unnest(array['fleet.audience', 'fleet.principal',"
                " 'fleet.beat', 'fleet.handoff', 'fleet.handoff_transition', 'fleet.idempotency']) t,"
                " unnest(array['delete', 'truncate', 'references', 'trigger']) p", False,
                "no DELETE, TRUNCATE, REFERENCES, TRIGGER"),
        Case(id="F52", who=KIT, statement="select bool_or(has_table_privilege(t, 'maintain')) from"
             " unnest(array['fleet.beat', 'fleet.handoff', 'fleet.principal']) t", expects=Value(False), since=17,
             why="no MAINTAIN"),
        answers("F53", SAGE, "select has_table_privilege('fleet.beat', 'select')"
                " or has_column_privilege('fleet.handoff', 'request', 'select')", False, "the console reads no text"),
        open_to_all("F60", UNCLAIMED, "select reltuples, pg_relation_size(oid) from pg_class where relname = 'beat'",
                    "totals are anyone's who may connect: how much is stored, not what"),
        open_to_all("F61", UNCLAIMED, "select n_tup_ins from pg_stat_user_tables where relname = 'beat'",
                    "totals are anyone's who may connect: how much is written, not by whom"),
        open_to_all("F62", UNCLAIMED, "select prosrc from pg_proc where proname = '_who'",
                    "sources and policies are anyone's who may connect; they hold no secret (I06)"),
        open_to_all("F63", UNCLAIMED, "explain select 1 from fleet.beat where created_at > now() - interval '1 hour'",
                    "a plan's estimates are made of a table's size alone, which is anyone's (F60, X15)"),
        open_to_all("F66", UNCLAIMED, "explain (analyze, timing off) select 1 from fleet.beat where topic_key = 'the hidden topic'",
                    "without a claim no row is read, but the plan of an indexed equality counts the rows that the policy removed:"
                    " how many a topic, author, audience or recipient has, not what is in them"),
        open_to_all("F67", UNCLAIMED, "select count(*) from fleet.beat where audience = <board>;"
                    " select idx_tup_fetch from pg_stat_xact_user_tables where relname = 'beat'",
                    "a session's own counters tell the same as F66"),
        open_to_all("F64", KIT, "select count(*) from generate_series(1, 100000)",
                    "a heavy query: the login's statement_timeout bounds it, and a login may change its own"),
        Case(id="F65", who=KIT, statement="select count(*) from fleet.beat where id < 'ffffffff-ffff-ffff-ffff-ffffffffffff'",
             expects=Allowed(), why="", limit="with a claim and raw SQL, time still tells a hidden id from an absent one, by"
             " less than 0.1 ms; nobody but the gateway holds both"),
    ),
)  # fmt: skip

_TEXT: Final = "select count(*) from fleet.handoff where request is not null"

CONSOLE: Final = Group(
    "F",
    "What operators and auditors do not read",
    controls=(
        answers("F70", CHIEF, "select count(*) from fleet.handoff where id in (<h_in>, <h_hidden>)", 2, "that work is late"),
        answers("F70s", SAGE, "select count(*) from fleet.handoff where id in (<h_in>, <h_hidden>)", 2, "an auditor too"),
    ),
    cases=(
        refused("F71", CHIEF, _TEXT, "42501", "not what it is", Control(KIT, Value(5))),
        refused("F72", SAGE, _TEXT, "42501", "nor an auditor at the console", Control(KIT, Value(5))),
        refused("F73", CHIEF, "select reply from fleet.handoff", "42501", "nor a reply"),
        refused("F74", CHIEF, "select h from fleet.handoff h", "42501", "nor the whole row"),
        refused("F75", CHIEF, "select id from fleet.beat", "42501", "nor a beat"),
        refused("F76", CHIEF, "select handoff from fleet.handoff_transition", "42501", "nor a history"),
        answers("F77", CHIEF, "select count(*) from fleet.idempotency where principal in (<kit>, <zoe>)", 0,
                "nor anybody's remembered answers", Control(KIT, Value(1))),
    ),
)  # fmt: skip

GROUPS: Final = (HIDDEN, ORACLES, PRIVILEGES, CONSOLE)
