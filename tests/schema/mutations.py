"""Ways to change a fence by hand: what is done, the kind of row it must be found as, and the words that name it.

Everything here can be rolled back, so a test does it, looks, and undoes it. `{database}` is the database's name.
"""

from typing import Final, NamedTuple


class Mutation(NamedTuple):
    """`sql` is done to a sound fence; a finding of `kind` must then name `names` and say that it `opens` something."""

    sql: str
    kind: str
    names: str
    opens: str = ""


MUTATIONS: Final = (
    # Policies and row security
    Mutation(
        "alter policy agent_reads on fleet.beat using (true)", "policy", "agent_reads on fleet.beat", "which rows"
    ),
    Mutation("alter policy agent_publishes on fleet.beat with check (true)", "policy", "agent_publishes on fleet.beat"),
    Mutation("alter policy auditor_reads on fleet.beat to public", "policy", "auditor_reads on fleet.beat"),
    Mutation("drop policy agent_reads on fleet.handoff", "policy", "agent_reads on fleet.handoff is gone"),
    Mutation(
        "create policy mine on fleet.handoff for select to fleetmem_agent using (true)",
        "policy",
        "mine on fleet.handoff",
    ),
    Mutation("alter policy agent_reads on fleet.principal rename to harmless", "policy", "harmless on fleet.principal"),
    Mutation(
        "create policy slow on fleet.beat for select to fleetmem_agent using (audience = any (fence.read_set()))",
        "policy_calls_wrapped",
        "fleet.beat slow",
    ),
    Mutation(
        "alter table fleet.beat no force row level security", "row security", "fleet.beat", "policies do not bind"
    ),
    Mutation("alter table fleet.handoff disable row level security", "row security", "fleet.handoff"),
    Mutation("alter table fleet.handoff disable row level security", "row_security", "fleet.handoff"),
    # Rights
    Mutation(
        "grant select on fleet.beat to public", "relation privilege", "PUBLIC may SELECT on fleet.beat", "anyone with a"
    ),
    Mutation("grant select on fleet.beat to fleetmem_gateway", "relation privilege", "fleetmem_gateway may SELECT"),
    Mutation(
        "grant delete on fleet.handoff to fleetmem_agent", "relation privilege", "fleetmem_agent may DELETE", "deleted"
    ),
    Mutation("grant delete on fleet.handoff to fleetmem_agent", "no_delete", "fleet.handoff fleetmem_agent DELETE"),
    Mutation("grant truncate on fleet.beat to fleetmem_scribe", "relation privilege", "may TRUNCATE on fleet.beat"),
    Mutation("grant references on fleet.beat to fleetmem_agent", "relation privilege", "may REFERENCES on fleet.beat"),
    Mutation("grant trigger on fleet.beat to fleetmem_agent", "relation privilege", "may TRIGGER on fleet.beat"),
    Mutation(
        "grant select on fleet.audience to fleetmem_auditor with grant option", "relation privilege", "may grant it on"
    ),
    Mutation(
        "revoke select on fleet.beat from fleetmem_auditor",
        "relation privilege",
        "fleetmem_auditor may no longer SELECT",
    ),
    Mutation(
        "grant update (author) on fleet.beat to fleetmem_agent", "column privilege", "fleet.beat.author", "rewritten"
    ),
    Mutation(
        "grant insert (author) on fleet.beat to fleetmem_agent", "column privilege", "fleet.beat.author", "forged"
    ),
    Mutation("grant select (reads) on fleet.principal to fleetmem_agent", "column privilege", "fleet.principal.reads"),
    Mutation(
        "grant select (request) on fleet.handoff to fleetmem_operator", "column privilege", "fleet.handoff.request"
    ),
    Mutation("revoke select (body) on fleet.beat from fleetmem_agent", "column privilege", "may no longer SELECT"),
    Mutation("grant select on vault.signing_key to fleetmem_gateway", "relation privilege", "vault.signing_key"),
    Mutation("grant select on vault.bearer to fleetmem_auditor", "vault_closed", "vault.bearer fleetmem_auditor"),
    Mutation("grant usage on schema vault to fleetmem_agent", "schema privilege", "fleetmem_agent may USAGE on vault"),
    Mutation("grant create on schema public to public", "schema privilege", "PUBLIC may CREATE on public", "planted"),
    Mutation(
        "grant create on schema fence to fleetmem_agent", "schema privilege", "fleetmem_agent may CREATE on fence"
    ),
    Mutation(
        "grant temporary on database {database} to public", "database privilege", "PUBLIC may TEMPORARY", "stand in"
    ),
    Mutation("grant connect on database {database} to public", "database privilege", "PUBLIC may CONNECT", "sessions"),
    Mutation(
        "grant create on database {database} to fleetmem_gateway", "database privilege", "fleetmem_gateway may CREATE"
    ),
    Mutation(
        "grant execute on function api.me(text) to public", "function privilege", "PUBLIC may EXECUTE on api.me(text)"
    ),
    Mutation("grant execute on function api.me(text) to public", "functions_of_public", "api.me(text)"),
    Mutation("grant execute on function fence._who(text) to fleetmem_agent", "function privilege", "fence._who(text)"),
    Mutation(
        "revoke execute on function api.me(text) from fleetmem_gateway", "function privilege", "may no longer EXECUTE"
    ),
    Mutation(
        "alter default privileges for role fleetmem_owner grant execute on functions to public",
        "default privilege",
        "what fleetmem_owner makes: functions",
        "next function",
    ),
    Mutation(
        "alter default privileges for role fleetmem_owner in schema fleet grant select on tables to public",
        "default privilege",
        "what fleetmem_owner makes in fleet: tables",
    ),
    Mutation("grant usage on language plpgsql to public", "language privilege", "PUBLIC may USAGE on plpgsql"),
    Mutation("grant usage on language sql to fleetmem_agent", "language privilege", "fleetmem_agent may USAGE on sql"),
    Mutation(
        "grant execute on function pg_sleep(double precision) to public",
        "catalogue function closed to PUBLIC",
        "pg_sleep",
    ),
    Mutation(
        "grant execute on function pg_notify(text, text) to fleetmem_agent", "catalogue function privilege", "pg_notify"
    ),
    Mutation(
        "alter function texteq(text, text) leakproof; alter function text_lt(text, text) leakproof",
        "catalogue function leakproof",
        "text_lt(text,text)",
        "timing",
    ),
    Mutation("alter function textlike(text, text) leakproof", "catalogue function leakproof", "textlike(text,text)"),
    Mutation("grant select on pg_catalog.pg_authid to public", "catalogue privilege", "PUBLIC may SELECT on pg_authid"),
    Mutation("alter function pg_catalog.sha256(bytea) security definer", "catalogue functions", "all of pg_catalog"),
    # Triggers
    Mutation(
        "alter table fleet.beat disable trigger a_stamp",
        "trigger state",
        "a_stamp on fleet.beat is `disabled`",
        "forged",
    ),
    Mutation("alter table fleet.beat disable trigger a_stamp", "triggers_enabled", "fleet.beat a_stamp"),
    Mutation(
        "alter table fleet.beat enable trigger z_never", "trigger state", "z_never on fleet.beat is `enabled`, declared"
    ),
    Mutation("alter table fleet.handoff enable replica trigger z_never", "trigger state", "on replicas only"),
    Mutation("drop trigger z_never_edit on fleet.beat", "trigger", "z_never_edit on fleet.beat is gone"),
    Mutation(
        "drop trigger a_stamp on fleet.handoff; create trigger a_stamp before insert on fleet.handoff"
        " for each row when (new.status is null) execute function fence.handoff_stamp()",
        "trigger",
        "a_stamp on fleet.handoff",
    ),
    Mutation("alter table fleet.beat disable trigger all", "foreign key trigger", "beat_author_fkey on fleet.beat"),
    # Functions
    Mutation("alter function fence.read_set() owner to fleetmem_owner", "function owner", "fence.read_set()", "rights"),
    Mutation(
        "alter function fence.write_set() security invoker", "function security", "fence.write_set() is `invoker`"
    ),
    Mutation("alter function api.me(text) security definer", "function security", "api.me(text) is `definer`"),
    Mutation("alter function api.me(text) security definer", "definer_paths", "api.me(text)"),
    Mutation(
        "alter function fence._who(text) reset search_path", "function setting", "fence._who(text) no longer runs under"
    ),
    Mutation(
        "alter function fence._who(text) set search_path = public, pg_catalog", "function setting", "search_path=public"
    ),
    Mutation("alter function fence.read_set() leakproof", "function leakproof", "fence.read_set() is `leakproof`"),
    Mutation("alter function fence.read_set() immutable", "function volatility", "fence.read_set() is `immutable`"),
    Mutation("alter function fence._who(text) strict", "function strictness", "fence._who(text)"),
    Mutation("alter function fence.require(text) parallel safe", "function parallel", "fence.require(text)"),
    Mutation(
        "create or replace function fence.never() returns trigger language plpgsql set search_path = pg_catalog, pg_temp"
        " as 'begin return null; end'",
        "function body",
        "fence.never()",
        "other rules",
    ),
    Mutation("create function fence.mine() returns text language sql as 'select 1::text'", "function", "fence.mine()"),
    Mutation(
        "create function public.mine() returns text language sql security definer as 'select 1::text'",
        "function security",
        "public.mine()",
    ),
    Mutation("drop function api.ready()", "function", "api.ready() is gone"),
    *(
        Mutation(
            f"create function {schema}.loot() returns setof fleet.beat language sql security definer"
            f" as 'select * from fleet.beat'; grant usage on schema {schema} to public;"
            f" grant execute on function {schema}.loot() to public",
            kind,
            names,
            opens,
        )
        for schema in ("information_schema", "pg_catalog", "pg_toast")
        for kind, names, opens in (
            ("function", "loot()", "reviewed"),
            ("function privilege", "PUBLIC may EXECUTE on", "anyone"),
            ("definers_elsewhere", "loot()", "owner's rights"),
        )
    ),
    Mutation(
        "create function api.loot() returns setof fleet.beat language sql security definer as 'select * from fleet.beat';"
        " alter extension plpgsql add function api.loot()",
        "function security",
        "api.loot() is `definer`",
    ),
    Mutation(
        "create view api.loot as select * from fleet.beat; alter extension plpgsql add view api.loot",
        "relation",
        "api.loot",
    ),
    Mutation("create view information_schema.loot as select * from fleet.beat", "relation", "information_schema.loot"),
    Mutation(
        "create or replace function information_schema._pg_truetypid(pg_attribute, pg_type) returns oid language sql"
        " immutable return 0::oid",
        "catalogue functions",
        "all of information_schema",
    ),
    # Tables, columns, views, indexes, constraints
    Mutation("alter table fleet.beat owner to fleetmem_agent", "relation owner", "fleet.beat is `fleetmem_agent`"),
    Mutation("alter schema fleet owner to fleetmem_agent", "schema owner", "fleet is `fleetmem_agent`"),
    Mutation("create schema side", "schema", "schema side is not declared"),
    Mutation("create table public.loot as select * from fleet.beat", "relation", "public.loot"),
    Mutation("alter table fleet.idempotency set unlogged", "relation persistence", "fleet.idempotency"),
    Mutation("alter table fleet.beat replica identity full", "replica identity", "fleet.beat"),
    Mutation("create view fleet.everything as select * from fleet.beat", "views_of_invokers", "fleet.everything"),
    Mutation("create view fleet.everything as select * from fleet.beat", "relation", "fleet.everything"),
    Mutation("create materialized view fleet.kept as select * from fleet.beat", "views_of_invokers", "fleet.kept"),
    Mutation("create table fleet.child () inherits (fleet.beat)", "inheritance", "fleet.child of fleet.beat", "child"),
    Mutation(
        "create table fleet.part (like fleet.beat) partition by list (audience);"
        " create table fleet.part_open partition of fleet.part for values in ('open');"
        " grant select on fleet.part_open to fleetmem_agent",
        "inheritance",
        "fleet.part_open of fleet.part",
    ),
    Mutation("create table fleet.bare (id uuid)", "row_security", "fleet.bare"),
    Mutation("alter table fleet.beat add column note text", "column", "fleet.beat.note"),
    Mutation("alter table fleet.beat alter created_at set default now()", "column", "fleet.beat.created_at"),
    Mutation("alter table fleet.beat alter author drop not null", "column", "fleet.beat.author"),
    Mutation("alter table fleet.beat alter body set statistics 100", "column statistics", "fleet.beat.body", "EXPLAIN"),
    Mutation("alter table fleet.beat alter body set (n_distinct = 7)", "column option", "fleet.beat.body"),
    Mutation(
        "alter table fleet.audience alter name set statistics 100; insert into fleet.audience (name) values ('ab'), ('cd');"
        " alter table fleet.handoff alter sender set statistics 100; alter table fleet.beat disable trigger all;"
        " insert into fleet.beat (id, author, topic, topic_key, body, audience, created_at, expires_at)"
        " values (gen_random_uuid(), 'x', 't', 't', 'b', 'ab', now(), now() + interval '1 day');"
        " alter table fleet.beat alter body set statistics 100; analyze fleet.beat",
        "statistics_kept",
        "fleet.beat.body",
        "planner",
    ),
    *(
        Mutation(
            f"alter table fleet.{table} alter {column} set statistics 100; alter table fleet.{table} disable trigger all;"
            f" insert into fleet.{table} values ({values}); analyze fleet.{table} ({column})",
            "statistics_kept",
            f"fleet.{table}.{column}",
        )
        for table, column, values in (
            ("handoff_transition", "to_status", "gen_random_uuid(), gen_random_uuid(), null, 'open', 'x', now(), null"),
            ("idempotency", "created_at", "'x', 'k', sha256(''), 200, '{}', now()"),
        )
    ),
    Mutation(
        "alter table vault.bearer alter principal set statistics 100; insert into vault.bearer"
        " values ('b', sha256(''), 'x', '', now(), 'infinity', null); analyze vault.bearer (principal)",
        "statistics_kept",
        "vault.bearer.principal",
    ),
    Mutation(
        "create statistics fleet.pairs on author, audience from fleet.beat",
        "extended statistics",
        "pairs on fleet.beat",
    ),
    Mutation("drop index fleet.beat_one_live", "index", "fleet.beat_one_live is gone"),
    Mutation("create index probe on fleet.beat (body text_pattern_ops)", "index", "fleet.probe"),
    Mutation(
        "alter table fleet.beat drop constraint beat_expires_range", "constraint", "beat_expires_range on fleet.beat"
    ),
    Mutation("alter table fleet.beat drop constraint beat_author_fkey", "constraint", "beat_author_fkey on fleet.beat"),
    Mutation(
        "alter table fleet.beat drop constraint beat_body_length; alter table fleet.beat add constraint beat_body_length"
        " check (length(body) < 9999999) not valid",
        "constraint",
        "beat_body_length on fleet.beat",
    ),
    Mutation("create rule hidden as on insert to fleet.beat do instead nothing", "rule", "hidden on fleet.beat"),
    Mutation("create type public.mood as enum ('good')", "type", "public.mood"),
    Mutation("create operator public.=== (leftarg = text, rightarg = text, function = texteq)", "operator", "==="),
    Mutation("create cast (text as uuid) with inout as implicit", "cast", "text as uuid"),
    Mutation('create collation public.mine from "C"', "collation", "mine"),
    # Roles: the server's, and changed here inside a transaction that no other session sees
    Mutation("alter role fleetmem_agent bypassrls", "role attribute", "fleetmem_agent has BYPASSRLS", "row security"),
    Mutation("alter role fleetmem_agent bypassrls", "role_attributes", "fleetmem_agent"),
    Mutation("alter role fleetmem_gateway superuser", "role attribute", "fleetmem_gateway has SUPERUSER"),
    Mutation("alter role fleetmem_gateway inherit", "role attribute", "fleetmem_gateway has INHERIT"),
    Mutation("alter role fleetmem_console createrole", "role attribute", "fleetmem_console has CREATEROLE"),
    Mutation("alter role fleetmem_auditor replication", "role attribute", "fleetmem_auditor has REPLICATION"),
    Mutation("alter role fleetmem_owner login", "role attribute", "fleetmem_owner has LOGIN"),
    Mutation("alter role fleetmem_gateway nologin", "role attribute", "fleetmem_gateway lost LOGIN"),
    Mutation("alter role fleetmem_gateway connection limit 1", "role limits", "fleetmem_gateway"),
    Mutation("alter role fleetmem_gateway valid until '2031-01-01'", "role limits", "fleetmem_gateway"),
    Mutation(
        "grant fleetmem_owner to fleetmem_gateway", "membership", "fleetmem_gateway in fleetmem_owner", "every right"
    ),
    Mutation("grant fleetmem_operator to fleetmem_gateway", "memberships", "fleetmem_gateway is a member of"),
    Mutation("grant fleetmem_agent to fleetmem_gateway with admin option", "membership", "may admit others"),
    Mutation("grant fleetmem_agent to fleetmem_gateway with inherit true", "membership", "inherits"),
    Mutation("revoke fleetmem_agent from fleetmem_gateway", "membership", "fleetmem_gateway in fleetmem_agent is gone"),
    Mutation("grant pg_read_all_data to fleetmem_agent", "membership", "fleetmem_agent in pg_read_all_data"),
    Mutation("create role fleetmem_extra login", "role", "fleetmem_extra"),
    Mutation(
        "create role intruder login; grant fleetmem_agent to intruder", "membership", "intruder in fleetmem_agent"
    ),
    Mutation("create role intruder login bypassrls", "powerful_roles", "intruder BYPASSRLS", "steps over"),
    Mutation("create role intruder; grant pg_read_all_data to intruder", "server_files", "intruder is a member of"),
    Mutation(
        "create role between; create role intruder login; grant pg_read_all_data to between; grant between to intruder",
        "server_files",
        "intruder is a member of pg_read_all_data",
    ),
    Mutation(
        "create role intruder login; do $$ begin execute format('grant %I to intruder', session_user); end $$",
        "members_of_powers",
        "intruder is a member of",
        "SET ROLE",
    ),
    Mutation(
        "create role root superuser; create role between; create role intruder login; grant root to between;"
        " grant between to intruder",
        "members_of_powers",
        "intruder is a member of root",
    ),
    Mutation(
        "grant set on parameter session_replication_role to fleetmem_gateway",
        "parameter privilege",
        "fleetmem_gateway may SET on session_replication_role",
        "triggers",
    ),
    Mutation(
        "grant alter system on parameter log_statement to public",
        "parameter privilege",
        "PUBLIC may ALTER SYSTEM on log_statement",
        "anyone with a login: the server's configuration",
    ),
    Mutation("alter role fleetmem_gateway set row_security = off", "role setting", "row_security=off"),
    Mutation("alter role fleetmem_gateway set search_path = public", "role setting", "search_path=public"),
    Mutation(
        "alter role fleetmem_gateway reset log_parameter_max_length", "role setting", "log_parameter_max_length=0"
    ),
    Mutation("alter role all set log_statement = 'all'", "role setting", "every role"),
    Mutation("alter database {database} set session_replication_role = replica", "role setting", "in this database"),
    # The database, and ways out of it
    Mutation("alter database {database} owner to fleetmem_gateway", "database owner", "fleetmem_gateway"),
    Mutation("alter database {database} is_template true", "database template", "this database"),
    Mutation("alter database {database} connection limit 3", "database limits", "this database"),
    Mutation("create publication leak for table fleet.beat", "publication", "leak", "another server"),
    Mutation("create publication leak for all tables", "publication", "leak"),
    Mutation(
        "create subscription feed connection 'host=nowhere' publication x with (connect = false, enabled = false,"
        " slot_name = none)",
        "subscription",
        "feed",
    ),
    Mutation(
        "create foreign data wrapper far; create server elsewhere foreign data wrapper far;"
        " create user mapping for public server elsewhere",
        "foreign server",
        "elsewhere",
    ),
    Mutation(
        "create foreign data wrapper far; create server elsewhere foreign data wrapper far;"
        " create user mapping for public server elsewhere",
        "user mapping",
        "PUBLIC at elsewhere",
    ),
    Mutation(
        "create function public.on_ddl() returns event_trigger language plpgsql as 'begin end';"
        " create event trigger watch on ddl_command_end execute function public.on_ddl()",
        "event trigger",
        "watch",
    ),
    Mutation("create foreign data wrapper far", "foreign data wrapper", "far"),
    Mutation("create language plother handler plpgsql_call_handler", "language", "plother"),
    Mutation("revoke usage on type fleet.beat from public", "type privilege", "fleet.beat"),
    Mutation(
        "alter table fleet.beat set (fillfactor = 50)", "relation option", "fleet.beat has the option fillfactor=50"
    ),
    Mutation(
        "drop function api.ready(); create function api.ready() returns integer language sql as 'select 1'",
        "function result",
        "api.ready()",
    ),
    Mutation(
        "set local allow_system_table_mods = on;"
        " create or replace view pg_catalog.pg_cursors as select * from pg_cursor() as another",
        "catalogue views",
        "all of pg_catalog",
    ),
    Mutation("select lo_create(4711)", "large object", "4711"),
    Mutation("create text search configuration public.mine (copy = simple)", "text search configuration", "mine"),
    Mutation("delete from fence.casefold where from_char = 'Ä'", "casefold", "fence.casefold", "two live beats"),
    Mutation(
        "update fence.applied set sha256 = 'f' where file = '30_beats.sql'", "applied policy file", "30_beats.sql"
    ),
    Mutation("update fence.migration set version_num = '0000'", "migration", "0000"),
    # Memory: its tables, its rules and its login
    Mutation("alter policy worker_grants on fleet.note using (true)", "policy", "worker_grants on fleet.note"),
    Mutation("alter policy agent_reads on fleet.message using (true)", "policy", "agent_reads on fleet.message"),
    Mutation("create policy mine on fleet.note for select to fleetmem_agent using (true)", "policy", "mine on fleet.note"),
    Mutation("alter table fleet.ledger no force row level security", "row security", "fleet.ledger"),
    Mutation("alter table fleet.landing disable row level security", "row_security", "fleet.landing"),
    Mutation("grant select on fleet.note to fleetmem_agent", "relation privilege", "may SELECT on fleet.note"),
    Mutation("grant update on fleet.ledger to fleetmem_scribe", "relation privilege", "may UPDATE on fleet.ledger"),
    Mutation("grant select on fleet.beat to fleetmem_worker", "relation privilege", "fleetmem_worker may SELECT"),
    Mutation("grant update (audiences) on fleet.note to fleetmem_worker", "column privilege", "UPDATE on fleet.note.audiences"),
    Mutation("grant insert (team) on fleet.note to fleetmem_worker", "column privilege", "fleet.note.team", "forged"),
    Mutation("alter table fleet.ledger disable trigger z_never", "trigger state", "z_never on fleet.ledger"),
    Mutation("alter table fleet.note_recipient disable trigger a_may_receive", "trigger state", "a_may_receive"),
    Mutation("drop trigger c_tell on fleet.note", "trigger", "c_tell on fleet.note"),
    Mutation("drop trigger w_reach on fleet.principal", "trigger", "w_reach on fleet.principal"),
    Mutation("alter table fleet.note drop constraint note_decided", "constraint", "note_decided on fleet.note"),
    Mutation("drop index fleet.landing_current", "index", "fleet.landing_current"),
    Mutation(
        "create or replace function fence.may_receive(p_note uuid, p_agent text) returns text language sql stable"
        " security definer set search_path = pg_catalog, pg_temp return null",
        "function body",
        "fence.may_receive(uuid,text)",
        "other rules",
    ),
    Mutation("grant execute on function fence.tell(text, uuid, text, text, jsonb) to fleetmem_worker", "function privilege",
             "fleetmem_worker may EXECUTE on fence.tell"),
    Mutation("alter role fleetmem_worker bypassrls", "role attribute", "fleetmem_worker has BYPASSRLS"),
    Mutation("grant fleetmem_operator to fleetmem_worker", "membership", "fleetmem_worker in fleetmem_operator"),
    Mutation("alter role fleetmem_worker reset statement_timeout", "role setting", "fleetmem_worker no longer"),
    Mutation("alter table fleet.memory_rule disable trigger all; delete from fleet.memory_rule", "memory_rule",
             "fleet.memory_rule holds 0 rows", "nothing says"),
    Mutation(
        "set local session_replication_role = replica;"
        " alter index fleet.run_attempt alter column 3 set statistics 100;"
        " insert into fleet.run (id, task, team, agent, audience, attempt, node, instruction, status, started_at)"
        " values (gen_random_uuid(), gen_random_uuid(), 'x', 'x', 'ab', 1, 'n', '', 'running', now()); analyze fleet.run",
        "statistics_kept",
        "fleet.run_attempt",
        "planner",
    ),
    # The queue
    Mutation("grant usage on schema queue to fleetmem_gateway", "schema privilege", "fleetmem_gateway may USAGE on queue"),
    Mutation("alter schema queue owner to {owner}", "schema owner", "queue"),
    Mutation("grant select on queue.procrastinate_jobs to fleetmem_gateway", "relation privilege",
             "fleetmem_gateway may SELECT on queue.procrastinate_jobs"),
    Mutation("grant insert on queue.procrastinate_jobs to fleetmem_agent", "queue_closed", "queue.procrastinate_jobs fleetmem_agent"),
    Mutation("grant usage on sequence queue.procrastinate_jobs_id_seq to public", "relation privilege",
             "PUBLIC may USAGE on queue.procrastinate_jobs_id_seq"),
    Mutation("grant delete on queue.procrastinate_jobs to fleetmem_scribe", "queue_closed", "fleetmem_scribe DELETE"),
    Mutation("alter table queue.procrastinate_jobs owner to fleetmem_worker", "relation owner", "queue.procrastinate_jobs"),
    Mutation("alter table queue.procrastinate_jobs disable trigger procrastinate_trigger_delete_jobs_v1", "trigger state",
             "procrastinate_trigger_delete_jobs_v1 on queue.procrastinate_jobs"),
    Mutation("create trigger mine before insert on queue.procrastinate_jobs for each row"
             " execute function queue.procrastinate_unlink_periodic_defers_v1()", "trigger", "mine on queue.procrastinate_jobs"),
    Mutation("drop index queue.procrastinate_jobs_queueing_lock_idx_v1", "index", "queue.procrastinate_jobs_queueing_lock_idx_v1"),
    Mutation("alter function queue.procrastinate_prune_stalled_workers_v1(double precision) reset search_path",
             "function setting", "procrastinate_prune_stalled_workers_v1"),
    Mutation("alter function queue.procrastinate_prune_stalled_workers_v1(double precision) reset search_path",
             "queue_paths", "procrastinate_prune_stalled_workers_v1"),
    Mutation("alter function queue.procrastinate_prune_stalled_workers_v1(double precision) security definer",
             "function security", "procrastinate_prune_stalled_workers_v1"),
    Mutation("alter function queue.procrastinate_unregister_worker_v1(bigint) security definer", "definers_elsewhere",
             "procrastinate_unregister_worker_v1"),
    Mutation("grant execute on function queue.procrastinate_unregister_worker_v1(bigint) to public", "function privilege",
             "PUBLIC may EXECUTE on queue.procrastinate_unregister_worker_v1"),
    Mutation("create or replace function queue.procrastinate_unregister_worker_v1(worker_id bigint) returns void language sql"
             " as 'delete from queue.procrastinate_workers'", "function body", "procrastinate_unregister_worker_v1"),
    Mutation("alter type queue.procrastinate_job_to_defer_v1 owner to {owner}", "type", "queue.procrastinate_job_to_defer_v1"),
    Mutation("create table queue.mine (a text)", "relation", "queue.mine"),
)  # fmt: skip
