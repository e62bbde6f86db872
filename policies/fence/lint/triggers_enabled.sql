-- No trigger is off, and one that says "never" fires whatever session_replication_role says.
select t.tgrelid::regclass, t.tgname from pg_trigger t
  join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
 where n.nspname = 'fleet' and (t.tgenabled = 'D' or (t.tgname like 'z\_never%' and t.tgenabled <> 'A'))
