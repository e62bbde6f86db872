-- What decides rows: policies, triggers (those of foreign keys too), constraints, indexes, rewrite rules; on the catalogue's
-- tables too, but for those that initdb made there (below 16384).
with ours as (
  select c.oid, c.oid::regclass::text as called
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname !~ '^pg_(toast_)?temp_' and c.relkind in ('r', 'p', 'v', 'm', 'f')
)
select 'policy', format('%s on %s', p.polname, o.called),
       concat_ws(' ', case when p.polpermissive then 'permissive' else 'restrictive' end, 'for',
         case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT' when 'w' then 'UPDATE' when 'd' then 'DELETE' else 'ALL' end, 'to',
         (select string_agg(case when r.held = 0 then 'PUBLIC' else r.held::regrole::text end, ', '
                            order by case when r.held = 0 then 'PUBLIC' else r.held::regrole::text end collate "C")
            from unnest(p.polroles) as r (held)),
         'using (' || pg_get_expr(p.polqual, p.polrelid) || ')', 'with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
  from pg_policy p join ours o on o.oid = p.polrelid where p.oid >= 16384
union all
select 'trigger', format('%s on %s', t.tgname, o.called), pg_get_triggerdef(t.oid)
  from pg_trigger t join ours o on o.oid = t.tgrelid where t.oid >= 16384 and not t.tgisinternal
union all
-- A foreign key's triggers are named by a number; their constraint and function name them here.
select case when t.tgisinternal then 'foreign key trigger' else 'trigger state' end,
       case when t.tgisinternal then format('%s of %s on %s', t.tgfoid::regproc, coalesce(k.conname, t.tgname), o.called)
            else format('%s on %s', t.tgname, o.called) end,
       case t.tgenabled when 'O' then 'enabled' when 'A' then 'enabled always' when 'R' then 'on replicas only' else 'disabled' end
  from pg_trigger t join ours o on o.oid = t.tgrelid left join pg_constraint k on k.oid = t.tgconstraint
 where t.oid >= 16384
union all
select 'constraint', format('%s on %s', k.conname, o.called),
       pg_get_constraintdef(k.oid) || case when k.convalidated then '' else ' (never checked)' end
  from pg_constraint k join ours o on o.oid = k.conrelid where k.oid >= 16384
union all
select 'index', i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
         || case when i.indisvalid and i.indisready then '' else ' (not valid)' end
  from pg_index i join ours o on o.oid = i.indrelid where i.indexrelid >= 16384
union all
select 'rule', format('%s on %s', w.rulename, o.called), format('%s (%s)', pg_get_ruledef(w.oid), w.ev_enabled)
  from pg_rewrite w join ours o on o.oid = w.ev_class where w.oid >= 16384 and w.rulename <> '_RETURN'
