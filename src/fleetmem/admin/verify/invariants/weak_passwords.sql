-- A login of ours keeps a SCRAM verifier, which cannot be replayed
select rolname::text from pg_authid where rolname like 'fleetmem\_%' and rolpassword is not null and rolpassword not like 'SCRAM-SHA-256$%'
