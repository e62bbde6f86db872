"""What the database server shows: its version, the way to it, its tables, the fence, the logins, the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import psycopg
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from fleetmem.admin import database, migrate, policies
from fleetmem.admin.database import Conninfo
from fleetmem.admin.doctor.finding import Finding, State

_Connection = psycopg.Connection[Any]

# What the fence takes from everyone and a managed server may not allow to be taken: (what, what it leaves open, query).
_REVOCATIONS: Final = (
    (
        "temporary tables",
        "a login's holder can make objects of its own in pg_temp",
        "select has_database_privilege('fleetmem_gateway', current_database(), 'TEMP')",
    ),
    (
        "schema public",
        "a login's holder can make objects other fleets' code may meet",
        "select has_schema_privilege('fleetmem_gateway', 'public', 'CREATE')",
    ),
    (
        "language plpgsql",
        "a login's holder can run procedural code",
        "select has_language_privilege('fleetmem_gateway', 'plpgsql', 'USAGE')",
    ),
    (
        "catalogue functions",
        "a login's holder can hold locks, sleep, notify, or write large objects",
        (
            "select bool_or(has_function_privilege('fleetmem_gateway', p.oid, 'EXECUTE')) from pg_proc p"
            " where p.pronamespace = 'pg_catalog'::regnamespace and p.proname in"
            " ('pg_advisory_lock', 'pg_notify', 'lo_create', 'pg_sleep', 'pg_export_snapshot', 'query_to_xml')"
        ),
    ),
    (
        "leakproof text operators",
        "a valid agent with raw SQL can time comparisons with hidden text",
        (
            "select bool_or(proleakproof) from pg_proc where pronamespace = 'pg_catalog'::regnamespace"
            " and proname in ('text_lt', 'bttextcmp', 'starts_with')"
        ),
    ),
)
_ATTRIBUTES: Final = """
select r.rolname, concat_ws(', ',
         case when r.rolsuper then 'superuser' end, case when r.rolbypassrls then 'BYPASSRLS' end,
         case when r.rolcreaterole then 'CREATEROLE' end, case when r.rolcreatedb then 'CREATEDB' end,
         case when r.rolreplication then 'REPLICATION' end, case when r.rolinherit then 'INHERIT' end,
         (select 'owner of ' || min(c.oid::regclass::text) from pg_class c where c.relowner = r.oid),
         (select 'member of ' || string_agg(g.roleid::regrole::text, ', ' order by 1) from pg_auth_members g
           where g.member = r.oid and (r.rolname::text, g.roleid::regrole::text) not in
                 (('fleetmem_gateway', 'fleetmem_agent'), ('fleetmem_console', 'fleetmem_operator'))))
  from pg_roles r where r.rolname = any (%s) order by 1
"""
_LOGGING: Final = """
select r.rolname from pg_roles r
 where r.rolname in ('fleetmem_gateway', 'fleetmem_console', 'fleetmem_worker')
   and not exists (select from pg_db_role_setting s, unnest(s.setconfig) as c
                    where s.setrole = r.oid and c = 'log_parameter_max_length=0')
 order by 1
"""


def server(connection: _Connection, conninfo: Conninfo) -> Iterator[Finding]:
    """Look at the server's age and at the way to it."""
    version = connection.info.parameter_status("server_version") or "unknown"
    old = connection.info.server_version < database.OLDEST_MAJOR * 10_000
    remedy = f"upgrade to PostgreSQL {database.OLDEST_MAJOR} or later" if old else ""
    yield Finding(State.BROKEN if old else State.SOUND, "server", f"PostgreSQL {version}", remedy)
    host = conninfo.get("host", "")
    if host.startswith("/"):
        yield Finding(State.SOUND, "connection", "over a Unix socket")
    elif connection.pgconn.ssl_in_use:
        yield Finding(State.SOUND, "connection", f"to {host}, over TLS")
    elif host in {"localhost", "127.0.0.1", "::1"}:
        yield Finding(State.SOUND, "connection", f"to {host}, on this machine")
    else:
        remedy = "add ?sslmode=verify-full to the database's URL"
        yield Finding(State.OPEN, "connection", f"to {host}, in the clear", remedy)


def fence(connection: _Connection, conninfo: Conninfo) -> Iterator[Finding]:
    """Compare tables and fence with what this version declares, and run the fence's own lints."""
    pending = _pending(conninfo)
    if pending:
        yield Finding(State.BROKEN, "migrations", f"pending: {', '.join(pending)}", "run `fleetmem db migrate`")
        return
    yield Finding(State.SOUND, "migrations", "none pending")
    difference = policies.plan(connection)
    changed = (*difference.added, *difference.changed, *difference.removed)
    if changed:
        remedy = "run `fleetmem policies apply`"
        yield Finding(State.BROKEN, "fence", f"is not this version's: {', '.join(changed)}", remedy)
        return
    yield Finding(State.SOUND, "fence", "is this version's")
    holes = policies.lint(connection)
    for hole in holes:
        yield Finding(State.BROKEN, "fence", f"was changed by hand: {hole}", "run `fleetmem policies apply --again`")
    if not holes:
        yield Finding(State.SOUND, "fence lints", "every invariant holds")


def logins(connection: _Connection) -> Iterator[Finding]:
    """Look for a power that no service may have."""
    rows = connection.execute(_ATTRIBUTES, [list(database.LOGINS)]).fetchall()
    for login in sorted(set(database.LOGINS) - {name for name, _ in rows}):
        yield Finding(State.BROKEN, "logins", f"{login} does not exist", "run `fleetmem db migrate`")
    for login, powers in rows:
        if powers:
            yield Finding(State.BROKEN, "logins", f"{login} is {powers}", "run `fleetmem policies apply --again`")
        else:
            yield Finding(State.SOUND, "logins", f"{login} holds nothing of its own")


def catalogue(connection: _Connection) -> Iterator[Finding]:
    """Look for rights that only a superuser can take away, and say what each leaves open."""
    for what, leaves, query in _REVOCATIONS:
        left = connection.execute(query).fetchone()
        if left and left[0]:
            remedy = "apply the policies once as a superuser; a managed server may have none"
            yield Finding(State.OPEN, what, f"not taken away: {leaves}", remedy)
        else:
            yield Finding(State.SOUND, what, "taken away")
    for (login,) in connection.execute(_LOGGING).fetchall():
        remedy = "set log_parameter_max_length = 0 in the server's configuration"
        yield Finding(State.OPEN, "server log", f"may hold the values {login} sends, claims included", remedy)


def _pending(conninfo: Conninfo) -> list[str]:
    engine = create_engine("postgresql+psycopg://", poolclass=NullPool, connect_args=dict(conninfo))
    try:
        with engine.connect() as connection:
            return migrate.pending(connection)
    finally:
        engine.dispose()
