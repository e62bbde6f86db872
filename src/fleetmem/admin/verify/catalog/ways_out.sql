-- Ways past the fence, or out of the database: what the declared fence has none of.
select 'extension', extname::text, '' from pg_extension
union all
select 'event trigger', evtname::text, format('%s, %s, %s', evtevent, evtfoid::regproc, evtenabled) from pg_event_trigger
union all
select 'publication', p.pubname::text, case when p.puballtables then 'every table' else coalesce((
         select string_agg(r.prrelid::regclass::text, ', ' order by r.prrelid::regclass::text) from pg_publication_rel r where r.prpubid = p.oid), 'no table') end
  from pg_publication p
union all
select 'logical slot', slot_name::text, plugin::text from pg_replication_slots where slot_type = 'logical' and database = current_database()
union all
select 'foreign data wrapper', fdwname::text, '' from pg_foreign_data_wrapper
union all
select 'foreign server', srvname::text, '' from pg_foreign_server
union all
select 'operator', oprname::text || ' in ' || oprnamespace::regnamespace::text, oprcode::regproc::text from pg_operator o
 where o.oid >= 16384 and not exists (select from pg_depend d where d.classid = 'pg_operator'::regclass and d.objid = o.oid and d.deptype = 'e')
union all
select 'cast', format('%s as %s', castsource::regtype, casttarget::regtype), format('%s %s', castcontext, castfunc::regproc)
  from pg_cast where oid >= 16384
union all
select 'extended statistics', format('%s on %s', stxname, stxrelid::regclass), stxkind::text from pg_statistic_ext
union all
select 'text search configuration', cfgname::text, cfgnamespace::regnamespace::text from pg_ts_config where oid >= 16384
union all
select 'collation', collname::text, collnamespace::regnamespace::text from pg_collation where oid >= 16384
