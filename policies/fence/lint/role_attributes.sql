-- No role of ours steps over row security or makes roles.
select rolname from pg_roles
 where rolname like 'fleetmem\_%' and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication or rolinherit)
