-- No function runs with its owner's rights but the fence's own, in whichever schema it stands and whatever extension claims it
select p.oid::regprocedure, 'acts as', p.proowner::regrole
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
 where p.prosecdef and n.nspname not in ('api', 'fence', 'fleet', 'vault')
