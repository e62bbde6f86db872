-- Nothing in the vault is granted to anyone, but the digests of bearer tokens to the backup.
select c.oid::regclass, a.grantee::regrole from pg_class c join pg_namespace n on n.oid = c.relnamespace
  cross join lateral aclexplode(c.relacl) a
 where n.nspname = 'vault' and a.grantee <> c.relowner
   and (c.oid, a.grantee, a.privilege_type) <> ('vault.bearer'::regclass, 'fleetmem_backup'::regrole, 'SELECT')
