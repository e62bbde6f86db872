"""Each worker's databases: clones of one template a server, which the first worker that needs it makes."""

from typing import Any, Final

import psycopg
from psycopg import sql

from fleetmem.admin import database
from fleetmem.admin.postgres import ConnInfo
from tests.clusters import Cluster

# Any number, the same in every worker: whoever holds it first makes the template.
_TEMPLATE_LOCK: Final = 7_205_759
_GRANTS: Final = """
    select privilege_type, is_grantable, case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end
      from pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba)))
     where datname = %s
"""
_SETTINGS: Final = """
    select split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1)
      from pg_db_role_setting join pg_database on pg_database.oid = setdatabase, unnest(setconfig) as setting
     where datname = %s and setrole = 0
"""

_Connection = psycopg.Connection[tuple[Any, ...]]


def prepare(cluster: Cluster, dbname: str) -> None:
    """Make what the product makes of a new database, and give its logins the passwords that tests know."""
    database.prepare(cluster.at(dbname).psycopg())
    with psycopg.connect(**cluster.at(dbname).psycopg()) as connection:
        for login in database.LOGINS:
            database.set_password(connection, login, cluster.password_of(login))


class Databases:
    """Hands out databases on any server; a clone takes about 50 ms, its template some seconds."""

    def __init__(self, worker: str) -> None:
        self._worker = worker
        self._made = 0
        self._own: dict[str, ConnInfo] = {}

    def of(self, cluster: Cluster) -> ConnInfo:
        """Return this worker's database on the server: the same one each time."""
        if cluster.label not in self._own:
            self._own[cluster.label] = self.fresh(cluster)
        return self._own[cluster.label]

    def fresh(self, cluster: Cluster) -> ConnInfo:
        """Return one more database, as the product prepares it and otherwise empty."""
        self._made += 1
        dbname = f"{cluster.prefix}{self._worker}_{self._made}"
        with psycopg.connect(**cluster.admin.psycopg(), autocommit=True) as connection:
            _clone(connection, _template(connection, cluster), dbname)
        return cluster.at(dbname)


def _template(connection: _Connection, cluster: Cluster) -> str:
    """Return the name of the prepared database, making it now where this run has none on this server yet."""
    dbname = f"{cluster.prefix}template"
    connection.execute("select pg_advisory_lock(%s)", [_TEMPLATE_LOCK])
    try:
        if connection.execute("select from pg_database where datname = %s", [dbname]).fetchone() is None:
            prepare(cluster, dbname)
    except BaseException:
        connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(dbname)))
        raise
    finally:
        connection.execute("select pg_advisory_unlock(%s)", [_TEMPLATE_LOCK])
    return dbname


def _clone(connection: _Connection, template: str, dbname: str) -> None:
    """Copy a database, with what CREATE DATABASE leaves behind: who may connect to it, and its settings."""
    clone = sql.Identifier(dbname)
    connection.execute(sql.SQL("create database {} template {}").format(clone, sql.Identifier(template)))
    connection.execute(sql.SQL("revoke all on database {} from public").format(clone))
    for privilege, grantable, grantee in connection.execute(_GRANTS, [template]).fetchall():
        option = sql.SQL("with grant option" if grantable else "")
        grant = sql.SQL("grant {} on database {} to {} {}")
        connection.execute(grant.format(sql.SQL(privilege), clone, sql.SQL(grantee), option))
    for name, value in connection.execute(_SETTINGS, [template]).fetchall():
        alter = sql.SQL("alter database {} set {} = {}")
        connection.execute(alter.format(clone, sql.Identifier(name), sql.Literal(value)))
