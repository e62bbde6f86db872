-- Two memberships, and no other in or out.
select m.rolname, 'is a member of', g.rolname from pg_auth_members a
  join pg_roles m on m.oid = a.member join pg_roles g on g.oid = a.roleid
 where (m.rolname, g.rolname) not in (('fleetmem_gateway', 'fleetmem_agent'), ('fleetmem_console', 'fleetmem_operator'))
   and m.rolname like 'fleetmem\_%'
