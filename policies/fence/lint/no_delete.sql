-- No role but an owner may delete, truncate, reference or hang a trigger on anything.
select c.oid::regclass, a.grantee::regrole, a.privilege_type
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  cross join lateral aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a
 where n.nspname in ('fleet', 'vault', 'fence') and c.relkind in ('r', 'p', 'v') and a.grantee <> c.relowner
   and a.privilege_type in ('DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN')
