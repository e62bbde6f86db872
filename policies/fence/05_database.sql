-- What nobody gets by default, in this database and in its catalogue.

do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to fleetmem_gateway, fleetmem_console, fleetmem_worker, fleetmem_auditor,'
                 ' fleetmem_backup', current_database());
  execute format('revoke temporary, create on database %I from fleetmem_gateway, fleetmem_console, fleetmem_worker,'
                 ' fleetmem_auditor, fleetmem_backup, fleetmem_agent, fleetmem_operator', current_database());
end $$;

revoke all on schema public from public;

-- A function is executable by everyone unless its creator's defaults say otherwise, and only the form without IN SCHEMA
-- does: the per-schema one can add rights, never take them.
alter default privileges for role fleetmem_owner revoke execute on functions from public;
alter default privileges for role fleetmem_verifier revoke execute on functions from public;
alter default privileges for role fleetmem_scribe revoke execute on functions from public;
alter default privileges revoke execute on functions from public;

grant usage on schema fleet to fleetmem_agent, fleetmem_operator, fleetmem_worker, fleetmem_auditor, fleetmem_verifier,
  fleetmem_scribe;
grant usage on schema fence to fleetmem_agent, fleetmem_operator, fleetmem_auditor, fleetmem_gateway, fleetmem_console,
  fleetmem_worker, fleetmem_verifier, fleetmem_scribe;
grant usage on schema api to fleetmem_agent, fleetmem_operator, fleetmem_gateway, fleetmem_console, fleetmem_verifier;
grant create on schema fence to fleetmem_verifier, fleetmem_scribe;
grant create on schema api to fleetmem_verifier;
grant usage on schema vault to fleetmem_owner;  -- to see that it is there; its tables stay closed
grant select on fence.applied to fleetmem_gateway, fleetmem_console, fleetmem_worker, fleetmem_auditor;

-- Catalogue: only a superuser may take these away. On a managed server they stay, and `fleetmem doctor` names each one
-- and what it leaves open (a login's holder can then hold locks, sleep, or write large objects; the fence itself stands).
do $$
declare
  routine regprocedure;
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    raise notice 'fence: not superuser, the catalogue keeps its default rights';
    return;
  end if;
  revoke usage on language plpgsql from public;
  grant usage on language plpgsql to fleetmem_owner, fleetmem_verifier, fleetmem_scribe;
  for routine in
    select p.oid::regprocedure
      from pg_catalog.pg_proc p
     where p.pronamespace = 'pg_catalog'::regnamespace
       and (p.proname like 'pg\_advisory\_%lock%' and p.proname not like 'pg\_advisory\_unlock%'
            or p.proname like 'pg\_try\_advisory\_%'
            or p.proname like 'lo\_%' or p.proname in ('loread', 'lowrite')
            or p.proname like 'pg\_sleep%'
            or p.proname like '%\_to\_xml%'
            or p.proname in ('pg_notify', 'pg_logical_emit_message', 'pg_export_snapshot', 'ts_stat',
                             'pg_terminate_backend', 'pg_cancel_backend', 'pg_log_backend_memory_contexts',
                             'pg_lock_status'))
  loop
    execute format('revoke execute on function %s from public', routine);
  end loop;
  -- pg_locks shows a publisher's lock: hashes of its name and topic, which a login without a claim could compare.
  grant execute on function pg_lock_status() to pg_monitor;
  grant execute on function pg_advisory_xact_lock(integer, integer) to fleetmem_scribe;
  grant execute on function pg_notify(text, text) to fleetmem_scribe, fleetmem_worker;  -- a job wakes its worker
  -- An ordering operator that is leakproof runs before the row policy, so its timing could walk a hidden text.
  for routine in
    select p.oid::regprocedure
      from pg_catalog.pg_proc p
     where p.pronamespace = 'pg_catalog'::regnamespace and p.proleakproof
       and p.proname in ('text_lt', 'text_le', 'text_gt', 'text_ge', 'bttextcmp', 'btvarstrequalimage', 'starts_with',
                         'text_pattern_lt', 'text_pattern_le', 'text_pattern_gt', 'text_pattern_ge', 'bttext_pattern_cmp',
                         'text_larger', 'text_smaller')
  loop
    execute format('alter function %s not leakproof', routine);
  end loop;
end $$;
