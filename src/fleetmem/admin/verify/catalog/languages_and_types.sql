-- Languages, types, and the rights that objects will be born with.
select 'language', lanname::text, case when lanpltrusted then 'trusted' else 'untrusted' end from pg_language
union all
select 'language privilege', l.lanname::text,
       format('%s: %s%s', case when a.grantee = 0 then 'PUBLIC' else a.grantee::regrole::text end, a.privilege_type,
              case when a.is_grantable then ', and may grant it on' else '' end)
  from pg_language l cross join lateral aclexplode(coalesce(l.lanacl, acldefault('l', l.lanowner))) a where a.grantee <> l.lanowner
union all
select 'type', t.oid::regtype::text, format('%s of %s', t.typtype, t.typowner::regrole)
  from pg_type t join pg_namespace n on n.oid = t.typnamespace
 where t.oid >= 16384 and n.nspname !~ '^pg_(toast_)?temp_'
   and (t.typtype <> 'c' or (select c.relkind = 'c' from pg_class c where c.oid = t.typrelid)) and t.typcategory <> 'A'
union all
select 'type privilege', t.oid::regtype::text,
       format('%s: %s%s', case when a.grantee = 0 then 'PUBLIC' else a.grantee::regrole::text end, a.privilege_type,
              case when a.is_grantable then ', and may grant it on' else '' end)
  from pg_type t join pg_namespace n on n.oid = t.typnamespace
  cross join lateral aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) a
 where t.oid >= 16384 and n.nspname !~ '^pg_(toast_)?temp_' and a.grantee <> t.typowner
   and t.typcategory <> 'A'
union all
select 'default privilege',
       format('what %s makes%s: %s',
              case when r.rolsuper or r.rolname = session_user then 'the owner''s login' else r.rolname::text end, case when d.defaclnamespace = 0 then '' else ' in ' || d.defaclnamespace::regnamespace::text end,
              case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types'
                when 'n' then 'schemas' else 'large objects' end),
       coalesce((select string_agg(format('%s: %s', case when a.grantee = 0 then 'PUBLIC' else a.grantee::regrole::text end, a.privilege_type),
                                   '; ' order by a.grantee, a.privilege_type)
                   from aclexplode(d.defaclacl) a where a.grantee <> d.defaclrole), 'nobody else')
  from pg_default_acl d join pg_roles r on r.oid = d.defaclrole
