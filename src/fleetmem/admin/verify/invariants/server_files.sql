-- Nobody is a member of a built-in role that reads every table, or reaches the server's files, programs or statistics
select m.rolname::text, 'is a member of', g.rolname::text
  from pg_auth_members a join pg_roles m on m.oid = a.member join pg_roles g on g.oid = a.roleid
 where g.rolname in ('pg_read_all_data', 'pg_write_all_data', 'pg_read_server_files', 'pg_write_server_files',
                     'pg_execute_server_program', 'pg_maintain', 'pg_signal_backend', 'pg_read_all_stats', 'pg_monitor',
                     'pg_create_subscription', 'pg_use_reserved_connections')
   and not m.rolsuper and m.rolname !~ '^pg_'
