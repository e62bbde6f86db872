"""C. Escalation: becoming somebody else, making something new, leaving the database."""

from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.case import Case, Control, Group, Refused, Value, Who, answers, open_to_all, refused
from fleetmem.admin.prove.catalogue.people import BARE, BARE_CONSOLE, CHIEF, KIT, READER

_ROLES: Final = (
    "fleetmem_owner", "fleetmem_verifier", "fleetmem_scribe", "fleetmem_agent", "fleetmem_operator", "fleetmem_gateway",
    "fleetmem_console", "fleetmem_auditor", "fleetmem_backup", "postgres", "pg_read_all_data", "pg_write_all_data", "pg_read_all_settings",
    "pg_monitor", "pg_signal_backend", "pg_execute_server_program", "pg_read_server_files", "pg_write_server_files",
    "pg_checkpoint", "pg_database_owner",
)  # fmt: skip
_NEWER_ROLES: Final = (
    ("pg_create_subscription", 16),
    ("pg_use_reserved_connections", 16),
    ("pg_maintain", 17),
    ("pg_signal_autovacuum_worker", 18),
)
_MAY: Final = {
    "fleetmem_gateway": {"fleetmem_gateway", "fleetmem_agent"},
    "fleetmem_console": {"fleetmem_console", "fleetmem_operator"},
    "fleetmem_auditor": {"fleetmem_auditor"},
}
# A role that this server does not have is no way out either.
_NO_SUCH_OR_NOT_YOURS: Final = "42501 22023"


def _becoming(letter: str, who: Who) -> Iterator[Case]:
    every = (*((role, 15) for role in _ROLES), *_NEWER_ROLES)
    for number, (role, since) in enumerate(every, start=1):
        if role not in _MAY[who.login]:
            case_id, why = f"C{letter}{number:02}", f"no member of {role}"
            yield refused(case_id, who, f"set role {role}", _NO_SUCH_OR_NOT_YOURS, why, since=since)


# What is nobody's is tried by each: a right may have been given to a login, or to the role that it becomes.
_SENDERS: Final = (("", KIT), ("b", BARE), ("o", CHIEF), ("c", BARE_CONSOLE), ("r", READER))


def _denied(first: int, *statements: tuple[str, str]) -> Iterator[Case]:
    for number, (statement, why) in enumerate(statements, start=first):
        for letter, who in _SENDERS:
            yield refused(f"C{number}{letter}", who, statement, "42501", why)


def _here(case_id: str, who: Who) -> Case:
    return answers(case_id, who, "select 1", 1, "the connection and its role are sound")


BECOMING: Final = Group(
    "C",
    "Becoming another role",
    controls=(
        _here("C01", KIT), _here("C02", CHIEF), _here("C03", READER), _here("C08", BARE), _here("C09", BARE_CONSOLE),
    ),
    cases=(
        *_becoming("g", KIT),
        *_becoming("c", CHIEF),
        *_becoming("a", READER),
        *_denied(
            30,
            ("set session authorization postgres", "a superuser's command"),
            ("set session authorization fleetmem_owner", "a superuser's command"),
            ("set session authorization fleetmem_backup", "a superuser's command"),
            ("alter role fleetmem_gateway superuser", "not its own"),
            ("alter role fleetmem_gateway bypassrls", "nor this"),
            ("alter role fleetmem_console bypassrls", "nor this"),
            ("alter role fleetmem_gateway createrole", "nor this"),
            ("alter role fleetmem_gateway connection limit -1", "nor this"),
            ("create role prove_mole login", "no CREATEROLE"),
            ("create user prove_mole in role fleetmem_agent", "no CREATEROLE"),
            ("drop role fleetmem_auditor", "no CREATEROLE"),
            ("grant fleetmem_owner to fleetmem_gateway", "no ADMIN OPTION"),
            ("grant fleetmem_operator to fleetmem_gateway", "no ADMIN OPTION"),
            ("grant fleetmem_agent to fleetmem_console", "no ADMIN OPTION on its own role either"),
            ("grant pg_read_all_data to fleetmem_gateway", "no ADMIN OPTION"),
            ("alter role fleetmem_backup password 'x'", "another's password"),
            ("reassign owned by fleetmem_owner to fleetmem_agent", "no member of the owner"),
            ("drop owned by fleetmem_owner", "no member of the owner"),
            ("alter database postgres owner to fleetmem_gateway", "no owner"),
        ),
        refused("C52", BARE, "select fence.enter(null, 'operator', true)", "42501", "the operators' role by the front door",
                Control(BARE, Refused(("28000",)), "select fence.enter(null, 'agent', true)")),
        refused("C53", BARE_CONSOLE, "select fence.enter(null, 'agent', true)", "42501", "the agents' role by the front door",
                Control(BARE_CONSOLE, Refused(("28000",)), "select fence.enter(null, 'operator', true)")),
        refused("C54", BARE, "select fence.enter(null, null, true)", "42501", "a role by no name"),
        refused("C55", BARE_CONSOLE, "select fence.enter(null, 'fleetmem_owner', true)", "28000", "a role by its own name"),
        refused("C56", BARE, "select set_config('role', 'fleetmem_owner', false)", "42501 22023", "a role as a setting"),
        refused("C57", BARE, "select set_config('session_authorization', 'postgres', false)", "42501 22023",
                "an identity as a setting"),
    ),
)  # fmt: skip

