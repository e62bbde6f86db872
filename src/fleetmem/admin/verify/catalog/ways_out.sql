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
 where o.oid >= 16384
union all
select 'cast', format('%s as %s', castsource::regtype, casttarget::regtype), format('%s %s', castcontext, castfunc::regproc)
  from pg_cast where oid >= 16384
union all
select 'extended statistics', format('%s on %s', stxname, stxrelid::regclass), stxkind::text from pg_statistic_ext
union all
select 'text search configuration', cfgname::text, cfgnamespace::regnamespace::text from pg_ts_config where oid >= 16384
union all
select 'collation', collname::text, collnamespace::regnamespace::text from pg_collation where oid >= 16384
union all
-- Who may SET, or ALTER SYSTEM, what only a superuser may. The grants are the server's, and its bootstrap superuser gives them.
select 'parameter privilege', p.parname,
       format('%s: %s%s', case when a.grantee = 0 then 'PUBLIC' else a.grantee::regrole::text end, a.privilege_type,
              case when a.is_grantable then ', and may grant it on' else '' end)
  from pg_parameter_acl p cross join lateral aclexplode(p.paracl) a where a.grantee <> 10
