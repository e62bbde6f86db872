-- Nothing in the vault is granted to anyone.
select c.oid::regclass, a.grantee::regrole from pg_class c join pg_namespace n on n.oid = c.relnamespace
  cross join lateral aclexplode(c.relacl) a
 where n.nspname = 'vault' and a.grantee <> c.relowner
