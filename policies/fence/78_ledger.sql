-- The ledger: what was proposed, granted, denied, decided, landed and revoked, each told in the transaction of the act.
--
-- Append-only by right and by trigger. Every row holds the hash of the one before it; the head can be kept outside, because a
-- chain cannot see its own end cut off. Whoever decides anything about memory takes the ledger's lock first, so that acts
-- have one order, each sees what was decided before it, and the chain has no gap and no fork.

set local role fleetmem_owner;

create policy scribe_reads on fleet.ledger for select to fleetmem_scribe using (true);
create policy scribe_appends on fleet.ledger for insert to fleetmem_scribe with check (true);
create policy console_reads on fleet.ledger for select to fleetmem_operator using ((select fence.on_console()) is not null);
create policy worker_reads on fleet.ledger for select to fleetmem_worker using (true);
create policy auditor_reads on fleet.ledger for select to fleetmem_auditor using (true);

reset role;

grant select, insert on fleet.ledger to fleetmem_scribe;
grant select on fleet.ledger to fleetmem_operator, fleetmem_worker, fleetmem_auditor;

set local role fleetmem_scribe;

-- One decider at a time, until its transaction ends.
create function fence.ledger_lock() returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(1818584167, 1);  -- "ledg"
end $$;

-- Who acts: the bearer of the claim at a service's login, the worker, or whoever holds the owner's shell. A service whose claim
-- has ended a moment ago is nobody, and is refused rather than told as the owner.
create function fence.actor() returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
return case session_user
         when 'fleetmem_worker' then 'worker'
         when 'fleetmem_console' then (fence.require('operator')).name
         when 'fleetmem_gateway' then (fence.require('agent')).name
         else 'owner'
       end;

-- One value as a netstring (D. J. Bernstein, 1997), so that no two rows can be written as the same bytes; null is a dash.
create function fence.netstring(value text) returns text
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
return coalesce(octet_length(convert_to(value, 'UTF8')) || ':' || value || ',', '-');

-- The bytes of a row that its hash covers, after the hash of the row before it.
create function fence.ledger_bytes(l fleet.ledger) returns bytea
language sql stable set search_path = pg_catalog, pg_temp
return l.prev || convert_to(
  fence.netstring(l.seq::text)
  || fence.netstring(to_char(l.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
  || fence.netstring(l.event) || fence.netstring(l.note::text) || fence.netstring(l.agent) || fence.netstring(l.actor)
  || fence.netstring(l.reason) || fence.netstring(l.detail::text), 'UTF8');

-- Append to the story.
create function fence.tell(p_event text, p_note uuid, p_agent text, p_reason text, p_detail jsonb) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  told fleet.ledger;
begin
  perform fence.ledger_lock();
  select l.seq, l.hash into told.seq, told.prev from fleet.ledger l order by l.seq desc limit 1;
  told.seq := coalesce(told.seq, 0) + 1;
  told.prev := coalesce(told.prev, decode(repeat('00', 32), 'hex'));
  told.at := clock_timestamp();
  told.event := p_event;
  told.note := p_note;
  told.agent := p_agent;
  told.actor := fence.actor();
  told.reason := p_reason;
  told.detail := coalesce(p_detail, '{}');
  told.hash := sha256(fence.ledger_bytes(told));
  insert into fleet.ledger select told.*;
end $$;

grant execute on function fence.ledger_bytes(fleet.ledger), fence.netstring(text)
  to fleetmem_owner, fleetmem_operator, fleetmem_worker, fleetmem_auditor;
grant execute on function fence.ledger_lock() to fleetmem_worker;

reset role;
set local role fleetmem_owner;

create trigger z_never before update or delete or truncate on fleet.ledger for each statement execute function fence.never();
alter table fleet.ledger enable always trigger z_never;

reset role;
