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

# What belongs to a whole server: done on one that nobody else uses, and undone.
OF_THE_SERVER: Final = (
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

OF_A_DATABASE: Final = (*POLICIES, *GRANTS, *TRIGGERS, *FUNCTIONS, *CLAIMS, *OBJECTS)
