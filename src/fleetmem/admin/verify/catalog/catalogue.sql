-- The catalogue as initdb made it (every object below 16384): what the fence took from PUBLIC there, what it marked as leaking, and whether anyone replaced a part of it.
with routines as (
  select p.*, p.oid::regprocedure::text as called from pg_proc p
   where p.oid < 16384 and p.pronamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
)
select 'catalogue function closed to PUBLIC', called, ''
  from routines
 where proacl is not null and not exists (select from aclexplode(proacl) a where a.grantee = 0 and a.privilege_type = 'EXECUTE')
union all
select 'catalogue function privilege', r.called,
       format('%s: %s%s', a.grantee::regrole, a.privilege_type, case when a.is_grantable then ', and may grant it on' else '' end)
  from routines r cross join lateral aclexplode(r.proacl) a where a.grantee not in (0, r.proowner)
union all
select 'catalogue function leakproof', called, '' from routines where proleakproof
union all
select 'catalogue functions', 'all of ' || pronamespace::regnamespace, encode(sha256(convert_to(string_agg(concat_ws(',', oid, proowner::regrole, prosecdef,
         provolatile, prosrc, pg_get_function_sqlbody(oid), probin, proconfig, prolang), e'\n' order by oid), 'UTF8')), 'hex')
  from routines group by pronamespace
union all
select 'catalogue views', 'all of ' || relnamespace::regnamespace, encode(sha256(convert_to(string_agg(pg_get_viewdef(oid), e'\n' order by oid), 'UTF8')), 'hex')
  from pg_class
 where oid < 16384 and relnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) and relkind = 'v'
 group by relnamespace
union all
select 'catalogue privilege', c.oid::regclass::text,
       format('%s: %s%s', case when a.grantee = 0 then 'PUBLIC' else a.grantee::regrole::text end, a.privilege_type,
              case when a.is_grantable then ', and may grant it on' else '' end)
  from pg_class c cross join lateral aclexplode(c.relacl) a
 where c.relnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) and a.grantee <> c.relowner
union all
select 'catalogue privilege', c.oid::regclass::text || '.' || k.attname,
       format('%s: %s%s', case when a.grantee = 0 then 'PUBLIC' else a.grantee::regrole::text end, a.privilege_type,
              case when a.is_grantable then ', and may grant it on' else '' end)
  from pg_class c join pg_attribute k on k.attrelid = c.oid cross join lateral aclexplode(k.attacl) a
 where c.relnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) and a.grantee <> c.relowner
