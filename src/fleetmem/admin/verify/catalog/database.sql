-- The database itself and its schemas. Its own name does not matter, nor which login of the owner's made it.
with here as (select d.*, o.rolsuper as by_super, o.rolname as made_by
                from pg_database d join pg_roles o on o.oid = d.datdba where d.datname = current_database())
select 'database owner', 'this database', case when by_super or made_by = session_user then 'the owner''s login' else made_by::text end
  from here
union all
select 'database template', 'this database', datistemplate::text from here
union all
select 'database encoding', 'this database', pg_encoding_to_char(encoding)::text from here
union all
select 'database limits', 'this database', format('connections %s, %s', case when datallowconn then 'allowed' else 'refused' end,
         case datconnlimit when -1 then 'any number' else datconnlimit::text end) from here
union all
select 'database privilege', 'this database',
       format('%s: %s%s', case when a.grantee = 0 then 'PUBLIC' else a.grantee::regrole::text end, a.privilege_type,
              case when a.is_grantable then ', and may grant it on' else '' end)
  from here cross join lateral aclexplode(coalesce(here.datacl, acldefault('d', here.datdba))) a where a.grantee <> here.datdba
union all
select 'schema', nspname::text, '' from pg_namespace where nspname !~ '^pg_(toast_)?temp_'
union all
select 'schema owner', nspname::text, nspowner::regrole::text from pg_namespace where nspname !~ '^pg_(toast_)?temp_'
union all
select 'schema privilege', n.nspname::text,
       format('%s: %s%s', case when a.grantee = 0 then 'PUBLIC' else a.grantee::regrole::text end, a.privilege_type,
              case when a.is_grantable then ', and may grant it on' else '' end)
  from pg_namespace n cross join lateral aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
 where n.nspname !~ '^pg_(toast_)?temp_'
