-- Incidents: what a person should look at. Opened by the scribe's triggers and by the worker, worked by an operator; those about a
-- landing that is in order again, or gone, are closed by the scribe's.

set local role fleetmem_owner;

create policy worker_reads on fleet.incident for select to fleetmem_worker using (true);
create policy console_reads on fleet.incident for select to fleetmem_operator using ((select fence.on_console()) is not null);
create policy operator_closes on fleet.incident for update to fleetmem_operator
  using (status = 'open' and (select fence.current_operator()) is not null) with check ((select fence.current_operator()) is not null);
create policy scribe_opens on fleet.incident for insert to fleetmem_scribe with check (true);
create policy scribe_closes on fleet.incident for update to fleetmem_scribe using (status = 'open') with check (status = 'dismissed');
create policy scribe_reads on fleet.incident for select to fleetmem_scribe using (true);
create policy auditor_reads on fleet.incident for select to fleetmem_auditor using (true);

reset role;

grant select on fleet.incident to fleetmem_worker, fleetmem_operator, fleetmem_auditor, fleetmem_scribe;
grant update (status, remark) on fleet.incident to fleetmem_operator;
grant insert, update (status, remark) on fleet.incident to fleetmem_scribe;

set local role fleetmem_scribe;

-- Open an incident, unless one of its kind is open for the same note, landing and agent.
create function fence.report(p_kind text, p_note uuid, p_landing uuid, p_agent text, p_detail text, p_rules text[]) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into fleet.incident (id, kind, status, note, landing, agent, detail, rules, opened_at)
  select fence.new_id(clock_timestamp()), p_kind, 'open', p_note, p_landing, p_agent, left(p_detail, 500), p_rules, clock_timestamp()
   where not exists (select from fleet.incident i
                      where i.status = 'open' and i.kind = p_kind and i.note is not distinct from p_note
                        and i.landing is not distinct from p_landing and i.agent is not distinct from p_agent);
end $$;

create function fence.incident_close() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.status = 'open' then
    raise exception 'incident.transition' using errcode = '23514', constraint = 'incident_closed_once';
  end if;
  new.closed_at := clock_timestamp();
  new.closed_by := case tg_argv[0] when 'scribe' then 'database' else (fence.require('operator')).name end;
  return new;
end $$;

-- What was wrong with a landing is so no more, and nobody has to look.
create function fence.incidents_resolve(p_landing uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  update fleet.incident i set status = 'dismissed', remark = 'resolved by itself'
   where i.landing = p_landing and i.status = 'open' and i.kind in ('landing', 'drift', 'job');
end $$;

grant execute on function fence.incident_close() to fleetmem_owner;
grant execute on function fence.report(text, uuid, uuid, text, text, text[]) to fleetmem_worker;

reset role;
set local role fleetmem_owner;

create trigger b_close before update on fleet.incident for each row when (current_user <> 'fleetmem_scribe')
  execute function fence.incident_close();
create trigger b_close_scribe before update on fleet.incident for each row when (current_user = 'fleetmem_scribe')
  execute function fence.incident_close('scribe');
create trigger z_never before delete or truncate on fleet.incident for each statement execute function fence.never();
create trigger z_never_edit before update of id, kind, note, landing, agent, detail, rules, opened_at, closed_at, closed_by
  on fleet.incident for each statement execute function fence.never();
alter table fleet.incident enable always trigger z_never;
alter table fleet.incident enable always trigger z_never_edit;

reset role;
