"""The owner's database work: make a fleet's database, bring it under migrations and policies, give the logins passwords."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypedDict, cast

import psycopg
from psycopg import sql
from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import NullPool

from fleetmem.admin import migrate, policies
from fleetmem.errors import SetupInvalid, Unavailable

LOGINS: Final = ("fleetmem_gateway", "fleetmem_console", "fleetmem_worker", "fleetmem_auditor")
OLDEST_MAJOR: Final = 15
_PATIENCE: Final = "-c lock_timeout=5s"
# Chosen first, ended then: as one list of conditions the planner might end a session before it looks whose it is.
_END_HOLDERS: Final = """
with holder as materialized (
  select pid, usename from pg_stat_activity
   where datname = current_database() and usename = any (%s) and xact_start < clock_timestamp() - interval '2 seconds')
select usename from holder where pg_terminate_backend(pid)
"""


class Conninfo(TypedDict, total=False):
    """How to reach a server, as psycopg and asyncpg alike spell it; `host` may be a socket folder."""

    host: str
    port: int
    user: str
    password: str
    dbname: str
    sslmode: str
    sslrootcert: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """What `prepare` found to do."""

    created: bool
    migrations: tuple[str, ...]
    policies: policies.Plan


@contextmanager
def owner(conninfo: Conninfo) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """One transaction as the owner's login: committed when the block ends, undone when it raises.

    Raises:
        Unavailable: the server does not answer, or somebody's transaction holds the owner up.
    """
    with _not_held_up(conninfo), _connect(conninfo) as connection:
        yield connection


@contextmanager
def _transaction(conninfo: Conninfo) -> Iterator[tuple[Connection, psycopg.Connection[tuple[object, ...]]]]:
    """The same kind of transaction for Alembic (SQLAlchemy's connection) and for the policies (psycopg's under it)."""
    arguments = {**conninfo, "application_name": "fleetmem admin", "options": _PATIENCE}
    engine = create_engine("postgresql+psycopg://", poolclass=NullPool, connect_args=arguments)
    with _not_held_up(conninfo), engine.connect() as connection, connection.begin():
        driver = cast("psycopg.Connection[tuple[object, ...]]", connection.connection.driver_connection)
        yield connection, driver
    engine.dispose()


def create(conninfo: Conninfo) -> bool:
    """Create the database that `conninfo` names unless it exists; True when it was made now.

    Raises:
        SetupInvalid: the server is older than PostgreSQL 15.
    """
    name = conninfo["dbname"]
    with owner(_within(conninfo, "postgres")) as connection:
        if connection.info.server_version < OLDEST_MAJOR * 10_000:
            raise SetupInvalid(
                f"PostgreSQL {connection.info.parameter_status('server_version')} is too old: 15 is the oldest"
            )
        if connection.execute("select from pg_database where datname = %s", [name]).fetchone() is not None:
            return False
        connection.commit()
        connection.autocommit = True
        connection.execute(
            sql.SQL("create database {} template template0 encoding 'UTF8'").format(sql.Identifier(name))
        )
    return True


def prepare(conninfo: Conninfo, *, again: bool = False) -> Prepared:
    """Bring a fleet's database to what this version declares; running it twice changes nothing.

    Roles, migrations and policies commit together: a database is under the old fence, or under the new one.
    `conninfo` is a superuser's (or, on a managed server, of whoever may create roles); its `dbname` is the fleet's.
    """
    made = create(conninfo)
    with _transaction(conninfo) as (connection, driver):
        policies.apply_roles(driver)
        connection.exec_driver_sql("create schema if not exists fence authorization fleetmem_owner")
        revisions = tuple(migrate.pending(connection))
        if revisions:
            policies.drop(driver)
            migrate.upgrade(connection)
        difference = policies.apply(driver, again=again)
    return Prepared(created=made, migrations=revisions, policies=difference)


def set_password(connection: psycopg.Connection[tuple[object, ...]], login: str, password: str) -> None:
    """Give a login its password; only its SCRAM verifier crosses the wire, so no log can hold the password."""
    verifier = connection.pgconn.encrypt_password(password.encode(), login.encode(), b"scram-sha-256").decode()
    connection.execute(sql.SQL("alter role {} password {}").format(sql.Identifier(login), sql.Literal(verifier)))


def _connect(conninfo: Conninfo) -> psycopg.Connection[tuple[object, ...]]:
    try:
        return psycopg.connect(**conninfo, application_name="fleetmem admin", connect_timeout=10, options=_PATIENCE)
    except psycopg.OperationalError as error:
        raise Unavailable(f"the database does not answer: {str(error).strip().splitlines()[-1]}") from error


@contextmanager
def _not_held_up(conninfo: Conninfo) -> Iterator[None]:
    """Let no service's login keep the owner from revoking: after a lock time-out its open transactions are ended.

    A service's transactions last as long as one statement; whoever holds one open for seconds is not the service.

    Raises:
        Unavailable: the owner's statement waited for a lock in vain; says whose sessions were ended for it.
    """
    try:
        yield
    except psycopg.errors.LockNotAvailable as error:
        with _connect(conninfo) as connection:
            ended = connection.execute(_END_HOLDERS, [list(LOGINS)]).fetchall()
        whose = ", ".join(sorted({str(login) for (login,) in ended})) or "no service's login"
        raise Unavailable(
            f"a transaction that somebody holds open was in the way; ended {len(ended)} sessions of {whose}: run it again"
        ) from error


def _within(conninfo: Conninfo, dbname: str) -> Conninfo:
    return cast("Conninfo", {**conninfo, "dbname": dbname})
