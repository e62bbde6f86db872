-- What only a superuser may look at.
select 'subscription', subname::text, '' from pg_subscription
 where subdbid = (select oid from pg_database where datname = current_database())
union all
select 'user mapping', format('%s at %s', coalesce(nullif(umuser, 0)::regrole::text, 'PUBLIC'), srvname), ''
  from pg_user_mapping join pg_foreign_server s on s.oid = umserver
union all
select 'large object', oid::text, lomowner::regrole::text from pg_largeobject_metadata
