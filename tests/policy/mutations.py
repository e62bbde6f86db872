"""Ways to weaken a fence: each is one change, and names the cases that must see it.

`caught_by` are ids of verdicts, or how they begin; each must fail. Only the sections that they belong to are tried.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import psycopg

from fleetmem.admin.prove.verdict import Verdict

Change = str | Callable[[psycopg.Connection[tuple[object, ...]]], None]


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change, and what sees it. `undo` puts back what belongs to the whole server; `since` is a major version."""

    name: str
    change: Change
    caught_by: tuple[str, ...]
    undo: str = ""
    since: int = 15

    @property
    def sections(self) -> str:
        """The sections of the catalogue that see it."""
        return "".join(sorted({each[0] for each in self.caught_by}))

    def unseen_by(self, failed: Iterable[Verdict]) -> list[str]:
        """Which of the cases that must see it did not. `AF:x` is the forged claim x."""
        told = list(failed)
        return [each for each in self.caught_by if not any(_is(verdict, each) for verdict in told)]


def _is(verdict: Verdict, case: str) -> bool:
    kind, _, claim = case.partition(":")
    if kind == "AF":
        return verdict.id.startswith("AF") and verdict.who.endswith(f", claim of {claim}")
    return verdict.id.startswith(case)


def rewritten(routine: str, old: str, new: str) -> Change:
    """Replace a part of a function's body, which must be there."""

    def change(owner: psycopg.Connection[tuple[object, ...]]) -> None:
        row = owner.execute("select pg_get_functiondef(%s::regprocedure)", [routine]).fetchone()
        source = str(row[0]) if row else ""
        assert source.count(old) == 1, f"{routine} does not hold {old!r} once"
        owner.execute(source.replace(old, new).encode())

    return change


def who(old: str, new: str = "true") -> Change:
    """Leave out one thing that the verification of a claim asks for."""
    return rewritten("fence._who(text)", old, new)


POLICIES: Final = (
    Mutation("beats are read by all", "alter policy agent_reads on fleet.beat using (true)", ("F01", "F01d", "AF:no claim", "A69")),
    Mutation("beats are read by who writes the audience",
             "alter policy agent_reads on fleet.beat using (audience = any ((select fence.read_set())::text[])"
             " or audience = any ((select fence.write_set())::text[]))", ("F01d", "K10d")),
    Mutation("beats are published anywhere", "alter policy agent_publishes on fleet.beat with check (true)", ("E04", "E04s")),
    Mutation("beats are retracted by all", "alter policy author_retracts on fleet.beat using (true) with check (true)",
             ("E11", "E32")),
    Mutation("handoffs are read by all", "alter policy agent_reads on fleet.handoff using (true)", ("F02", "F03", "K12h")),
    Mutation("handoffs are moved by who reads them", "alter policy party_moves on fleet.handoff using (true) with check (true)",
             ("E41", "F16s")),
    Mutation("handoffs are sent anywhere", "alter policy agent_sends on fleet.handoff with check (true)", ("E34", "E34n")),
    Mutation("histories are read by all", "alter policy agent_reads on fleet.handoff_transition using (true)", ("F03", "F03a")),
    Mutation("remembered answers are read by all", "alter policy agent_recalls on fleet.idempotency using (true)",
             ("F06", "F06z", "K54")),
    Mutation("everyone is a colleague", "alter policy agent_reads on fleet.principal using (true)", ("F04", "K32")),
    Mutation("every audience is known", "alter policy agent_reads on fleet.audience using (true)", ("F05", "K31")),
    Mutation("the console reads the roster without a claim", "alter policy console_reads on fleet.principal using (true)",
             ("A103b", "A105b")),
    Mutation("operators suspend operators",
             "alter policy operator_suspends on fleet.principal using ((select fence.current_operator()) is not null)"
             " with check (true)", ("G09", "G09s")),
    Mutation("no policy at all", "drop policy agent_reads on fleet.beat", ("S:", "F00", "K00")),
    Mutation("one policy more", "create policy p on fleet.handoff for select to fleetmem_agent using (status = 'open')",
             ("F02", "F02l")),
    Mutation("row security off", "alter table fleet.beat disable row level security", ("F01", "G21")),
    Mutation("not forced", "alter table fleet.handoff no force row level security", ("G21h",)),
)  # fmt: skip

