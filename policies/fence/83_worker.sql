-- The worker: what it needs beside the pipeline's own tables.
--
--   read     agents: their profiles, to tell whom a memory is for, their workspaces, to write it there, and whether they are
--            suspended, since then it waits; and the calibration in force, which says how sure that must be
--   defer    again what is pending and has no job, as the triggers deferred it
--   report   a job that was tried in vain; the incident holds ids and the kind of the fault, never a text

set local role fleetmem_owner;

create policy worker_reads on fleet.principal for select to fleetmem_worker using (rol = 'agent');
create policy worker_reads on fleet.calibration for select to fleetmem_worker using (true);

reset role;

grant select (name, rol, description, instructions, reads, workspace, target, active, suspended_at) on fleet.principal to fleetmem_worker;
grant select (id, kind, active, evidence) on fleet.calibration to fleetmem_worker;

set local role fleetmem_scribe;

-- Open an incident about a job, unless one says the same already.
create function fence.report_job(p_note uuid, p_landing uuid, p_detail text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(1818584167, 3);
  insert into fleet.incident (id, kind, status, note, landing, detail, opened_at)
  select fence.new_id(clock_timestamp()), 'job', 'open', p_note, p_landing, left(p_detail, 500), clock_timestamp()
   where not exists (select from fleet.incident i
                      where i.status = 'open' and i.kind = 'job' and i.detail = left(p_detail, 500));
end $$;

grant execute on function fence.report_job(uuid, uuid, text), fence.defer(text, jsonb, text, text, integer) to fleetmem_worker;

reset role;
