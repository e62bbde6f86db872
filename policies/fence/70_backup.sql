-- What a backup reads: every record, and the digests of bearer tokens, so that a revoked token stays revoked after a restore.
--
-- Signing keys are in no backup: a restore makes new ones. The fence schema is in none either: it is built from the code.

grant usage on schema fleet, vault to fleetmem_backup;
grant select on vault.bearer to fleetmem_backup;

-- Every table, also one that a later migration brings: a table that a backup cannot see would be missed on the day it counts.
do $$
declare
  held regclass;
begin
  for held in select c.oid from pg_class c where c.relnamespace = 'fleet'::regnamespace and c.relkind in ('r', 'p') loop
    execute format('grant select on %s to fleetmem_backup', held);
  end loop;
end $$;
