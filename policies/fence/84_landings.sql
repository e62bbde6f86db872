-- Landings: which memory is in which workspace. The worker writes the files; what it may write is decided here.
--
--   pending → landed | refused        landed ⇄ drifted        pending | landed | drifted → removing → removed
--
-- A landing is asked for by the approval of its note and by nothing else, and its recipient is looked at once more when the
-- worker says that the file is there. Who is suspended is given nothing new: what is pending stays so until it is let back in.

set local role fleetmem_owner;

create policy worker_reads on fleet.landing for select to fleetmem_worker using (true);
create policy worker_moves on fleet.landing for update to fleetmem_worker using (status not in ('refused', 'removed')) with check (true);
create policy console_reads on fleet.landing for select to fleetmem_operator using ((select fence.on_console()) is not null);
create policy scribe_reads on fleet.landing for select to fleetmem_scribe using (true);
create policy scribe_requests on fleet.landing for insert to fleetmem_scribe with check (true);
create policy scribe_withdraws on fleet.landing for update to fleetmem_scribe using (true) with check (true);
create policy auditor_reads on fleet.landing for select to fleetmem_auditor using (true);

reset role;

grant select on fleet.landing to fleetmem_worker, fleetmem_operator, fleetmem_auditor, fleetmem_scribe;
grant update (status, path, sha256, reason) on fleet.landing to fleetmem_worker;
grant insert on fleet.landing to fleetmem_scribe;
grant update (status, reason) on fleet.landing to fleetmem_scribe;

set local role fleetmem_scribe;

create function fence.landing_stamp() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.requested_at := clock_timestamp();
  new.id := fence.new_id(new.requested_at);
  new.status := 'pending';
  return new;
end $$;

-- A file for each recipient of an approved note.
create function fence.landings_request(p_note uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into fleet.landing (note, agent, nonce, skill, new_skill, status)
  select r.note, r.agent, r.nonce, case n.severity when 'severe' then null else coalesce(r.skill, n.skill_key) end,
         n.severity <> 'severe' and (r.skill is null or r.new_skill), 'pending'
    from fleet.note_recipient r join fleet.note n on n.id = r.note
   where r.note = p_note and r.active
   order by r.agent;
end $$;

-- Ask for the removal of a note from one agent's workspace, or from all.
create function fence.landings_withdraw(p_note uuid, p_agent text, p_reason text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform fence.ledger_lock();
  update fleet.landing l set status = 'removing', reason = p_reason
   where l.note = p_note and (p_agent is null or l.agent = p_agent) and l.status in ('pending', 'landed', 'drifted');
end $$;

create function fence.landing_tell() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  told jsonb := jsonb_build_object('landing', new.id, 'path', new.path, 'sha256', new.sha256);
begin
  if tg_op = 'UPDATE' and new.status = old.status then
    if new.status = 'removing' and new.reason is distinct from old.reason then
      perform fence.report('landing', new.note, new.id, new.agent, 'cannot be removed: ' || new.reason, '{}');
    end if;
    return null;
  end if;
  case new.status
    when 'pending' then
      perform fence.defer('land', jsonb_build_object('landing', new.id), 'workspace:' || new.agent, 'land:' || new.id, 10);
    when 'landed' then
      perform fence.tell(case old.status when 'drifted' then 'restored' else 'landed' end, new.note, new.agent, null, told);
      perform fence.incidents_resolve(new.id);
    when 'refused' then
      perform fence.tell('refused', new.note, new.agent, new.reason, told);
      perform fence.report('landing', new.note, new.id, new.agent, 'cannot be written: ' || new.reason, '{}');
    when 'drifted' then
      perform fence.tell('drifted', new.note, new.agent, new.reason, told);
      perform fence.report('drift', new.note, new.id, new.agent, 'the landed block is no longer as it was written: ' || new.reason, '{}');
    when 'removing' then
      perform fence.tell('revoked', new.note, new.agent, new.reason, told);
      perform fence.defer('remove', jsonb_build_object('landing', new.id), 'workspace:' || new.agent, 'remove:' || new.id, 20);
    when 'removed' then
      perform fence.tell('removed', new.note, new.agent, new.reason, told);
      perform fence.incidents_resolve(new.id);
  end case;
  return null;
end $$;

grant execute on function fence.landing_stamp(), fence.landing_tell() to fleetmem_owner;

reset role;
set local role fleetmem_owner;

create function fence.landing_move() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (old.status, new.status, current_user::text) not in (
       ('pending', 'landed', 'fleetmem_worker'), ('pending', 'refused', 'fleetmem_worker'),
       ('landed', 'drifted', 'fleetmem_worker'), ('drifted', 'landed', 'fleetmem_worker'),
       ('drifted', 'drifted', 'fleetmem_worker'), ('removing', 'removing', 'fleetmem_worker'),
       ('removing', 'removed', 'fleetmem_worker'),
       ('pending', 'removing', 'fleetmem_scribe'), ('landed', 'removing', 'fleetmem_scribe'),
       ('drifted', 'removing', 'fleetmem_scribe'))
     or old.path is not null and (new.path, new.sha256) is distinct from (old.path, old.sha256) then
    raise exception 'landing.transition' using errcode = '23514', constraint = 'landing_transition_legal';
  end if;
  if new.status = 'landed' then
    perform fence.ledger_lock();
    if fence.may_receive(new.note, new.agent) is not null then
      raise exception 'note.recipients' using errcode = '23514', constraint = 'note_recipient_may_receive';
    end if;
    if old.status = 'pending' and exists (select from fleet.principal p where p.name = new.agent and p.suspended_at is not null) then
      raise exception 'landing.transition' using errcode = '23514', constraint = 'landing_agent_suspended';
    end if;
    new.landed_at := coalesce(old.landed_at, clock_timestamp());
  end if;
  new.ended_at := case when new.status in ('refused', 'removed') then clock_timestamp() end;
  return new;
end $$;

create trigger a_stamp before insert on fleet.landing for each row execute function fence.landing_stamp();
create trigger b_move before update on fleet.landing for each row execute function fence.landing_move();
create trigger c_tell after insert or update on fleet.landing for each row execute function fence.landing_tell();
create trigger z_never before delete or truncate on fleet.landing for each statement execute function fence.never();
create trigger z_never_edit before update of id, note, agent, nonce, skill, new_skill, requested_at, landed_at, ended_at
  on fleet.landing for each statement execute function fence.never();
alter table fleet.landing enable always trigger z_never;
alter table fleet.landing enable always trigger z_never_edit;

reset role;
