-- A definer function resolves names by its own search path alone.
select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
 where p.prosecdef and p.oid >= 16384 and n.nspname in ('api', 'fence', 'fleet', 'vault')
   and not coalesce(p.proconfig, '{}'::text[]) @> array['search_path=pg_catalog, pg_temp']
