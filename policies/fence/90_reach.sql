-- What a change of the roster does to memory that has landed: whoever may no longer hold a note loses it.
--
-- In the transaction of the change, so that no moment lies between the narrower read set and the revocation.

set local role fleetmem_scribe;

-- Withdraw from one agent every note that it may not receive any more.
create function fence.reach_narrowed(p_agent text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  held record;
  proposes boolean;
begin
  perform fence.ledger_lock();
  select m.on_narrowing = 'propose' into proposes from fleet.memory_rule m;
  for held in
    select r.note, n.status, x.why
      from fleet.note_recipient r
      join fleet.note n on n.id = r.note and n.status in ('candidate', 'approved')
      cross join lateral fence.may_receive(r.note, r.agent) as x (why)
     where r.agent = p_agent and r.active and x.why is not null
     order by r.note
  loop
    if proposes and held.status = 'approved' then
      perform fence.report('narrowed', held.note, null, p_agent, 'holds a note that it may not receive any more: ' || held.why, '{}');
      continue;
    end if;
    perform set_config('fence.reason', case held.why when 'audience' then 'narrowed' else held.why end, true);
    update fleet.note_recipient r set active = false where r.note = held.note and r.agent = p_agent;
    perform set_config('fence.reason', '', true);
    perform fence.landings_withdraw(held.note, p_agent, case held.why when 'audience' then 'narrowed' else held.why end);
  end loop;
end $$;

create function fence.principal_reach() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.rol = 'agent' and (not old.reads <@ new.reads or old.active and not new.active) then
    perform fence.reach_narrowed(new.name);
  end if;
  return null;
end $$;

create function fence.member_reach() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if old.active and not new.active then
    perform fence.reach_narrowed(new.agent);
  end if;
  return null;
end $$;

create function fence.team_reach() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  member text;
begin
  if old.active and not new.active then
    for member in select m.agent from fleet.team_member m where m.team = new.name order by m.agent loop
      perform fence.reach_narrowed(member);
    end loop;
  end if;
  return null;
end $$;
grant execute on function fence.principal_reach(), fence.member_reach(), fence.team_reach() to fleetmem_owner;

reset role;
set local role fleetmem_owner;

create trigger w_reach after update of reads, active on fleet.principal for each row execute function fence.principal_reach();
create trigger w_reach after update of active on fleet.team_member for each row execute function fence.member_reach();
create trigger w_reach after update of active on fleet.team for each row execute function fence.team_reach();

reset role;
