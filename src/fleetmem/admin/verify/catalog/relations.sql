-- Tables, views and sequences: owner, row security, storage, rights; their columns; what inherits from what. Which of the
-- owner's logins made a table that belongs to none of the product's roles does not matter.
with ours as (
  select c.*, c.oid::regclass::text as called,
         case when r.rolsuper or r.rolname = session_user then 'the owner''s login' else r.rolname::text end as held_by
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.oid = c.relowner
   where c.oid >= 16384 and n.nspname !~ '^pg_(toast_)?temp_' and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
), columns as (
  select o.called || '.' || a.attname as called, o.relowner, a.*
    from ours o join pg_attribute a on a.attrelid = o.oid and a.attnum > 0 and not a.attisdropped and o.relkind <> 'S'
)
select 'relation', called, case relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view'
         when 'm' then 'materialized view' when 'f' then 'foreign table' else 'sequence' end from ours
union all
select 'relation owner', called, held_by from ours
union all
select 'row security', called, case when not relrowsecurity then 'off' when relforcerowsecurity then 'on, and forced upon the owner'
         else 'on, and not forced upon the owner' end from ours where relkind in ('r', 'p')
union all
select 'relation persistence', called, case relpersistence when 'p' then 'logged' when 'u' then 'unlogged' else 'temporary' end
  from ours
union all
select 'relation option', called, unnest(reloptions) from ours
union all
select 'relation definition', called, pg_get_viewdef(oid) from ours where relkind in ('v', 'm')
union all
select 'replica identity', called, relreplident::text from ours where relkind in ('r', 'p')
union all
select 'inheritance', format('%s of %s', c.oid::regclass, i.inhparent::regclass),
       coalesce(pg_get_expr(c.relpartbound, c.oid), 'inherits')
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind not in ('i', 'I')
union all
select 'relation privilege', o.called,
       format('%s: %s%s', case a.grantee when 0 then 'PUBLIC' when o.relowner then 'its owner' else a.grantee::regrole::text end,
              a.privilege_type, case when a.is_grantable then ', and may grant it on' else '' end)
  from ours o
  cross join lateral aclexplode(coalesce(o.relacl, acldefault(case o.relkind when 'S' then 's'::"char" else 'r' end, o.relowner))) a
union all
select 'column', k.called, concat_ws(' ', format_type(k.atttypid, k.atttypmod), case when k.attnotnull then 'not null' end,
         case when k.attidentity <> '' then 'identity ' || k.attidentity::text end,
         case when k.attgenerated <> '' then 'generated' end, 'default ' || pg_get_expr(d.adbin, d.adrelid),
         case when k.attcollation not in (0, 100) then 'collate ' || k.attcollation::regcollation::text end)
  from columns k left join pg_attrdef d on d.adrelid = k.attrelid and d.adnum = k.attnum
union all
select 'column statistics', called, coalesce(nullif(attstattarget, -1)::text, 'default') from columns
union all
select 'column option', called, unnest(attoptions) from columns
union all
select 'column privilege', k.called,
       format('%s: %s%s', case when a.grantee = 0 then 'PUBLIC' else a.grantee::regrole::text end, a.privilege_type,
              case when a.is_grantable then ', and may grant it on' else '' end)
  from columns k cross join lateral aclexplode(k.attacl) a
