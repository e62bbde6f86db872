-- Nobody holds a function of ours by default.
select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
 where n.nspname in ('api', 'fence', 'fleet', 'vault') and has_function_privilege('public', p.oid, 'execute')
