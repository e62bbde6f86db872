"""H. Interference: holding up, waking or misleading others. I. The key. J. What a session may set for itself."""

from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.case import Case, Control, Group, Value, answers, open_to_all, refused
from fleetmem.admin.prove.catalogue.people import (
    BARE,
    BARE_CONSOLE,
    CHIEF,
    KIT,
    OWNER,
    READER,
    SCRIBE,
    UNCLAIMED,
    VERIFIER,
    ZOE,
)

# Taken from PUBLIC by the owner's bootstrap, where the owner is a superuser.
_TAKEN: Final = (
    "pg_advisory_lock(7021802012300000001)", "pg_advisory_lock(1886548848, 7001)", "pg_advisory_xact_lock(7021802012300000001)",
    "pg_advisory_xact_lock(1886548848, 7001)",
    "pg_advisory_lock_shared(7021802012300000001)", "pg_try_advisory_lock(7021802012300000001)",
    "pg_try_advisory_xact_lock(7021802012300000001)", "lo_create(0)",
    "lo_from_bytea(0, 'x')", "lo_creat(0)", "lo_put(1, 0, 'x')", "lo_get(1)", "lo_open(1, 1)", "lo_unlink(1)", "loread(0, 1)",
    "lowrite(0, 'x')", "pg_logical_emit_message(true, 'outbox', 'forged')", "pg_export_snapshot()", "pg_sleep(0.01)",
    "pg_sleep_for('10ms')", "pg_sleep_until(now())", "pg_notify('wake', 'forged')", "pg_cancel_backend(1)",
    "pg_terminate_backend(pg_backend_pid())", "pg_lock_status()",
)  # fmt: skip
# A superuser's from the start. Where one is allowed after all, it must do no harm: nothing that counts is reset.
_NEVER_GIVEN: Final = (
    "pg_stat_reset_single_table_counters(0)", "pg_stat_reset_single_function_counters(0)", "pg_promote()",
    "pg_rotate_logfile()", "pg_backup_stop()", "pg_wal_replay_pause()", "pg_create_restore_point('prove')",
    "pg_log_backend_memory_contexts(1)",
)  # fmt: skip


def _calls() -> Iterator[Case]:
    for number, call in enumerate(_TAKEN, start=1):
        why = "EXECUTE is revoked from PUBLIC"
        yield refused(f"H{number:02}", KIT, f"select {call}", "42501", why, catalogue_right=True)
    for number, call in enumerate(_NEVER_GIVEN, start=40):
        yield refused(f"H{number}", KIT, f"select {call}", "42501", "a superuser's function")


INTERFERENCE: Final = Group(
    "H",
    "Interference",
    controls=(
        answers("H00", KIT, "select pg_advisory_unlock_all() is not null", True, "what a driver's pool needs works"),
    ),
    cases=(
        *_calls(),
        refused("H61", KIT, "security label on table fleet.beat is 'x'", "42501 22023", "no label"),
        open_to_all(
            "H70", KIT, "notify wake, 'forged'", "NOTIFY has no privilege: nothing of the product listens or acts on it"
        ),
        open_to_all(
            "H71", KIT, "listen wake", "LISTEN has no privilege: nothing of the product is sent that way (X25)"
        ),
        open_to_all(
            "H72",
            KIT,
            "set local idle_in_transaction_session_timeout = 0",
            "a login may hold a transaction: it holds only rows that it may change; the others' lock_timeout bounds it",
        ),
        open_to_all(
            "H73", KIT, "set local statement_timeout = 0", "a login may run for long; the owner ends a session"
        ),
        open_to_all(
            "H74", BARE, "select 1", "a login can use up its connections: set a CONNECTION LIMIT where it matters"
        ),
    ),
)

_PADS: Final = "select prosrc ~ 'ipad' and prosrc !~ '36363636|5c5c5c5c' from pg_proc where proname = '_who'"

