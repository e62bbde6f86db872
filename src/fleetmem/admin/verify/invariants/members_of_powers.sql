-- Nobody is a member, through however many roles, of one that steps over row security, makes roles, replicates, or is the
-- owner's own login: a member becomes it with SET ROLE
with recursive reaches (member, role_held) as (
  select member, roleid from pg_auth_members
   union
  select r.member, a.roleid from reaches r join pg_auth_members a on a.member = r.role_held
)
select m.rolname::text, 'is a member of', string_agg(g.rolname::text, ', ' order by g.rolname::text)
  from reaches r join pg_roles m on m.oid = r.member join pg_roles g on g.oid = r.role_held
 where (g.rolsuper or g.rolbypassrls or g.rolcreaterole or g.rolreplication or g.rolname = session_user)
   and not m.rolsuper and m.rolname <> session_user
 group by 1
