-- No statistics are kept on a column whose values are fenced: the planner would show them to whoever may run EXPLAIN
select s.starelid::regclass::text || '.' || a.attname
  from pg_statistic s join pg_attribute a on a.attrelid = s.starelid and a.attnum = s.staattnum
  join pg_class c on c.oid = s.starelid join pg_namespace n on n.oid = c.relnamespace
 where n.nspname in ('fleet', 'vault') and (a.attstattarget = 0
        or a.attname in ('author', 'sender', 'recipient', 'audience', 'topic', 'topic_key', 'body', 'request', 'reply',
                         'ipad', 'opad', 'pepper', 'sha256', 'answer'))
