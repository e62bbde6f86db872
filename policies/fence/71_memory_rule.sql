-- What holds for every memory: whether a person must see it, and when the machine may grant one by itself.
--
-- The roster's sync writes the one row. Memory is granted without a person only on evidence: a promoted calibration of who
-- receives what, made from labels that people gave, precise enough at the lower end of its interval. Neither half can be
-- changed away from under the other: the rule is refused without the evidence, and the evidence stays while the rule needs it.

set local role fleetmem_owner;

create policy owner_syncs on fleet.memory_rule for all to fleetmem_owner using (true) with check (true);
create policy scribe_reads on fleet.memory_rule for select to fleetmem_scribe using (true);
create policy worker_reads on fleet.memory_rule for select to fleetmem_worker using (true);
create policy auditor_reads on fleet.memory_rule for select to fleetmem_auditor using (true);
create policy console_reads on fleet.memory_rule for select to fleetmem_operator
  using ((select fence.on_console()) is not null);
create policy rule_asks on fleet.calibration for select to fleetmem_scribe using (true);

reset role;

grant select, update on fleet.memory_rule to fleetmem_owner;
grant select on fleet.memory_rule to fleetmem_scribe, fleetmem_worker, fleetmem_auditor, fleetmem_operator;
grant select on fleet.calibration to fleetmem_scribe;

set local role fleetmem_scribe;

-- How precise the routing in force is known to be: the lower bound of its interval, or null without labels that people gave.
create function fence.routing_precision() returns real
language sql stable security definer set search_path = pg_catalog, pg_temp
return (select max(c.precision_low) from fleet.calibration c where c.kind = 'routing' and c.active and c.labels = 'human');

-- Under the ledger's lock, as every decision about memory: neither half misses a change of the other.
create function fence.memory_rule_evidence() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform fence.ledger_lock();
  if exists (select from fleet.memory_rule m where m.auto_grant and m.least_precision > coalesce(fence.routing_precision(), 0)) then
    raise exception 'memory_rule.auto_grant' using errcode = '23514', constraint = 'memory_rule_auto_grant';
  end if;
  return null;
end $$;

grant execute on function fence.memory_rule_evidence(), fence.routing_precision() to fleetmem_owner;

reset role;
set local role fleetmem_owner;

create trigger w_evidence after insert or update on fleet.memory_rule for each row execute function fence.memory_rule_evidence();
-- At the end of the transaction: a promotion takes the old calibration out of force before it puts the new one in.
create constraint trigger w_evidence after update on fleet.calibration deferrable initially deferred
  for each row execute function fence.memory_rule_evidence();
create trigger z_never before delete or truncate on fleet.memory_rule for each statement execute function fence.never();
alter table fleet.memory_rule enable always trigger z_never;

reset role;
