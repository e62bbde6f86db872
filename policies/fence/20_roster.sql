-- Who there is and what each may see. Written by the owner's roster sync, read by the verifier; an agent learns its own
-- sets, the audiences in them and its colleagues' names, and no one else's reach.

set local role fleetmem_owner;

create policy owner_syncs on fleet.audience for all to fleetmem_owner using (true) with check (true);
create policy owner_syncs on fleet.principal for all to fleetmem_owner using (true) with check (true);
create policy verifier_reads on fleet.principal for select to fleetmem_verifier using (true);
create policy scribe_reads on fleet.principal for select to fleetmem_scribe using (true);
create policy auditor_reads on fleet.audience for select to fleetmem_auditor using (true);
create policy auditor_reads on fleet.principal for select to fleetmem_auditor using (true);

create policy agent_reads on fleet.audience for select to fleetmem_agent
  using (name = any ((select fence.read_set())::text[]) or name = any ((select fence.write_set())::text[]));
create policy agent_reads on fleet.principal for select to fleetmem_agent
  using (rol = 'agent' and active and (select fence.current_agent()) is not null);
create policy console_reads on fleet.audience for select to fleetmem_operator
  using ((select fence.on_console()) is not null);
create policy console_reads on fleet.principal for select to fleetmem_operator
  using ((select fence.on_console()) is not null);

create trigger z_never before delete or truncate on fleet.audience for each statement execute function fence.never();
create trigger z_never before delete or truncate on fleet.principal for each statement execute function fence.never();
alter table fleet.audience enable always trigger z_never;
alter table fleet.principal enable always trigger z_never;

-- A set names only audiences there are, whoever writes it.
create function fence.principal_sets() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from unnest(new.reads || new.writes) wanted
              where wanted not in (select a.name from fleet.audience a where a.active)) then
    raise exception 'principal.audience' using errcode = '23503', constraint = 'principal_audience';
  end if;
  return new;
end $$;
create trigger a_sets before insert or update of reads, writes on fleet.principal
  for each row execute function fence.principal_sets();

create function api.me(claim text) returns text
language plpgsql volatile security invoker as $$
declare
  who record;
begin
  select * into who from fence.enter(claim, 'agent', false);
  return (
    select row_to_json(x) from (
      select p.name, p.description, who.reads, who.writes,
             coalesce((select json_agg(row_to_json(a)) from (
                select a.name, a.description from fleet.audience a order by a.name) a), '[]') as audiences,
             coalesce((select json_agg(row_to_json(c)) from (
                select c.name, c.description from fleet.principal c where c.name <> who.name order by c.name) c), '[]') as colleagues
        from fleet.principal p where p.name = who.name) x);
end $$;

reset role;

grant select, insert, update on fleet.audience, fleet.principal to fleetmem_owner;
grant select (name, description) on fleet.audience to fleetmem_agent;
grant select (name, description, rol, active) on fleet.principal to fleetmem_agent;
grant select on fleet.principal to fleetmem_scribe;
grant select on fleet.audience, fleet.principal to fleetmem_operator, fleetmem_auditor;
grant execute on function api.me(text) to fleetmem_gateway;
