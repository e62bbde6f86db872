-- Beyond the owner's own login, nobody steps over row security, makes roles or replicates
select rolname::text, concat_ws(', ', case when rolsuper then 'SUPERUSER' end, case when rolbypassrls then 'BYPASSRLS' end,
         case when rolcreaterole then 'CREATEROLE' end, case when rolreplication then 'REPLICATION' end)
  from pg_roles
 where (rolsuper or rolbypassrls or rolcreaterole or rolreplication) and oid <> 10 and rolname <> session_user
   and rolname !~ '^(pg|fleetmem)_'
