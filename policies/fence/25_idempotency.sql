-- The first answer to a keyed request, kept so that asking again gives it again.
--
-- A key belongs to the one who sent it. The answer is written in the transaction of the act, so an act without its answer,
-- or an answer without its act, cannot be left behind by any crash. Two requests at once with one key: the second one's
-- insert fails on the primary key, its act is undone with it, and the gateway asks again and gets the first one's answer.

set local role fleetmem_owner;

create policy agent_recalls on fleet.idempotency for select to fleetmem_agent
  using (principal = (select fence.current_agent()));
create policy agent_remembers on fleet.idempotency for insert to fleetmem_agent
  with check (principal = (select fence.current_agent()));
create policy operator_recalls on fleet.idempotency for select to fleetmem_operator
  using (principal = (select fence.current_operator()));
create policy operator_remembers on fleet.idempotency for insert to fleetmem_operator
  with check (principal = (select fence.current_operator()));
create policy auditor_reads on fleet.idempotency for select to fleetmem_auditor using (true);

create function fence.idempotency_stamp() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  select r.name into new.principal
    from fence.require(case current_user when 'fleetmem_operator' then 'operator' else 'agent' end) r;
  new.created_at := clock_timestamp();
  return new;
end $$;
create trigger a_stamp before insert on fleet.idempotency for each row execute function fence.idempotency_stamp();
create trigger z_never before update or delete or truncate on fleet.idempotency
  for each statement execute function fence.never();
alter table fleet.idempotency enable always trigger z_never;

-- The answer this key got before, or nothing; FM409 when the key was used for another request.
create function fence.replay(p_key text, p_sha256 bytea, out status integer, out doc text)
language plpgsql stable security invoker set search_path = pg_catalog, pg_temp as $$
declare
  asked bytea;
begin
  if p_key is null then
    return;
  end if;
  select i.status, i.answer, i.request_sha256 into replay.status, replay.doc, asked
    from fleet.idempotency i where i.key = p_key;
  if asked <> p_sha256 then
    raise exception 'idempotency.conflict' using errcode = 'FM409';
  end if;
end $$;

create function fence.remember(p_key text, p_sha256 bytea, p_status integer, p_answer text) returns void
language plpgsql volatile security invoker set search_path = pg_catalog, pg_temp as $$
begin
  -- The claim ended between the act and the look at what it made: neither may stand without the other.
  if p_answer is null then
    raise exception 'fence: no valid claim' using errcode = '28000';
  end if;
  if p_key is not null then
    insert into fleet.idempotency (key, request_sha256, status, answer) values (p_key, p_sha256, p_status, p_answer);
  end if;
end $$;

reset role;

grant select (principal, key, request_sha256, status, answer), insert (key, request_sha256, status, answer)
  on fleet.idempotency to fleetmem_agent, fleetmem_operator;
grant select on fleet.idempotency to fleetmem_auditor;
grant execute on function fence.replay(text, bytea), fence.remember(text, bytea, integer, text)
  to fleetmem_agent, fleetmem_operator;