GRANTS: Final = (
    Mutation("authors are sent along", "grant insert (author) on fleet.beat to fleetmem_agent",
             ("E01", "M:fleet.beat:insert:fleetmem_agent")),
    Mutation("times are sent along", "grant insert (created_at) on fleet.beat to fleetmem_agent", ("E06",)),
    Mutation("handoffs are redirected", "grant update (recipient) on fleet.handoff to fleetmem_agent",
             ("M:fleet.handoff:update:fleetmem_agent",)),
    Mutation("beats are deleted", "grant delete on fleet.beat to fleetmem_agent", ("M:fleet.beat:delete:fleetmem_agent",)),
    Mutation("a login reads by itself", "grant select on fleet.beat to fleetmem_gateway; grant usage on schema fleet to"
             " fleetmem_gateway", ("Bg03", "M:fleet.beat:select:fleetmem_gateway", "M:fleet:usage")),
    Mutation("PUBLIC reads the roster", "grant select on fleet.principal to public",
             ("F04r", "F04i", "M:fleet.principal:select:public")),
    Mutation("system columns are readable", "grant select on fleet.beat to fleetmem_agent", ("F12",)),
    Mutation("operators read requests", "grant select (request) on fleet.handoff to fleetmem_operator", ("F71", "F72")),
    Mutation("auditors write", "grant insert, update on fleet.beat to fleetmem_auditor", ("G31", "GR3i")),
    Mutation("references", "grant references on fleet.beat to fleetmem_agent", ("F51", "M:fleet.beat:references:fleetmem_agent")),
    Mutation("the vault is open", "grant usage on schema vault to fleetmem_agent; grant select on vault.signing_key to fleetmem_agent",
             ("I03", "M:vault.signing_key:select:fleetmem_agent")),
    Mutation("the backup reads keys", "grant select on vault.signing_key to fleetmem_backup", ("G61",)),
    Mutation("a claim is verified for the asking", "grant execute on function fence._who(text) to fleetmem_agent",
             ("C125", "T:call:fence._who(text):fleetmem_agent")),
    Mutation("PUBLIC lists tokens", "grant execute on function fence.tokens() to public", ("B62", "M:fence.tokens()")),
    Mutation("temporary tables", "grant temporary on database {database} to public", ("C64", "M:database:temporary", "G33")),
    Mutation("public is everyone's", "grant usage, create on schema public to public", ("C62", "M:public:create")),
    Mutation("anyone connects", "grant connect on database {database} to public", ("M:database:connect",)),
    Mutation("code of one's own", "grant usage on language plpgsql to public", ("C59",)),
    Mutation("locks of one's own", "grant execute on function pg_advisory_lock(bigint) to public", ("H01",)),
    Mutation("whose locks are held", "grant execute on function pg_lock_status() to public", ("F42",)),
    Mutation("new functions are everyone's",
             "alter default privileges for role fleetmem_owner grant execute on functions to public", ("X23",)),
)  # fmt: skip

TRIGGERS: Final = (
    Mutation("no stamp", "alter table fleet.beat disable trigger a_stamp", ("S:b_kit", "E02")),
    Mutation("a stamp gone", "drop trigger a_stamp on fleet.idempotency", ("S:b_kit", "E82")),
    Mutation("a suspension in the past", "drop trigger b_suspended on fleet.principal", ("G09t",)),
    Mutation("no rule of moves", "drop trigger b_move on fleet.handoff", ("E18", "E19", "E20")),
    Mutation("an end that is chosen", "alter table fleet.beat disable trigger b_end", ("S:b_ended",)),
    Mutation("the owner deletes", "alter table fleet.handoff_transition disable trigger z_never", ("G45",)),
    Mutation("the owner edits", "drop trigger z_never_edit on fleet.beat", ("G19",)),
    Mutation("nothing refuses", "create or replace function fence.never() returns trigger language plpgsql"
             " set search_path = pg_catalog, pg_temp as $$ begin return null; end $$", ("G41", "G43", "G46")),
    Mutation("a beat without an end", "alter table fleet.beat drop constraint beat_expires_range", ("E61", "K45")),
    Mutation("many flags", "alter table fleet.handoff drop constraint handoff_flags", ("E37",)),
    Mutation("a broken flag", rewritten("fence.handoff_stamp()", "array_ndims(new.flags) > 1", "false"), ("E37d",)),
    Mutation("to oneself", rewritten("fence.handoff_stamp()", "new.recipient = new.sender", "false"), ("E35", "K47")),
    Mutation("senders accept", rewritten("fence.handoff_move()", "('open', 'accepted', 'recipient')", "('open', 'accepted', side)"),
             ("E18", "K50o")),
    Mutation("a key is everyone's", "alter table fleet.idempotency drop constraint idempotency_pkey, add primary key (key)",
             ("F27", "K53")),
)  # fmt: skip

