-- No statistics are kept on a column whose values are fenced: the planner would show them to whoever may run EXPLAIN
select s.starelid::regclass::text || '.' || a.attname
  from pg_statistic s join pg_attribute a on a.attrelid = s.starelid and a.attnum = s.staattnum
  left join pg_index i on i.indexrelid = s.starelid
  join pg_class c on c.oid = coalesce(i.indrelid, s.starelid) join pg_namespace n on n.oid = c.relnamespace
 where n.nspname in ('vault', 'fleet')