_STATE: Final = "select has_table_privilege('fleetmem_auditor', 'fleet.beat', 'insert')"

MAKING: Final = Group(
    "C",
    "Giving away, and making something new",
    controls=(_here("C04", KIT),),
    cases=(
        refused("C59", KIT, "do $$ begin perform 1; end $$", "42501", "no USAGE on plpgsql; existing functions still run",
                catalogue_right=True),
        refused("C60", KIT, "grant select on fleet.beat to public", "42501 01007", "no grant option"),
        refused("C61", KIT, "grant insert on fleet.beat to fleetmem_auditor", "42501 01007", "no grant option",
                Control(KIT, Value(False), _STATE)),
        *_denied(
            62,
            ("create function public.f() returns int language sql as 'select 1'", "no CREATE on public"),
            ("create function pg_temp.f() returns int language sql as 'select 1'", "no TEMP on the database"),
            ("create temp table principal (name text, reads text[])", "no TEMP: nothing to shadow with"),
            ("create temp view v as select 1", "no TEMP"),
            ("create schema x", "no CREATE on the database"),
            ("create table fleet.x (a int)", "no CREATE on the schema"),
            ("create table api.x (a int)", "no CREATE on the schema"),
            ("create function fence.f() returns int language sql as 'select 1'", "no CREATE on the schema"),
            ("create view fleet.v as select * from fleet.beat", "no CREATE on the schema"),
            ("create operator fleet.= (function = texteq, leftarg = text, rightarg = text)", "no CREATE on the schema"),
            ("create domain public.text as text", "no CREATE on public"),
            ("create event trigger t on ddl_command_start execute function fence.never()", "superusers only"),
            ("create publication p for table fleet.beat", "replication steps over row security"),
            ("create subscription s connection 'host=x' publication p with (connect = false)", "no subscription"),
            ("create cast (text as bytea) without function", "no cast"),
            ("create access method m type index handler bthandler", "no access method"),
        ),
    ),
)  # fmt: skip

# Where an extension's files are not installed, that is said first.
_NOT_YOURS_OR_NOT_HERE: Final = "42501 0A000 42704 58P01"

EXTENDING: Final = Group(
    "C",
    "Bringing in code, and making what no transaction can undo",
    controls=(_here("C05", KIT), _here("C06", BARE)),
    cases=(
        refused("C86", KIT, "create extension hstore schema pg_catalog", _NOT_YOURS_OR_NOT_HERE, "no CREATE on the database, trusted or not"),
        refused("C87", KIT, "create extension dblink schema pg_catalog", _NOT_YOURS_OR_NOT_HERE, "no loopback connection"),
        refused("C88", KIT, "create extension postgres_fdw schema pg_catalog", _NOT_YOURS_OR_NOT_HERE, "no loopback connection"),
        refused("C89", KIT, "create language plperlu", _NOT_YOURS_OR_NOT_HERE, "no language"),
        *(
            Case(id=f"C{number}", who=Who(BARE.login), statement=statement, expects=Refused(("42501",)), why=why, alone=True)
            for number, (statement, why) in enumerate(
                (
                    ("create database prove_x template prove_no_such", "no database"),
                    ("create tablespace prove_t location '/nonexistent/prove'", "no tablespace"),
                    ("alter system reset prove.nothing", "no system setting"),
                ),
                start=140,
            )
        ),
    ),
)  # fmt: skip

