-- The product's roles: what each is, what it is a member of, and what its sessions start with.
select 'role', rolname::text, ''
  from pg_roles where rolname like 'fleetmem\_%'
union all
select 'role attribute', r.rolname::text, a.attribute
  from pg_roles r cross join lateral (values
         ('LOGIN', r.rolcanlogin), ('SUPERUSER', r.rolsuper), ('BYPASSRLS', r.rolbypassrls), ('CREATEROLE', r.rolcreaterole),
         ('CREATEDB', r.rolcreatedb), ('REPLICATION', r.rolreplication), ('INHERIT', r.rolinherit)) as a (attribute, held)
 where r.rolname like 'fleetmem\_%' and a.held
union all
select 'role limits', rolname::text, format('%s connections, valid until %s',
         case rolconnlimit when -1 then 'any number of' else rolconnlimit::text end, coalesce(rolvaliduntil::text, 'any time'))
  from pg_roles where rolname like 'fleetmem\_%'
union all
-- The options of a membership have columns of their own from PostgreSQL 16; before, every membership could be SET and
-- inherited as the member's own attribute says.
select 'membership', format('%s in %s', m.rolname, g.rolname),
       concat_ws(', ', case when a.admin_option then 'may admit others' end,
                       case when coalesce((to_jsonb(a) ->> 'inherit_option')::boolean, m.rolinherit) then 'inherits' end,
                       case when coalesce((to_jsonb(a) ->> 'set_option')::boolean, true) then 'may become it' end)
  from pg_auth_members a join pg_roles m on m.oid = a.member join pg_roles g on g.oid = a.roleid
 where m.rolname like 'fleetmem\_%' or g.rolname like 'fleetmem\_%'
union all
select 'role setting',
       coalesce(r.rolname::text, 'every role') || case when s.setdatabase = 0 then '' else ' in this database' end, c.setting
  from pg_db_role_setting s left join pg_roles r on r.oid = s.setrole cross join lateral unnest(s.setconfig) as c (setting)
 where (r.rolname like 'fleetmem\_%' or s.setrole = 0)
   and s.setdatabase in (0, (select d.oid from pg_database d where d.datname = current_database()))
