-- A function of the queue names its tables bare: it finds them in the queue and nowhere else, and runs as whoever calls it.
select p.oid::regprocedure from pg_proc p
 where p.pronamespace = to_regnamespace('queue')
   and (p.prosecdef or not coalesce(p.proconfig, '{}'::text[]) @> array['search_path=queue, pg_catalog, pg_temp'])
