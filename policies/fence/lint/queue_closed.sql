-- Nobody but the worker, and the scribe whose triggers fill it, holds anything of the queue.
with held (object, grantee, right_held) as (
  select c.oid::regclass::text, a.grantee, a.privilege_type
    from pg_class c cross join lateral aclexplode(c.relacl) a
   where c.relnamespace = to_regnamespace('queue') and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and a.grantee <> c.relowner
  union all
  select c.oid::regclass::text || '.' || k.attname, a.grantee, a.privilege_type
    from pg_class c join pg_attribute k on k.attrelid = c.oid cross join lateral aclexplode(k.attacl) a
   where c.relnamespace = to_regnamespace('queue')
  union all
  select p.oid::regprocedure::text, a.grantee, a.privilege_type
    from pg_proc p cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
   where p.pronamespace = to_regnamespace('queue') and a.grantee <> p.proowner
)
select object, case grantee when 0 then 'public' else grantee::regrole::text end, right_held from held
 where grantee = 0 or grantee::regrole::text not in ('fleetmem_worker', 'fleetmem_scribe')
    or grantee::regrole::text = 'fleetmem_scribe' and right_held not in ('SELECT', 'INSERT', 'USAGE')
    or right_held in ('TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN')
