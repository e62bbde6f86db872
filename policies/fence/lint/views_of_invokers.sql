-- A view reads as whoever asks; a materialized view cannot, so there is none.
select c.oid::regclass from pg_class c join pg_namespace n on n.oid = c.relnamespace
 where n.nspname in ('api', 'fence', 'fleet') and c.relkind in ('v', 'm')
   and (c.relkind = 'm' or not coalesce(c.reloptions, '{}'::text[]) && '{security_invoker=true,security_invoker=on}'::text[])
