"""Apply the declared fence whole: everything of the old one is dropped and the files run again, in one transaction.

Dropping first is what makes the files the truth: a policy, trigger, function or grant that no file names any more cannot
survive. While it runs the tables are locked, so no reader ever meets half a fence; if anything fails, the old one stands.
"""

from dataclasses import dataclass
from typing import Final

import psycopg

from fleetmem.errors import SetupInvalid
from fleetmem.sql.fence_files import declared, fence_files, shipped, version

_LOCK: Final = 0x66656E6365  # "fence": one applier of a database at a time
ROLES: Final = "00_roles.sql"

_DROP: Final = """
do $$
declare
  doomed record;
begin
  for doomed in select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
                 where n.nspname in ('fleet', 'vault', 'fence') and c.relkind in ('r', 'p') order by 1, 2 loop
    execute format('lock table %I.%I in access exclusive mode', doomed.nspname, doomed.relname);
  end loop;
  for doomed in select p.polname, p.polrelid::regclass as held from pg_policy p
                  join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
                 where n.nspname in ('fleet', 'vault', 'fence') loop
    execute format('drop policy %I on %s', doomed.polname, doomed.held);
  end loop;
  for doomed in select t.tgname, t.tgrelid::regclass as held from pg_trigger t
                  join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
                 where not t.tgisinternal and n.nspname in ('fleet', 'vault', 'fence') loop
    execute format('drop trigger %I on %s', doomed.tgname, doomed.held);
  end loop;
  for doomed in select c.oid::regclass as held from pg_class c join pg_namespace n on n.oid = c.relnamespace
                 where n.nspname in ('api', 'fence') and c.relkind = 'v' loop
    execute format('drop view %s cascade', doomed.held);
  end loop;
  for doomed in select p.oid, p.oid::regprocedure as held from pg_proc p join pg_namespace n on n.oid = p.pronamespace
                 where n.nspname in ('api', 'fence', 'fleet', 'vault') loop
    if exists (select from pg_proc where oid = doomed.oid) then
      execute format('drop routine %s cascade', doomed.held);
    end if;
  end loop;
  -- Whoever holds a right that is not the owner's own loses it, PUBLIC and strangers included; the files grant it anew.
  for doomed in select distinct n.nspname, case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as holder
                  from pg_namespace n cross join lateral aclexplode(n.nspacl) a
                 where n.nspname in ('api', 'fence', 'fleet', 'queue', 'vault') and a.grantee <> n.nspowner loop
    execute format('revoke all on schema %I from %s cascade', doomed.nspname, doomed.holder);
  end loop;
  for doomed in select distinct c.oid::regclass as held,
                       case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as holder
                  from pg_class c join pg_namespace n on n.oid = c.relnamespace
                  join pg_attribute k on k.attrelid = c.oid
                  cross join lateral (select * from aclexplode(c.relacl) union all select * from aclexplode(k.attacl)) a
                 where n.nspname in ('fence', 'fleet', 'queue', 'vault') and c.relkind in ('r', 'p') and a.grantee <> c.relowner loop
    execute format('revoke all on table %s from %s cascade', doomed.held, doomed.holder);
  end loop;
  for doomed in select distinct c.oid::regclass as held,
                       case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as holder
                  from pg_class c cross join lateral aclexplode(c.relacl) a
                 where c.relnamespace = to_regnamespace('queue') and c.relkind = 'S' and a.grantee <> c.relowner loop
    execute format('revoke all on sequence %s from %s cascade', doomed.held, doomed.holder);
  end loop;
  -- The queue's functions are a migration's and stay; who may call them, and on which path they run, is said anew.
  for doomed in select p.oid::regprocedure as held,
                       case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as holder
                  from pg_proc p cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                 where p.pronamespace = to_regnamespace('queue') and a.grantee <> p.proowner loop
    execute format('revoke all on function %s from %s cascade', doomed.held, doomed.holder);
  end loop;
end $$
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an apply would run again. Empty everywhere means the database already runs under the declared files."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to apply."""
        return not (self.added or self.changed or self.removed)


def applied(connection: psycopg.Connection[tuple[object, ...]]) -> dict[str, str]:
    """File name to SHA-256 of what the database runs under; empty before the first apply."""
    if connection.execute("select to_regclass('fence.applied')").fetchone() == (None,):
        return {}
    rows = connection.execute("select file, sha256 from fence.applied").fetchall()
    return {str(file): str(sha256) for file, sha256 in rows}


def plan(connection: psycopg.Connection[tuple[object, ...]]) -> Plan:
    """Compare the declared files with the applied ones, by hash."""
    have, want = applied(connection), declared()
    return Plan(
        added=tuple(sorted(want.keys() - have.keys())),
        changed=tuple(sorted(name for name in want.keys() & have.keys() if want[name] != have[name])),
        removed=tuple(sorted(have.keys() - want.keys())),
    )


def apply_roles(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Create the cluster's roles where they are missing; tables need their owners before the rest of the fence."""
    connection.execute("select pg_advisory_xact_lock(%s)", [_LOCK])
    connection.execute((shipped("policies") / "fence" / ROLES).read_bytes())


def drop(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Drop the applied fence; row security stays forced, so until the next apply nobody reads anything."""
    connection.execute(_DROP.encode())
    if applied(connection):
        connection.execute("delete from fence.applied")


def apply(connection: psycopg.Connection[tuple[object, ...]], *, again: bool = False) -> Plan:
    """Bring the database under the declared files, inside the caller's transaction; say what was different.

    `again` applies them even where the hashes agree, which repairs a fence that somebody changed by hand.

    Raises:
        SetupInvalid: a lint found a hole in what the files declare; nothing is applied.
    """
    connection.execute("select pg_advisory_xact_lock(%s)", [_LOCK])
    difference = plan(connection)
    if difference.is_empty and not again:
        return difference
    drop(connection)
    for path in fence_files():
        try:
            connection.execute(path.read_bytes())
        except psycopg.Error as error:
            raise SetupInvalid(f"policies/fence/{path.name}: {str(error).strip()}") from error
    for name, sha256 in declared().items():
        connection.execute("insert into fence.applied (file, sha256) values (%s, %s)", [name, sha256])
    findings = lint(connection)
    if findings:
        raise SetupInvalid("the declared policies leave a hole: " + "; ".join(findings))
    row = connection.execute("select api.fence_version()").fetchone()
    if row != (version(),):
        raise SetupInvalid("the applied policies do not hash to the declared ones")
    return difference


def lint(connection: psycopg.Connection[tuple[object, ...]]) -> list[str]:
    """Run every invariant of policies/fence/lint; each finding as `lint-name: object`. Empty is sound."""
    findings: list[str] = []
    for path in sorted((shipped("policies") / "fence" / "lint").glob("*.sql")):
        rows = connection.execute(path.read_bytes()).fetchall()
        findings.extend(f"{path.stem}: {' '.join(str(value) for value in row)}" for row in rows)
    return findings
