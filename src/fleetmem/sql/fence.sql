-- What a service asks before it starts, and what its readiness probe asks.

-- name: fence_version
select api.fence_version();

-- name: ready
select api.ready();

-- name: key_known
select api.key_known($1);

-- name: login_powers
select r.rolname as login,
       r.rolsuper as superuser,
       r.rolbypassrls as bypassrls,
       r.rolcreaterole as createrole,
       r.rolcreatedb as createdb,
       r.rolreplication as replication,
       exists (select from pg_catalog.pg_class c where c.relowner = r.oid) as owner,
       array(select m.roleid::pg_catalog.regrole::pg_catalog.text
               from pg_catalog.pg_auth_members m
              where m.member = r.oid
              order by 1) as memberships
  from pg_catalog.pg_roles r
 where r.rolname = session_user;
