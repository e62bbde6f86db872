-- Functions: as whom each runs, what it is, who may call it. In every schema, and whether or not an extension claims them:
-- an object below 16384 is initdb's own, which `catalogue.sql` holds.
with ours as (
  select p.*, p.oid::regprocedure::text as called, l.lanname
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
   where p.oid >= 16384 and n.nspname !~ '^pg_temp_'
)
select 'function', called, case prokind when 'f' then 'function' when 'p' then 'procedure' when 'a' then 'aggregate' else 'window function' end
  from ours
union all
select 'function owner', called, proowner::regrole::text from ours
union all
select 'function security', called, case when prosecdef then 'definer' else 'invoker' end from ours
union all
select 'function volatility', called, case provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end from ours
union all
select 'function leakproof', called, case when proleakproof then 'leakproof' else 'not leakproof' end from ours
union all
select 'function parallel', called, case proparallel when 's' then 'safe' when 'r' then 'restricted' else 'unsafe' end from ours
union all
select 'function strictness', called, case when proisstrict then 'strict' else 'called on null' end from ours
union all
select 'function setting', called, unnest(proconfig) from ours
union all
select 'function result', called, concat_ws(' ', lanname, pg_get_function_result(oid), pg_get_function_arguments(oid)) from ours
union all
select 'function body', called, encode(sha256(convert_to(concat(pg_get_function_sqlbody(oid), prosrc, probin, prosupport), 'UTF8')), 'hex')
  from ours
union all
select 'function privilege', o.called,
       format('%s: %s%s', case when a.grantee = 0 then 'PUBLIC' else a.grantee::regrole::text end, a.privilege_type,
              case when a.is_grantable then ', and may grant it on' else '' end)
  from ours o cross join lateral aclexplode(coalesce(o.proacl, acldefault('f', o.proowner))) a
