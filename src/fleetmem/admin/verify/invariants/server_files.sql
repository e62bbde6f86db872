-- Nobody is a member, through however many roles, of a built-in role that reads every table, or reaches the server's files,
-- programs, sessions or statistics
with recursive reaches (member, role_held) as (
  select member, roleid from pg_auth_members
   union
  select r.member, a.roleid from reaches r join pg_auth_members a on a.member = r.role_held
)
select m.rolname::text, 'is a member of', string_agg(g.rolname::text, ', ' order by g.rolname::text)
  from reaches r join pg_roles m on m.oid = r.member join pg_roles g on g.oid = r.role_held
 where g.rolname like 'pg\_%' and g.rolname not in ('pg_checkpoint', 'pg_database_owner', 'pg_read_all_settings')
   and not m.rolsuper and m.oid >= 16384
 group by 1