LEAVING: Final = Group(
    "C",
    "Leaving the database",
    controls=(_here("C07", KIT),),
    cases=(
        *_denied(
            90,
            ("copy (select 1) to program 'true'", "no program"),
            ("copy (select 1) to '/nonexistent/prove'", "no file"),
            ("select pg_read_file('postgresql.conf')", "no file"),
            ("select pg_read_binary_file('global/pg_control')", "no file"),
            ("select pg_ls_dir('.')", "no folder"),
            ("select pg_stat_file('postgresql.conf')", "no file"),
            ("select lo_import('/nonexistent/prove')", "no file"),
            ("select lo_export(1, '/nonexistent/prove')", "no file"),
            ("load 'auto_explain'", "no library"),
            ("set session_preload_libraries = 'auto_explain'", "no library"),
            ("set session_replication_role = replica", "it would switch triggers off"),
            ("set row_security = off; select count(*) from fleet.beat", "it fails; it never steps over"),
            ("set log_statement = 'all'", "no log setting"),
            ("set log_parameter_max_length = -1", "no log setting"),
            ("set lo_compat_privileges = on", "no such freedom"),
            ("set zero_damaged_pages = on", "superusers only"),
            ("select pg_reload_conf()", "no server command"),
            ("select pg_create_logical_replication_slot('prove', 'pgoutput', true)", "needs REPLICATION"),
            ("select pg_create_physical_replication_slot('prove', false, true)", "needs REPLICATION"),
            ("select pg_replication_origin_create('prove')", "no replication origin"),
            ("checkpoint", "no server command"),
            ("select pg_switch_wal()", "no server command"),
            ("select * from pg_hba_file_rules", "the server's own rules"),
            ("select * from pg_file_settings", "the server's own settings"),
            ("select rolpassword from pg_authid", "no password"),
            ("select subconninfo from pg_subscription", "no connection's password"),
            ("select umoptions from pg_user_mapping", "no connection's password"),
        ),
        refused("C120", KIT, "prepare transaction 'x'", "55000 42501", "a transaction ends with its session"),
        refused("C121", KIT, "alter function fence.current_agent() security invoker", "42501", "no owner"),
        refused("C122", KIT, "alter function fence.current_agent() set search_path = public", "42501", "no owner"),
        refused("C123", KIT, "create or replace function fence.current_agent() returns text language sql as $$ select <zoe> $$",
                "42501", "no owner"),
        refused("C124", KIT, "drop function fence.current_agent()", "42501", "no owner"),
        refused("C125", KIT, "select fence._who('agent')", "42501", "nobody's function"),
        refused("C126", CHIEF, "select fence._who('operator')", "42501", "nobody's function"),
        refused("C127", KIT, "select fence.beat_stamp()", "42501", "a trigger's function"),
        open_to_all("C130", KIT, "alter default privileges grant all on tables to public",
                    "a role may set its own defaults; it can create nothing to apply them to, and S6 lists them"),
        open_to_all("C131", BARE, "alter role fleetmem_gateway password 'x'",
                    "a login may change its own password: S5 lists settings, and the owner sets it again"),
        open_to_all("C132", BARE, "alter role fleetmem_gateway set row_security = off",
                    "a login may change its own defaults: row security off only makes every read fail; S5 lists it"),
        open_to_all("C133", BARE, "alter role fleetmem_gateway set search_path = public",
                    "a login may change its own defaults: nothing of the fence resolves names by them; S5 lists it"),
    ),
)  # fmt: skip

GROUPS: Final = (BECOMING, MAKING, EXTENDING, LEAVING)
