-- How far a standby is behind, without comparing two machines' clocks: positions in the log, as byte counts.

-- name: standby_wanted
select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_flush_lsn(), '0/0')::bigint as position,
       system_identifier
  from pg_catalog.pg_control_system();

-- name: standby_reached
select case when pg_catalog.pg_is_in_recovery()
            then pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_last_wal_replay_lsn(), '0/0')::bigint end as position,
       system_identifier
  from pg_catalog.pg_control_system();