FUNCTIONS: Final = (
    Mutation("everyone reads everything", "create or replace function fence.read_set() returns text[] language sql stable security definer"
             " parallel safe set search_path = pg_catalog, pg_temp return"
             " (select array_agg(distinct w) from fleet.principal p, unnest(p.writes) w)", ("F01", "AF:no claim")),
    Mutation("the loud door is open", rewritten("fence.require(text)", "who.name is null", "false"), ("AF:no claim", "A103c")),
    Mutation("settings are believed", "create or replace function fence.current_agent() returns text language sql stable"
             " security definer parallel safe set search_path = pg_catalog, pg_temp"
             " return coalesce(nullif(current_setting('fence.agent', true), ''), (fence._who('agent')).name)", ("A48",)),
    Mutation("another owner", "alter function fence.handoff_move() owner to {owner}", ("M:fence.handoff_move()",)),
    Mutation("no path of its own", "alter function fence._who(text) reset search_path", ("M:fence._who(text)",)),
    Mutation("as its caller", "alter function fence.read_set() security invoker", ("M:fence.read_set()", "S:b_kit")),
    Mutation("a door as its owner", "alter function api.handoff_get(text, uuid) security definer",
             ("M:api.handoff_get(text,uuid)",)),
    Mutation("it notifies", "create function fence.shout() returns void language sql as 'notify wake'", ("X25", "M:fence.shout()")),
    Mutation("a leakproof order", "alter function text_ge(text, text) leakproof", ("A78",)),
    Mutation("a door that tells hidden from absent", rewritten("api.beat_get(text,uuid)", "'record.absent'", "'%', p_id"), ("X14",)),
    Mutation("a claim in a log", "create or replace function fence.current_agent() returns text language plpgsql stable security definer"
             " set search_path = pg_catalog, pg_temp as $$ declare pad bytea; begin"
             " select ipad into pad from vault.signing_key where kid like 'prove-%-agent';"
             " perform 1 from (select pad as held) p where held is not null; raise debug '%', encode(pad, 'hex');"
             " return (fence._who('agent')).name; end $$", ("X05",)),
)  # fmt: skip

CLAIMS: Final = (
    Mutation("any login", who("k.login = session_user"), ("A111", "A112")),
    Mutation("revoked keys", who("not k.revoked"), ("AF:revoked key",)),
    Mutation("early keys", who("clock_timestamp() >= k.not_before"), ("AF:early key",)),
    Mutation("ended keys", who("clock_timestamp() < k.not_after"), ("AF:ended key",)),
    Mutation("any signature", who("sha256(k.pepper || convert_to(mac, 'UTF8'))", "true or sha256(k.pepper || convert_to(mac, 'UTF8'))"),
             ("AF:a wrong key", "A72")),
    Mutation("four parts", who("head || '.' || body || '.' || mac = token"), ("AF:four parts",)),
    Mutation("any issuer", who("claims @> demanded"), ("AF:wrong iss",)),
    Mutation("a list of audiences", who("jsonb_typeof(claims -> 'aud') = 'string'"), ("V",)),
    Mutation("no end", who("expires > this_second - 5"), ("AF:expired", "AF:just expired")),
    Mutation("from the future", who("issued <= this_second + 5"), ("AF:from the future",)),
    Mutation("a long life", who("expires - issued between 0 and 120"), ("AF:too long a life",)),
    Mutation("before its time", who("coalesce((claims -> 'nbf')::numeric, 0) <= this_second + 5"), ("AF:not yet",)),
    Mutation("bound to nothing", who("coalesce(claims -> 'bp', to_jsonb(pg_backend_pid())) = to_jsonb(pg_backend_pid())"),
             ("AF:bp of another",)),
    Mutation("deactivated", who("p.active"), ("AF:deactivated",)),
    Mutation("suspended", who("p.suspended_at is null"), ("AF:suspended",)),
    Mutation("any kind of bearer", who("p.rol = want"), ("AF:operator as agent",)),
    Mutation("old tokens", who("b.created_at >= p.tokens_from"), ("AF:all ended",)),
    Mutation("any token", who("b.id = claims ->> 'jti'"), ("AF:jti of nobody",)),
    Mutation("revoked tokens", who("b.revoked_at is null"), ("AF:jti revoked",)),
    Mutation("expired tokens", who("b.expires_at > clock_timestamp()"), ("AF:jti expired",)),
    Mutation("it raises", who("length(token) <= 2000", "length(token) / length(token) = 1"), ("AF:an empty claim",)),
    Mutation("tokens of another service", rewritten("api.resolve_bearer(bytea,text)",
             "(SESSION_USER = 'fleetmem_console'::name)", "true"), ("I41",)),
)  # fmt: skip

