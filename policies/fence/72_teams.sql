-- Teams: who works together, and for which audiences. Written by the owner's roster sync alone.
--
--   read    a member sees its active teams, their audiences and their members; to anybody else a team is absent
--   count   the number of a team's last message is the scribe's: no agent reads it, and nobody sets it

set local role fleetmem_owner;

create policy owner_syncs on fleet.team for all to fleetmem_owner using (true) with check (true);
create policy owner_syncs on fleet.team_member for all to fleetmem_owner using (true) with check (true);
create policy verifier_reads on fleet.team for select to fleetmem_verifier using (true);
create policy verifier_reads on fleet.team_member for select to fleetmem_verifier using (true);
create policy scribe_reads on fleet.team for select to fleetmem_scribe using (true);
create policy scribe_reads on fleet.team_member for select to fleetmem_scribe using (true);
create policy scribe_counts on fleet.team for update to fleetmem_scribe using (true) with check (true);
create policy worker_reads on fleet.team for select to fleetmem_worker using (true);
create policy worker_reads on fleet.team_member for select to fleetmem_worker using (true);
create policy auditor_reads on fleet.team for select to fleetmem_auditor using (true);
create policy auditor_reads on fleet.team_member for select to fleetmem_auditor using (true);

reset role;

grant select (name, active) on fleet.team to fleetmem_verifier;
grant select (team, agent, active) on fleet.team_member to fleetmem_verifier;

set local role fleetmem_verifier;

-- The active teams of the claim's bearer; null where there is no valid claim. Total, as every identity function is.
create function fence.my_teams() returns text[]
language sql stable security definer parallel safe set search_path = pg_catalog, pg_temp
return (select array_agg(m.team) from fleet.team_member m join fleet.team t on t.name = m.team and t.active
         where m.agent = (select (fence._who('agent')).name) and m.active);

reset role;
set local role fleetmem_owner;

create policy agent_reads on fleet.team for select to fleetmem_agent
  using (name = any ((select fence.my_teams())::text[]));
create policy agent_reads on fleet.team_member for select to fleetmem_agent
  using (active and team = any ((select fence.my_teams())::text[]));

-- A team's audiences are ones there are, and its count is the scribe's.
create function fence.team_kept() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'INSERT' or new.audiences is distinct from old.audiences then
    if new.active and exists (select from unnest(new.audiences) wanted
                               where wanted not in (select a.name from fleet.audience a where a.active)) then
      raise exception 'team.audience' using errcode = '23503', constraint = 'team_audience';
    end if;
  end if;
  if new.last_seq is distinct from (case tg_op when 'UPDATE' then old.last_seq else 0 end)
     and current_user <> 'fleetmem_scribe' then
    raise exception 'fence: the count of % is not to be set', new.name using errcode = '42501';
  end if;
  return new;
end $$;
create trigger a_kept before insert or update of audiences, last_seq on fleet.team
  for each row execute function fence.team_kept();

-- Only agents are members.
create function fence.team_member_kept() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if new.active and not exists (select from fleet.principal p where p.name = new.agent and p.rol = 'agent' and p.active) then
    raise exception 'team.member' using errcode = '23503', constraint = 'team_member_agent';
  end if;
  return new;
end $$;
create trigger a_kept before insert or update of active on fleet.team_member
  for each row execute function fence.team_member_kept();

create trigger z_never before delete or truncate on fleet.team for each statement execute function fence.never();
create trigger z_never before delete or truncate on fleet.team_member for each statement execute function fence.never();
create trigger z_never_edit before update of name on fleet.team for each statement execute function fence.never();
create trigger z_never_edit before update of team, agent on fleet.team_member for each statement execute function fence.never();
alter table fleet.team enable always trigger z_never;
alter table fleet.team_member enable always trigger z_never;
alter table fleet.team enable always trigger z_never_edit;
alter table fleet.team_member enable always trigger z_never_edit;

create function api.team_list(claim text) returns text
language plpgsql volatile security invoker as $$
begin
  perform fence.enter(claim, 'agent', false);
  return json_build_object('items', (
    select coalesce(json_agg(json_build_object(
             'name', t.name, 'description', t.description, 'audiences', t.audiences,
             'members', (select coalesce(json_agg(json_build_object('name', p.name, 'description', p.description)
                                                  order by m.position, p.name), '[]')
                           from fleet.team_member m join fleet.principal p on p.name = m.agent
                          where m.team = t.name)) order by t.name), '[]')
      from fleet.team t));
end $$;

reset role;

grant select, insert, update on fleet.team, fleet.team_member to fleetmem_owner;
grant select (name, description, audiences) on fleet.team to fleetmem_agent;
grant select (team, agent, position, active) on fleet.team_member to fleetmem_agent;
grant select, update (last_seq) on fleet.team to fleetmem_scribe;
grant select on fleet.team_member to fleetmem_scribe;
grant select on fleet.team, fleet.team_member to fleetmem_worker, fleetmem_auditor;
grant execute on function fence.my_teams() to fleetmem_agent, fleetmem_scribe;
grant execute on function api.team_list(text) to fleetmem_gateway;
