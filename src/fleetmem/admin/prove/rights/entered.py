"""What the database says of its roles and places, held to the tables."""

from collections.abc import Iterator, Mapping
from typing import Final

from fleetmem.admin.prove.rights.held import state
from fleetmem.admin.prove.rights.places import CONNECTS, MEMBERSHIPS, ROLES, SCHEMAS
from fleetmem.admin.prove.rights.relations import EVERYONE
from fleetmem.admin.prove.setting import Connection
from fleetmem.admin.prove.verdict import Verdict

_SCHEMAS: Final = """
select n.nspname::text, v.verb, coalesce(string_agg(r.role, ' ' order by r.place) filter (where has_schema_privilege(r.role, n.oid, v.verb)), '')
  from pg_namespace n
  cross join unnest(%s::text[]) with ordinality r (role, place)
  cross join unnest(array['usage', 'create']) v (verb)
 where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
 group by 1, 2 order by 1, 2
"""
_DATABASE: Final = """
select v.verb, coalesce(string_agg(r.role, ' ' order by r.place) filter (where has_database_privilege(r.role, current_database(), v.verb)), '')
  from unnest(%s::text[]) with ordinality r (role, place)
  cross join unnest(array['connect', 'create', 'temporary']) v (verb)
 group by 1 order by 1
"""
_ROLES: Final = """
select rolname::text, concat_ws(' ', case when rolcanlogin then 'login' end, case when rolsuper then 'superuser' end,
         case when rolbypassrls then 'bypassrls' end, case when rolcreaterole then 'createrole' end,
         case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
         case when rolinherit then 'inherit' end)
  from pg_roles where rolname like 'fleetmem\\_%'
"""
# A role's maker is its administrator from PostgreSQL 16 on, where it is no superuser; that is who runs this.
_MEMBERSHIPS: Final = """
select m.rolname || ' in ' || g.rolname || case when a.admin_option then ', may admit others' else '' end
  from pg_auth_members a join pg_roles m on m.oid = a.member join pg_roles g on g.oid = a.roleid
 where (m.rolname like 'fleetmem\\_%' or g.rolname like 'fleetmem\\_%')
   and not (m.rolname = current_user and not m.rolsuper)
 order by 1
"""


def compare(connection: Connection, *, is_owned: bool) -> Iterator[Verdict]:
    """Hold every schema, the database, every role and every membership to the tables.

    Where the server is not the owner's, the backup's login cannot be given its way past row security.
    """
    everyone = [list(EVERYONE)]
    for name, verb, roles in connection.execute(_SCHEMAS.encode(), everyone).fetchall():
        yield state(f"M:{name}:{verb}", f"{verb} on the schema {name}", _in_schema(str(name), str(verb)), str(roles))
    for verb, roles in connection.execute(_DATABASE.encode(), everyone).fetchall():
        wanted = _ordered(CONNECTS) if verb == "connect" else ""
        yield state(f"M:database:{verb}", f"{verb} in the database", wanted, str(roles))
    there = {str(name): str(is_) for name, is_ in connection.execute(_ROLES.encode()).fetchall()}
    declared = ROLES if is_owned else {role: is_.removesuffix(" bypassrls") for role, is_ in ROLES.items()}
    for role in sorted(declared.keys() | there.keys()):
        yield state(f"M:role:{role}", f"what the role {role} is", _worded(declared, role), _worded(there, role))
    members = "; ".join(str(row[0]) for row in connection.execute(_MEMBERSHIPS.encode()).fetchall())
    wanted = "; ".join(sorted(f"{member} in {role}" for member, role in MEMBERSHIPS))
    yield state("M:memberships", "who may become whom", wanted, members)


def _in_schema(name: str, verb: str) -> str:
    schema = SCHEMAS.get(name)
    if schema is None:
        return ""
    return _ordered((schema.owner, *(schema.users if verb == "usage" else ()), *schema.makers))


def _ordered(roles: tuple[str, ...]) -> str:
    return " ".join(role for role in EVERYONE if role in roles)


def _worded(roles: Mapping[str, str], role: str) -> str | None:
    return (roles[role] or "no login") if role in roles else None