KEY: Final = Group(
    "I",
    "The key",
    controls=(
        answers("I00", VERIFIER, "select count(*) from vault.signing_key where kid = <agent>", 1, "the verifier alone has it"),
    ),
    cases=(
        *(
            refused(f"I{number:02}", who, f"select * from vault.{table}", "42501", "nobody reads the vault")
            for number, (who, table) in enumerate(
                (
                    (who, table)
                    for who in (BARE, KIT, BARE_CONSOLE, CHIEF, READER, OWNER, SCRIBE)
                    for table in ("signing_key", "bearer")
                ),
                start=1,
            )
        ),
        answers("I30", KIT, _PADS, True, "a function's source is anyone's: it holds no key"),
        answers("I31", KIT, "select count(*) from pg_settings where name like 'fence.%' and name <> 'fence.token'", 0,
                "no key in a setting"),
        answers("I32", KIT, "select count(*) from pg_db_role_setting where setconfig::text ~* 'key|secret|token|password'"
                " and setrole in (select oid from pg_roles where rolname like 'fleetmem%')", 0,
                "no key in a role's defaults, which anyone may read"),
        answers("I33", KIT, "select count(*) from pg_description d join pg_class c on c.oid = d.objoid"
                " where c.relnamespace = 'vault'::regnamespace", 0, "no key in a comment"),
        answers("I34", KIT, "select count(*) from pg_attrdef d join pg_class c on c.oid = d.adrelid where c.relname ="
                " 'signing_key' and pg_get_expr(d.adbin, d.adrelid) ~ 'x[0-9a-f]{32}'", 0, "no key in a default"),
        refused("I35", KIT, "select count(*) from pg_statistic where starelid = 'vault.signing_key'::regclass", "42501",
                "no key in statistics that anyone may read"),
        answers("I36", BARE, "select count(*) from api.resolve_bearer(sha256('x'), 'agent')", 0, "a digest of nobody's token"),
        answers("I37", BARE, "select count(*) from api.resolve_bearer(null, null)", 0, "no digest is nobody's"),
        answers("I38", BARE, "select api.key_known('x')", False, "a header of nobody's key",
                Control(BARE, Value(True), "select api.key_known(<head_agent>)")),
        answers("I39", BARE, "select api.key_known(<head_operator>)", False, "the console's key is none of the gateway's",
                Control(BARE_CONSOLE, Value(True))),
        answers("I40", BARE, "select count(*) from api.resolve_bearer(decode(<digest_kit>, 'hex'), 'operator')", 0,
                "the gateway resolves agents only", Control(BARE, Value(1),
                "select count(*) from api.resolve_bearer(decode(<digest_kit>, 'hex'), 'agent')")),
        answers("I41", BARE, "select count(*) from api.resolve_bearer(decode(<digest_chief>, 'hex'), 'operator')", 0,
                "and not by asking for another kind", Control(BARE_CONSOLE, Value(1))),
        answers("I42", BARE_CONSOLE, "select count(*) from api.resolve_bearer(decode(<digest_kit>, 'hex'), 'agent')", 0,
                "the console resolves no agent", Control(BARE, Value(1))),
        *(
            answers(f"I5{number}", BARE, f"select count(*) from api.resolve_bearer(decode(<digest_{name}>, 'hex'), 'agent')", 0,
                    f"a token {why}", Control(BARE, Value(1),
                    "select count(*) from api.resolve_bearer(decode(<digest_kit>, 'hex'), 'agent')"))
            for number, (name, why) in enumerate((("revoked", "that was revoked"), ("expired", "past its time"),
                ("gone", "of a deactivated agent"), ("held", "of a suspended agent"), ("stale", "older than tokens_from")))
        ),
    ),
)  # fmt: skip

_ME: Final = "select fence.current_agent()"

SETTINGS: Final = Group(
    "J",
    "What a session may set for itself",
    controls=(answers("J00", KIT, _ME, "<kit>", "kit is kit"),),
    cases=(
        answers("J01", KIT, f"set search_path = pg_temp, public; {_ME}", "<kit>", "the caller's path reaches no function"),
        answers("J01p", KIT, f"set search_path = ''; {_ME}", "<kit>", "nor an empty one"),
        answers("J02", KIT, f"set standard_conforming_strings = off; {_ME}", "<kit>", "no body has a backslash to reread"),
        answers("J03", KIT, f"set backslash_quote = on; set escape_string_warning = off; {_ME}", "<kit>", "nor this"),
        answers("J04", KIT, "set transform_null_equals = on; set plan_cache_mode = force_generic_plan; set enable_seqscan = off;"
                " set enable_indexscan = off; set jit = off; select count(*) from fleet.beat", 5, "no planner setting opens a row",
                Control(ZOE, Value(6))),
        answers("J04u", UNCLAIMED, "set transform_null_equals = on; select count(*) from fleet.beat", 0,
                "null is nobody's name, whatever = means to the caller"),
        answers("J05", KIT, f"set timezone = 'Pacific/Kiritimati'; set datestyle = 'German'; set intervalstyle = 'iso_8601'; {_ME}",
                "<kit>", "time is told by the epoch"),
        answers("J06", KIT, f"set bytea_output = 'escape'; set extra_float_digits = 0; {_ME}", "<kit>", "nor is a digest text"),
        answers("J07", KIT, f"set client_encoding = 'LATIN1'; {_ME}", "<kit>", "nor the client's encoding"),
        answers("J08", KIT, f"set check_function_bodies = off; set array_nulls = off; {_ME}", "<kit>", "nor this"),
        answers("J09", KIT, "set row_security = on; select count(*) from fleet.beat", 5, "on is what it is"),
        refused("J10", KIT, "set row_security = off; select 1 from fleet.beat", "42501", "off fails, it does not open"),
        answers("J11", KIT, "set transaction_read_only = on; select count(*) from fleet.beat", 5, "a reader reads"),
        answers("J12", KIT, "set local role none; select current_user", "fleetmem_gateway", "back to the login, that reads nothing"),
        refused("J13", KIT, "reset role; select 1 from fleet.beat", "42501", "back to the login, that reads nothing"),
        answers("J14", KIT, "select set_config('fence.token', '', true); select fence.current_agent()", None,
                "without its claim, kit is nobody"),
        Case(id="J15", who=KIT, statement="set parallel_setup_cost = 0; set parallel_tuple_cost = 0;"
             " set min_parallel_table_scan_size = 0; set debug_parallel_query = on; select count(*) from fleet.beat",
             expects=Value(5), why="a parallel worker knows the claim", since=16),
        answers("J16", KIT, "set plan_cache_mode = force_generic_plan; prepare p as select count(*) from fleet.beat; execute p", 5,
                "a generic plan asks who it is each time"),
    ),
)  # fmt: skip

GROUPS: Final = (INTERFERENCE, KEY, SETTINGS)
