-- Every table of the fleet has row security, forced upon its owner too.
select c.oid::regclass from pg_class c join pg_namespace n on n.oid = c.relnamespace
 where n.nspname = 'fleet' and c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity)