OBJECTS: Final = (
    Mutation("a new table", "create table fleet.diary (entry text)", ("M:fleet.diary",)),
    Mutation("a new column", "alter table fleet.beat add column note text", ("M:fleet.beat", "S:b_kit")),
    Mutation("a new sequence", "create sequence fleet.counter", ("M:fleet.counter",)),
    Mutation("a view that is its owner's", "create view fleet.everything as select * from fleet.beat;"
             " grant select on fleet.everything to fleetmem_agent", ("M:fleet.everything",)),
    Mutation("a new function", "create function api.leak() returns bigint language sql security definer"
             " as 'select count(*) from fleet.beat'", ("M:api.leak()",)),
    Mutation("a new schema", "create schema side; grant usage on schema side to fleetmem_agent", ("M:side:usage",)),
    Mutation("statistics", "alter table fleet.beat alter author set statistics 100", ("V",)),
    Mutation("a publication", "create publication p for table fleet.beat", ("V",)),
    Mutation("a rule", "create rule r as on insert to fleet.beat do also notify wake", ("V",)),
)  # fmt: skip

MEMORY: Final = (
    # what a team says
    Mutation("messages are read by all members", "alter policy agent_reads on fleet.message using (team = any ((select fence.my_teams())::text[]))",
             ("NT00", "NT10", "NT21")),
    Mutation("messages are read by who reads the audience", "alter policy agent_reads on fleet.message using (audience = any"
             " ((select fence.read_set())::text[]))", ("NT11",)),
    Mutation("tasks are read by all", "alter policy agent_reads on fleet.task using (true)", ("NT13", "NT14")),
    Mutation("runs are read by all", "alter policy agent_reads on fleet.run using (true)", ("NT15", "NT16")),
    Mutation("steps are read by all", "alter policy agent_reads on fleet.span using (true)", ("NT17",)),
    Mutation("what another was shown", "alter policy agent_reads on fleet.context_injection using (true)", ("NT18",)),
    Mutation("every team is known", "alter policy agent_reads on fleet.team using (true)", ("NT19", "NT23")),
    Mutation("everyone is in every team", rewritten("fence.my_teams()", "(m.agent = (SELECT (fence._who('agent'::text)).name AS name))",
             "true"), ("NT11", "NT19", "NT25")),
    Mutation("counts are readable", "grant select (seq) on fleet.message to fleetmem_agent", ("NT26", "M:fleet.message:select:fleetmem_agent")),
    Mutation("authors of messages", "grant insert (author) on fleet.message to fleetmem_agent", ("NFm2",)),
    Mutation("attempts are chosen", "grant insert (attempt) on fleet.run to fleetmem_agent", ("NFr3",)),
    Mutation("no stamp on messages", "drop trigger a_stamp on fleet.message", ("N:day",)),
    Mutation("settled tasks take words", rewritten("fence.message_stamp()", "named.status <> 'open'", "false"), ("NT55",)),
    Mutation("settled tasks take runs", rewritten("fence.run_stamp()", "named.status <> 'open'", "false"), ("NT61",)),
    Mutation("steps in another's run", "alter policy agent_adds on fleet.span with check (true)", ("NT62", "NT63")),
    Mutation("runs are settled by all", "alter policy agent_settles on fleet.run using (true) with check (true)", ("NT66",)),
    Mutation("tasks are settled by members", "alter policy party_settles on fleet.task using (team = any ((select fence.my_teams())::text[]))",
             ("NT67",)),
    Mutation("teams carry everything", rewritten("fence.team_carries(text,text,text)", "(team_carries.p_audience = ANY (t.audiences))", "true"), ("NT53",)),
    Mutation("shown what is hidden", rewritten("fence.context_injection_stamp()", "m.audience = any (who.reads) or m.author = who.name", "true"),
             ("NT80",)),
    Mutation("a count is set", "drop trigger a_kept on fleet.team", ("NT94",)),
    Mutation("words are rewritten", "alter table fleet.message disable trigger z_never", ("NT97",)),
    # memories
    Mutation("agents read notes", "grant select on fleet.note to fleetmem_agent", ("ORk:note", "M:fleet.note:select:fleetmem_agent")),
    Mutation("the console reads notes without a claim", "alter policy console_reads on fleet.note using (true)", ("OM10", "OM11")),
    Mutation("approvals without a signature", rewritten("fence.note_activate(uuid)", "signed.given < signed.needed", "false"), ("OM30", "OM31")),
    Mutation("one reviewer is two", "create or replace function fence.note_signatures(p_note uuid, out needed integer, out given integer)"
             " language sql stable security definer set search_path = pg_catalog, pg_temp begin atomic select 1, 1; end", ("OM30", "OM31")),
    Mutation("signing twice is two", rewritten("fence.note_signatures(uuid)", "count(DISTINCT v.reviewer)", "count(v.reviewer)"), ("OM32",)),
    Mutation("signing for another", "grant insert (reviewer) on fleet.note_review to fleetmem_operator", ("OM33",)),
    Mutation("signing ahead", rewritten("fence.review_stamp()", "new.revision is distinct from", "false and new.revision is distinct from"), ("OM34",)),
    Mutation("auditors decide", "alter policy operator_decides on fleet.note using ((select fence.on_console()) is not null)"
             " with check ((select fence.on_console()) is not null)", ("OM36",)),
    Mutation("anyone on the console decides", "alter policy operator_decides on fleet.note using (true) with check (true)", ("OM36",)),
    Mutation("recipients below a signature", rewritten("fence.recipient_check()", "v.decision = 'approve'", "false"), ("OM38", "Q23")),
    Mutation("recipients of anywhere", "create or replace function fence.may_receive(p_note uuid, p_agent text) returns text language sql stable"
             " security definer set search_path = pg_catalog, pg_temp return null::text", ("OM39", "OM40", "Q20", "Q21", "OM82")),
    Mutation("recipients past the audiences", rewritten("fence.may_receive(uuid,text)", "(NOT (n.audiences <@ p.reads))", "false"),
             ("OM40", "Q21", "OM82", "OM70")),
    Mutation("recipients past the team", rewritten("fence.may_receive(uuid,text)", "(m.agent IS NULL)", "false"), ("OM39", "Q20")),
    Mutation("no check of recipients", "alter table fleet.note_recipient disable trigger a_may_receive", ("OM39", "OM40", "Q20", "Q21")),
    Mutation("a check that a setting switches off", "alter table fleet.note_recipient enable trigger a_may_receive", ("OM70",)),
    Mutation("reviewers pose as recognizers", "alter policy operator_moves on fleet.note_recipient"
             " with check ((select fence.current_operator()) is not null)", ("OM43", "OM44")),
    Mutation("approved texts change", "drop trigger b_move on fleet.note", ("O:day",)),
    Mutation("audiences change", "grant update (audiences) on fleet.note to fleetmem_operator", ("M:fleet.note:update:fleetmem_operator",)),
    Mutation("an edit keeps its signatures", rewritten("fence.note_move()", "new.revision := old.revision + 1;", ""), ("OM49",)),
    Mutation("incidents are closed by auditors", "alter policy operator_closes on fleet.incident using (true) with check (true)", ("OM57",)),
    Mutation("auditors take back", rewritten("fence.deciding()", "(fence.require('operator')).name", "coalesce(fence.on_console(), 'x')"),
             ("OM60",)),
    Mutation("sources without a claim", rewritten("fence.review_sources(uuid)", "(fence.on_console() IS NOT NULL)", "true"), ("OM61",)),
    Mutation("grants without evidence", "drop trigger w_evidence on fleet.memory_rule", ("OM67",)),
    Mutation("narrowing takes nothing", "drop trigger w_reach on fleet.principal", ("OM82", "OM85", "OM86", "OM88")),
    Mutation("leaving takes nothing", "drop trigger w_reach on fleet.team_member", ("OM83", "OM87")),
    Mutation("a team's end takes nothing", "drop trigger w_reach on fleet.team", ("OM84",)),
    Mutation("landing looks no more", rewritten("fence.landing_move()", "fence.may_receive(new.note, new.agent) is not null", "false"), ("OM90",)),
    # the ledger
    Mutation("the ledger is edited", "drop trigger z_never on fleet.ledger", ("L63", "L64", "L65")),
    Mutation("the ledger is cut by a setting", "alter table fleet.ledger enable trigger z_never", ("L66", "L67")),
    Mutation("the worker writes the ledger", "grant insert on fleet.ledger to fleetmem_worker; create policy w on fleet.ledger for insert"
             " to fleetmem_worker with check (true)", ("L1w", "M:fleet.ledger:insert:fleetmem_worker")),
    Mutation("the worker tells", "grant execute on function fence.tell(text, uuid, text, text, jsonb) to fleetmem_worker",
             ("L5w", "T:call:fence.tell(text,uuid,text,text,jsonb):fleetmem_worker")),
    Mutation("a hash that covers less", rewritten("fence.ledger_bytes(fleet.ledger)", "fence.netstring((l).reason)", "''::text"), ("V",)),
    Mutation("a chain that hangs on nothing", rewritten("fence.tell(text,uuid,text,text,jsonb)", "told.prev := coalesce(told.prev, decode(repeat('00', 32), 'hex'))",
             "told.prev := decode(repeat('00', 32), 'hex')"), ("L03",)),
    Mutation("reasons are made up", rewritten("fence.note_tell()", "case tg_argv[0] when 'scribe' then", "case when true then"), ("L81", "L82", "L84", "L85")),
    Mutation("reasons of denials are made up", rewritten("fence.recipient_tell()", "case tg_argv[0] when 'scribe' then", "case when true then"), ("L83",)),
    Mutation("the worker poses as a reviewer", "alter policy worker_proposes on fleet.note_denial with check (true)", ("L87", "L88")),
    Mutation("who has no claim is the owner", "create or replace function fence.actor() returns text language sql stable security definer"
             " set search_path = pg_catalog, pg_temp return coalesce(fence.current_operator(), 'owner')", ("L90", "L91")),
    Mutation("operators read the ledger without a claim", "alter policy console_reads on fleet.ledger using (true)", ("L70", "L71")),
    # the worker and the queue
    Mutation("the worker reads beats", "grant select on fleet.beat to fleetmem_worker; create policy w on fleet.beat for select"
             " to fleetmem_worker using (true)", ("QR:fleet.beat", "M:fleet.beat:select:fleetmem_worker")),
    Mutation("the worker reads people", "alter policy worker_reads on fleet.principal using (true)", ("Q10",)),
    Mutation("the worker grants what waits", rewritten("fence.note_activate(uuid)", "n.reasons <> '{}'", "false"), ("Q13",)),
    Mutation("the worker grants what is severe", rewritten("fence.note_activate(uuid)", "n.severity = 'severe'", "false"), ("Q14",)),
    Mutation("the worker grants a fallback", rewritten("fence.note_activate(uuid)", "r.match = 'fallback'", "false"), ("Q15",)),
    Mutation("the worker grants to nobody", rewritten("fence.note_activate(uuid)",
             "not exists (select from fleet.note_recipient r where r.note = p_note and r.active)", "false"), ("Q16",)),
    Mutation("grants without the owner's word", rewritten("fence.note_activate(uuid)",
             "not (select m.auto_grant and not m.review_all from fleet.memory_rule m)", "false"), ("Q12", "Q17")),
    Mutation("audiences are sent along", "grant insert (audiences) on fleet.note to fleetmem_worker", ("QN:audiences",)),
    Mutation("notes of open segments", rewritten("fence.note_stamp()", "not fence.segment_is_complete(new.segment) or", ""), ("Q26",)),
    Mutation("citations of anything", "drop trigger a_check on fleet.note_citation", ("Q28",)),
    Mutation("segments mix teams", "drop trigger a_one_team on fleet.segment_task", ("Q29",)),
    Mutation("segments open again", "drop trigger b_move on fleet.segment", ("Q:day",)),
    Mutation("files wander", "drop trigger b_move on fleet.landing", ("O:day", "Q:day")),
    Mutation("agents ask for work", "grant usage on schema queue to fleetmem_agent; grant insert on queue.procrastinate_jobs to fleetmem_agent;"
             " grant usage on all sequences in schema queue to fleetmem_agent", ("M:queue:usage", "M:queue.procrastinate_jobs_id_seq")),
    Mutation("auditors see jobs", "grant usage on schema queue to fleetmem_auditor; grant select on queue.procrastinate_jobs to fleetmem_auditor",
             ("QQrr", "M:queue.procrastinate_jobs:select:fleetmem_auditor")),
    Mutation("the scribe deletes jobs", "grant delete on queue.procrastinate_jobs to fleetmem_scribe", ("M:queue.procrastinate_jobs:delete",)),
    Mutation("jobs hold texts", rewritten("fence.task_follow()", "json_build_object('task', new.id)", "json_build_object('task', new.id, 'prompt', new.prompt)"),
             ("Q87",)),
    Mutation("jobs are lost", "drop trigger w_follow on fleet.task", ("Q80",)),
)  # fmt: skip

