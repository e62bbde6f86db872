-- No role of ours makes roles or steps over row security, but the one that copies every row for a backup.
select rolname from pg_roles
 where rolname like 'fleetmem\_%'
   and (rolsuper or rolbypassrls and rolname <> 'fleetmem_backup' or rolcreaterole or rolcreatedb or rolreplication or rolinherit)