# What belongs to a whole server: done on one that nobody else uses, and undone.
OF_THE_SERVER: Final = (
    Mutation("the worker becomes an operator", "grant fleetmem_operator to fleetmem_worker", ("Q44", "M:memberships"),
             "revoke fleetmem_operator from fleetmem_worker"),
    Mutation("a role past row security", "alter role fleetmem_agent bypassrls", ("F01", "M:role:fleetmem_agent"),
             "alter role fleetmem_agent nobypassrls"),
    Mutation("a login that makes roles", "alter role fleetmem_gateway createrole", ("C38b", "M:role:fleetmem_gateway"),
             "alter role fleetmem_gateway nocreaterole"),
    Mutation("a login that is a superuser", "alter role fleetmem_gateway superuser", ("Bg01", "C30", "I01"),
             "alter role fleetmem_gateway nosuperuser"),
    Mutation("an agent that is an operator", "grant fleetmem_operator to fleetmem_gateway", ("Cg05", "C52", "M:memberships"),
             "revoke fleetmem_operator from fleetmem_gateway"),
    Mutation("a reader of everything", "grant pg_read_all_data to fleetmem_gateway", ("Cg11",),
             "revoke pg_read_all_data from fleetmem_gateway"),
    Mutation("a login that inherits", "grant fleetmem_agent to fleetmem_gateway with inherit true", ("Bg01", "B20"),
             "grant fleetmem_agent to fleetmem_gateway with inherit false", since=16),
    Mutation("a login that admits others", "grant fleetmem_agent to fleetmem_gateway with admin option",
             ("C43b", "M:memberships"), "revoke admin option for fleetmem_agent from fleetmem_gateway"),
    Mutation("an unknown role", "create role fleetmem_stray", ("M:role:fleetmem_stray",), "drop role fleetmem_stray"),
    Mutation("row security off by default", "alter role fleetmem_gateway set row_security = off", ("F00", "V"),
             "alter role fleetmem_gateway reset row_security"),
    Mutation("bound values in the log", "alter role fleetmem_gateway reset log_parameter_max_length", ("V",),
             "alter role fleetmem_gateway set log_parameter_max_length = 0"),
)  # fmt: skip

OF_A_DATABASE: Final = (*POLICIES, *GRANTS, *TRIGGERS, *FUNCTIONS, *CLAIMS, *OBJECTS, *MEMORY)
