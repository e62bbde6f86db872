-- Capture: what a team was asked, what was said, and what each run did. Kept as it came, for ever.
--
--   task     opened and read by members; settled once, by who opened it or a member with a run in it
--   message  written by members, as themselves; `seq` counts a team's messages in the order they are committed, without a gap
--   run      one attempt of one agent at a task it may read; written by that agent alone, and settled once
--   span     a step of a run, while it runs; what is there already is never changed by sending it again
--   context  which messages a run was shown and which it was not: its agent's to write and to read
--
--   read     one's own, or as a member whatever is for an audience of one's read set
--
-- `seq` and what is counted by it (`opened_seq`, the window of an injection) are no agent's to read: a number without a gap
-- would tell a member how much its colleagues say where it may not listen. Identifiers are made under the same lock as `seq`,
-- so within a team they sort as it does, and a list by identifier misses nothing.

set local role fleetmem_owner;

create policy agent_reads on fleet.task for select to fleetmem_agent
  using (team = any ((select fence.my_teams())::text[])
         and (audience = any ((select fence.read_set())::text[]) or opened_by = (select fence.current_agent())));
create policy agent_opens on fleet.task for insert to fleetmem_agent
  with check (opened_by = (select fence.current_agent()) and audience = any ((select fence.write_set())::text[])
              and team = any ((select fence.my_teams())::text[]));
create policy party_settles on fleet.task for update to fleetmem_agent
  using (team = any ((select fence.my_teams())::text[])
         and (opened_by = (select fence.current_agent())
              or exists (select from fleet.run r where r.task = task.id and r.agent = (select fence.current_agent()))))
  with check (team = any ((select fence.my_teams())::text[]));

create policy agent_reads on fleet.message for select to fleetmem_agent
  using (team = any ((select fence.my_teams())::text[])
         and (audience = any ((select fence.read_set())::text[]) or author = (select fence.current_agent())));
create policy agent_posts on fleet.message for insert to fleetmem_agent
  with check (author = (select fence.current_agent()) and audience = any ((select fence.write_set())::text[])
              and team = any ((select fence.my_teams())::text[]));

create policy agent_reads on fleet.run for select to fleetmem_agent
  using (agent = (select fence.current_agent())
         or team = any ((select fence.my_teams())::text[]) and audience = any ((select fence.read_set())::text[]));
create policy agent_runs on fleet.run for insert to fleetmem_agent
  with check (agent = (select fence.current_agent()) and team = any ((select fence.my_teams())::text[]));
create policy agent_settles on fleet.run for update to fleetmem_agent
  using (agent = (select fence.current_agent())) with check (agent = (select fence.current_agent()));

create policy agent_reads on fleet.span for select to fleetmem_agent
  using (exists (select from fleet.run r where r.id = run));
create policy agent_adds on fleet.span for insert to fleetmem_agent
  with check (exists (select from fleet.run r where r.id = run and r.agent = (select fence.current_agent())));

create policy agent_reads on fleet.context_injection for select to fleetmem_agent
  using (exists (select from fleet.run r where r.id = run and r.agent = (select fence.current_agent())));
create policy agent_adds on fleet.context_injection for insert to fleetmem_agent
  with check (exists (select from fleet.run r
                       where r.id = run and r.agent = (select fence.current_agent()) and r.status = 'running'));

create policy scribe_reads on fleet.task for select to fleetmem_scribe using (true);
create policy scribe_reads on fleet.message for select to fleetmem_scribe using (true);
create policy scribe_reads on fleet.run for select to fleetmem_scribe using (true);
create policy scribe_reads on fleet.span for select to fleetmem_scribe using (true);
create policy scribe_reads on fleet.context_injection for select to fleetmem_scribe using (true);
-- Locking a row asks for the right to update it; the scribe changes neither.
create policy scribe_locks on fleet.task for update to fleetmem_scribe using (true) with check (false);
create policy scribe_locks on fleet.run for update to fleetmem_scribe using (true) with check (false);

create policy worker_reads on fleet.task for select to fleetmem_worker using (true);
create policy worker_reads on fleet.message for select to fleetmem_worker using (true);
create policy worker_reads on fleet.run for select to fleetmem_worker using (true);
create policy worker_reads on fleet.span for select to fleetmem_worker using (true);
create policy worker_reads on fleet.context_injection for select to fleetmem_worker using (true);
create policy auditor_reads on fleet.task for select to fleetmem_auditor using (true);
create policy auditor_reads on fleet.message for select to fleetmem_auditor using (true);
create policy auditor_reads on fleet.run for select to fleetmem_auditor using (true);
create policy auditor_reads on fleet.span for select to fleetmem_auditor using (true);
create policy auditor_reads on fleet.context_injection for select to fleetmem_auditor using (true);

reset role;
set local role fleetmem_scribe;

-- Whether an agent is an active member of an active team that carries the audience.
create function fence.team_carries(p_team text, p_agent text, p_audience text) returns boolean
language sql stable set search_path = pg_catalog, pg_temp
return exists (select from fleet.team t join fleet.team_member m on m.team = t.name and m.agent = p_agent and m.active
                where t.name = p_team and t.active and p_audience = any (t.audiences));

-- Stamp a new task. The team's row is locked to the end of the transaction, as for a message: what was said before the task
-- was opened and what after is never in doubt.
create function fence.task_stamp() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.opened_by := (fence.require('agent')).name;
  if not fence.team_carries(new.team, new.opened_by, new.audience) then
    raise exception 'audience.not_writable' using errcode = '42501';
  end if;
  select t.last_seq into new.opened_seq from fleet.team t where t.name = new.team for no key update;
  new.created_at := clock_timestamp();
  new.id := fence.new_id(new.created_at);
  new.status := 'open';
  new.settled_at := null;
  return new;
end $$;

-- Stamp a new message. The count comes last and under a lock that lasts to the commit: so numbers follow the order of commits,
-- and one that is rolled back leaves no gap.
create function fence.message_stamp() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  who record := fence.require('agent');
  named record;
begin
  new.author := who.name;
  if not fence.team_carries(new.team, who.name, new.audience) then
    raise exception 'audience.not_writable' using errcode = '42501';
  end if;
  if new.run is not null then
    select r.task, r.agent into named from fleet.run r where r.id = new.run and r.team = new.team;
    if named.agent is distinct from who.name or named.task <> new.task then
      raise exception 'record.absent' using errcode = 'P0002';
    end if;
    new.task := named.task;
  end if;
  if new.task is not null then
    select t.status, t.audience = any (who.reads) or t.opened_by = who.name or new.run is not null as seen into named
      from fleet.task t where t.id = new.task and t.team = new.team for share;
    if named.seen is not true then
      raise exception 'record.absent' using errcode = 'P0002';
    end if;
    if named.status <> 'open' then
      raise exception 'task.settled' using errcode = '23514', constraint = 'task_settled_once';
    end if;
  end if;
  update fleet.team t set last_seq = t.last_seq + 1 where t.name = new.team returning t.last_seq into new.seq;
  new.created_at := clock_timestamp();
  new.id := fence.new_id(new.created_at);
  return new;
end $$;

-- Stamp a new run: whose it is, whose words it may hold, and which attempt it is. The task's row is locked, so of two at once
-- one is the next, and a task that is being settled takes none.
create function fence.run_stamp() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  who record := fence.require('agent');
  named record;
begin
  select t.team, t.audience, t.status into named from fleet.task t
   where t.id = new.task and (t.audience = any (who.reads) or t.opened_by = who.name)
     and exists (select from fleet.team_member m join fleet.team f on f.name = m.team and f.active
                  where m.team = t.team and m.agent = who.name and m.active)
     for no key update;
  if not found then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  if named.status <> 'open' then
    raise exception 'task.settled' using errcode = '23514', constraint = 'task_settled_once';
  end if;
  new.agent := who.name;
  new.team := named.team;
  new.audience := named.audience;
  select 1 + coalesce(max(r.attempt), 0) into new.attempt from fleet.run r
   where r.task = new.task and r.agent = new.agent and coalesce(r.node, '') = coalesce(new.node, '');
  new.started_at := clock_timestamp();
  new.id := fence.new_id(new.started_at);
  new.status := 'running';
  new.output := null;
  new.failure := null;
  new.settled_at := null;
  new.spans := null;
  new.errors := null;
  new.input_tokens := null;
  new.output_tokens := null;
  new.duration_ms := null;
  return new;
end $$;

-- Stamp what a run was shown. The window begins after what its agent was shown last, or before the oldest message of this
-- one; it ends with the newest message that was shown or held back.
create function fence.context_injection_stamp() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  who record := fence.require('agent');
  of_team text := (select r.team from fleet.run r where r.id = new.run and r.agent = who.name);
  seen bigint;
begin
  if of_team is null then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  if cardinality(new.messages) > 1000 or cardinality(new.withheld) > 1000 or cardinality(new.dependencies) > 100 then
    raise exception 'run.injection' using errcode = '23514', constraint = 'context_injection_size';
  end if;
  if cardinality(new.messages) <> (select count(*) from fleet.message m
        where m.id = any (new.messages) and m.team = of_team and (m.audience = any (who.reads) or m.author = who.name)) then
    raise exception 'run.injection' using errcode = '23514', constraint = 'context_injection_messages';
  end if;
  if cardinality(new.withheld) <> (select count(*) from fleet.message m where m.id = any (new.withheld) and m.team = of_team) then
    raise exception 'run.injection' using errcode = '23514', constraint = 'context_injection_withheld';
  end if;
  if cardinality(new.dependencies) <> (select count(*) from fleet.run r
        where r.id = any (new.dependencies) and r.team = of_team and (r.audience = any (who.reads) or r.agent = who.name)) then
    raise exception 'run.injection' using errcode = '23514', constraint = 'context_injection_dependencies';
  end if;
  select coalesce(max(i.to_seq_inclusive), 0) into seen
    from fleet.context_injection i join fleet.run r on r.id = i.run
   where r.agent = who.name and r.team = of_team and r.id <> new.run;
  select least(seen, min(m.seq) filter (where m.id = any (new.messages)) - 1), greatest(seen, max(m.seq))
    into new.from_seq_exclusive, new.to_seq_inclusive
    from fleet.message m where m.id = any (new.messages || new.withheld);
  new.created_at := clock_timestamp();
  return new;
end $$;

-- Spans come while their run runs. Settling waits for those on their way, and counts them; the ones after it are refused.
create function fence.span_of_running() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  held record;
begin
  for held in select r.status from fleet.run r where r.id in (select a.run from added a) order by r.id for share loop
    if held.status <> 'running' then
      raise exception 'run.settled' using errcode = '23514', constraint = 'run_settled_once';
    end if;
  end loop;
  return null;
end $$;

create function fence.run_settle() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if old.status <> 'running' or new.status = 'running' then
    raise exception 'run.settled' using errcode = '23514', constraint = 'run_settled_once';
  end if;
  new.settled_at := clock_timestamp();
  new.duration_ms := greatest(0, extract(epoch from new.settled_at - old.started_at) * 1000)::bigint;
  select count(*), count(*) filter (where s.is_error), sum(s.input_tokens), sum(s.output_tokens)
    into new.spans, new.errors, new.input_tokens, new.output_tokens
    from fleet.span s where s.run = new.id;
  return new;
end $$;
grant execute on function fence.task_stamp(), fence.message_stamp(), fence.run_stamp(), fence.context_injection_stamp(),
  fence.span_of_running(), fence.run_settle() to fleetmem_owner;  -- who hangs them on the tables

reset role;
set local role fleetmem_owner;

create function fence.task_settle() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if old.status <> 'open' or new.status = 'open' then
    raise exception 'task.settled' using errcode = '23514', constraint = 'task_settled_once';
  end if;
  new.settled_at := clock_timestamp();
  return new;
end $$;

create function fence.span_stamp() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.arrived_at := clock_timestamp();
  return new;
end $$;

create trigger a_stamp before insert on fleet.task for each row execute function fence.task_stamp();
create trigger b_settle before update on fleet.task for each row execute function fence.task_settle();
create trigger a_stamp before insert on fleet.message for each row execute function fence.message_stamp();
create trigger a_stamp before insert on fleet.run for each row execute function fence.run_stamp();
create trigger b_settle before update on fleet.run for each row execute function fence.run_settle();
create trigger a_stamp before insert on fleet.context_injection for each row execute function fence.context_injection_stamp();
create trigger a_stamp before insert on fleet.span for each row execute function fence.span_stamp();
create trigger b_running after insert on fleet.span referencing new table as added
  for each statement execute function fence.span_of_running();

create trigger z_never before delete or truncate on fleet.task for each statement execute function fence.never();
create trigger z_never_edit before update of id, team, opened_by, prompt, audience, opened_seq, created_at, settled_at
  on fleet.task for each statement execute function fence.never();
create trigger z_never before update or delete or truncate on fleet.message for each statement execute function fence.never();
create trigger z_never before delete or truncate on fleet.run for each statement execute function fence.never();
create trigger z_never_edit before update of id, task, team, agent, audience, attempt, node, instruction, started_at, settled_at,
  spans, errors, input_tokens, output_tokens, duration_ms
  on fleet.run for each statement execute function fence.never();
create trigger z_never before update or delete or truncate on fleet.span for each statement execute function fence.never();
create trigger z_never before update or delete or truncate on fleet.context_injection
  for each statement execute function fence.never();
alter table fleet.task enable always trigger z_never;
alter table fleet.task enable always trigger z_never_edit;
alter table fleet.message enable always trigger z_never;
alter table fleet.run enable always trigger z_never;
alter table fleet.run enable always trigger z_never_edit;
alter table fleet.span enable always trigger z_never;
alter table fleet.context_injection enable always trigger z_never;

-- Records as every answer shows them.
create function api.task_doc(id uuid, team text, opened_by text, prompt text, audience text, status text,
                             created_at timestamptz, settled_at timestamptz) returns json
language sql stable parallel safe security invoker as $$
  select json_build_object('id', id, 'team', team, 'opened_by', opened_by, 'prompt', prompt, 'audience', audience,
    'status', status, 'created_at', created_at, 'settled_at', settled_at)
$$;

create function api.message_doc(id uuid, team text, task uuid, run uuid, author text, speaker text, body text, audience text,
                                created_at timestamptz) returns json
language sql stable parallel safe security invoker as $$
  select json_build_object('id', id, 'team', team, 'task', task, 'run', run, 'author', author, 'speaker', speaker,
    'body', body, 'audience', audience, 'created_at', created_at)
$$;

create function api.run_doc(r fleet.run) returns json
language sql stable parallel safe security invoker as $$
  select json_build_object('id', r.id, 'task', r.task, 'team', r.team, 'agent', r.agent, 'audience', r.audience,
    'attempt', r.attempt, 'node', r.node, 'instruction', r.instruction, 'status', r.status, 'output', r.output,
    'failure', r.failure, 'started_at', r.started_at, 'settled_at', r.settled_at, 'spans', r.spans, 'errors', r.errors,
    'input_tokens', r.input_tokens, 'output_tokens', r.output_tokens, 'duration_ms', r.duration_ms)
$$;

-- A document with one member more.
create function api.doc_with(doc json, name text, member json) returns text
language sql immutable parallel safe
return rtrim(doc::text, '}') || ', "' || name || '" : ' || coalesce(member::text, 'null') || '}';

create function api.require_team(p_team text) returns void
language plpgsql volatile security invoker as $$
begin
  if not exists (select from fleet.team t where t.name = p_team) then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
end $$;

create function api.task_open(claim text, idem_key text, idem_hash bytea, p_team text, p_prompt text, p_audience text,
                              p_redacted_by text[], out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
declare
  who record := fence.enter(claim, 'agent', true);
begin
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  perform api.require_team(p_team);
  status := 201;
  replayed := false;
  insert into fleet.task as t (team, prompt, audience) values (p_team, p_prompt, p_audience)
    returning api.doc_with(api.task_doc(t.id, t.team, t.opened_by, t.prompt, t.audience, t.status, t.created_at, t.settled_at),
                           'redacted_by', to_json(p_redacted_by)) into doc;
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

-- One page of a team's tasks, newest first.
create function api.task_list(claim text, p_team text, p_status text, p_before uuid, page_size integer) returns text
language plpgsql volatile security invoker
set plan_cache_mode = force_generic_plan set enable_bitmapscan = off as $$
declare
  items json[];
  last_id uuid;
begin
  perform fence.enter(claim, 'agent', false);
  perform api.require_team(p_team);
  select array_agg(api.task_doc(x.id, x.team, x.opened_by, x.prompt, x.audience, x.status, x.created_at, x.settled_at)),
         (array_agg(x.id))[count(*)] into items, last_id from (
    select t.id, t.team, t.opened_by, t.prompt, t.audience, t.status, t.created_at, t.settled_at from fleet.task t
     where t.team = p_team and (p_status is null or t.status = p_status)
       and t.id < coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
     order by t.id desc limit page_size) x;
  return fence.page(items, last_id, page_size);
end $$;

-- One task with the runs at it that the reader may see, oldest first.
create function api.task_get(claim text, p_id uuid) returns text
language plpgsql volatile security invoker as $$
declare
  doc text;
begin
  perform fence.enter(claim, 'agent', false);
  select api.doc_with(
           api.task_doc(t.id, t.team, t.opened_by, t.prompt, t.audience, t.status, t.created_at, t.settled_at), 'runs',
           (select coalesce(json_agg(api.run_doc(r) order by r.id), '[]') from fleet.run r where r.task = t.id))
    into doc from fleet.task t where t.id = p_id;
  if doc is null then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  return doc;
end $$;

create function api.task_settle(claim text, idem_key text, idem_hash bytea, p_id uuid, p_status text,
                                out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
declare
  who record := fence.enter(claim, 'agent', true);
begin
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  status := 200;
  replayed := false;
  update fleet.task t set status = p_status where t.id = p_id
    returning api.task_doc(t.id, t.team, t.opened_by, t.prompt, t.audience, t.status, t.created_at, t.settled_at)::text into doc;
  if doc is null then
    if exists (select from fleet.task t where t.id = p_id) then
      raise exception 'record.not_yours' using errcode = '42501', constraint = 'task_not_yours';
    end if;
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

create function api.message_post(claim text, idem_key text, idem_hash bytea, p_team text, p_body text, p_audience text,
                                 p_speaker text, p_task uuid, p_run uuid, p_redacted_by text[],
                                 out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
declare
  who record := fence.enter(claim, 'agent', true);
begin
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  perform api.require_team(p_team);
  status := 201;
  replayed := false;
  insert into fleet.message as m (team, task, run, speaker, body, audience)
  values (p_team, p_task, p_run, p_speaker, p_body, p_audience)
    returning api.doc_with(api.message_doc(m.id, m.team, m.task, m.run, m.author, m.speaker, m.body, m.audience, m.created_at),
                           'redacted_by', to_json(p_redacted_by)) into doc;
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

-- One page of what a team said, oldest first, after a message. As in api.beat_list, one index is walked for each audience, so
-- that a page takes no longer the more is hidden; its own words elsewhere come from the index of their author.
create function api.message_list(claim text, p_team text, p_task uuid, p_after uuid, page_size integer) returns text
language plpgsql volatile security invoker
set plan_cache_mode = force_generic_plan set enable_bitmapscan = off as $$
declare
  who record := fence.enter(claim, 'agent', false);
  items json[];
  last_id uuid;
  below uuid := coalesce(p_after, '00000000-0000-0000-0000-000000000000');
begin
  perform api.require_team(p_team);
  if p_task is not null then
    select array_agg(api.message_doc(x.id, x.team, x.task, x.run, x.author, x.speaker, x.body, x.audience, x.created_at)),
           (array_agg(x.id))[count(*)] into items, last_id from (
      select m.id, m.team, m.task, m.run, m.author, m.speaker, m.body, m.audience, m.created_at from fleet.message m
       where m.task = p_task and m.team = p_team and m.id > below order by m.id limit page_size) x;
  else
    select array_agg(api.message_doc(x.id, x.team, x.task, x.run, x.author, x.speaker, x.body, x.audience, x.created_at)),
           (array_agg(x.id))[count(*)] into items, last_id from (
      select n.id, n.team, n.task, n.run, n.author, n.speaker, n.body, n.audience, n.created_at from (
        select near.* from unnest(who.reads) as a (name) cross join lateral (
          select m.id, m.team, m.task, m.run, m.author, m.speaker, m.body, m.audience, m.created_at from fleet.message m
           where m.team = p_team and m.audience = a.name and m.id > below order by m.id limit page_size) near
        union all
        (select m.id, m.team, m.task, m.run, m.author, m.speaker, m.body, m.audience, m.created_at from fleet.message m
          where m.author = who.name and m.team = p_team and m.audience <> all (who.reads) and m.id > below
          order by m.id limit page_size)) n
       order by n.id limit page_size) x;
  end if;
  return fence.page(items, last_id, page_size);
end $$;

create function api.run_open(claim text, idem_key text, idem_hash bytea, p_task uuid, p_node text, p_instruction text,
                             p_injection json, p_redacted_by text[],
                             out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
declare
  who record := fence.enter(claim, 'agent', true);
  made uuid;
begin
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  status := 201;
  replayed := false;
  insert into fleet.run as r (task, node, instruction) values (p_task, p_node, p_instruction)
    returning r.id, api.doc_with(api.run_doc(r), 'redacted_by', to_json(p_redacted_by)) into made, doc;
  if p_injection is not null then
    insert into fleet.context_injection (run, messages, dependencies, withheld, text_sha256)
    select made, x.messages, x.dependencies, x.withheld, decode(x.text_sha256, 'hex')
      from json_to_record(p_injection) as x (messages uuid[], dependencies uuid[], withheld uuid[], text_sha256 text);
  end if;
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

-- One run; what it was shown only to its own agent.
create function api.run_get(claim text, p_id uuid) returns text
language plpgsql volatile security invoker as $$
declare
  doc text;
begin
  perform fence.enter(claim, 'agent', false);
  select api.doc_with(api.run_doc(r), 'injection',
           (select json_build_object('messages', i.messages, 'dependencies', i.dependencies, 'withheld', i.withheld,
                                     'text_sha256', encode(i.text_sha256, 'hex'), 'created_at', i.created_at)
              from fleet.context_injection i where i.run = r.id))
    into doc from fleet.run r where r.id = p_id;
  if doc is null then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  return doc;
end $$;

create function api.run_settle(claim text, idem_key text, idem_hash bytea, p_id uuid, p_status text, p_output text,
                               p_failure text, p_redacted_by text[],
                               out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
declare
  who record := fence.enter(claim, 'agent', true);
begin
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  status := 200;
  replayed := false;
  update fleet.run r set status = p_status, output = p_output, failure = p_failure where r.id = p_id and r.agent = who.name
    returning api.doc_with(api.run_doc(r), 'redacted_by', to_json(p_redacted_by)) into doc;
  if doc is null then
    if exists (select from fleet.run r where r.id = p_id) then
      raise exception 'record.not_yours' using errcode = '42501', constraint = 'run_not_yours';
    end if;
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

-- Add a batch of spans, an array of objects; those whose number is there already are left as they are.
create function api.span_add(claim text, idem_key text, idem_hash bytea, p_run uuid, p_spans json, p_redacted_by text[],
                             out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
declare
  who record := fence.enter(claim, 'agent', true);
  named record;
  added integer;
begin
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  select r.agent, r.status into named from fleet.run r where r.id = p_run;
  if not found then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  if named.agent <> who.name then
    raise exception 'record.not_yours' using errcode = '42501', constraint = 'run_not_yours';
  end if;
  if named.status <> 'running' then
    raise exception 'run.settled' using errcode = '23514', constraint = 'run_settled_once';
  end if;
  status := 200;
  replayed := false;
  insert into fleet.span (run, seq, kind, name, body, is_error, input_tokens, output_tokens, started_at, ended_at)
  select p_run, x.seq, x.kind, x.name, x.body, x.is_error, x.input_tokens, x.output_tokens, x.started_at, x.ended_at
    from json_to_recordset(p_spans) as x (seq integer, kind text, name text, body text, is_error boolean, input_tokens bigint,
                                          output_tokens bigint, started_at timestamptz, ended_at timestamptz)
  on conflict (run, seq) do nothing;
  get diagnostics added = row_count;
  doc := json_build_object('run', p_run, 'added', added, 'known', json_array_length(p_spans) - added,
                           'redacted_by', p_redacted_by)::text;
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

-- One page of a run's spans, in their order. A cursor holds the last number where others hold an identifier.
create function api.span_list(claim text, p_run uuid, p_after uuid, page_size integer) returns text
language plpgsql volatile security invoker
set plan_cache_mode = force_generic_plan set enable_bitmapscan = off as $$
declare
  items json[];
  last_seq integer;
  below integer := 0;
begin
  perform fence.enter(claim, 'agent', false);
  if not exists (select from fleet.run r where r.id = p_run) then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  if p_after is not null then
    below := ('x' || right(p_after::text, 7))::bit(28)::integer;
  end if;
  select array_agg(json_build_object(
           'seq', x.seq, 'kind', x.kind, 'name', x.name, 'body', x.body, 'is_error', x.is_error,
           'input_tokens', x.input_tokens, 'output_tokens', x.output_tokens, 'started_at', x.started_at,
           'ended_at', x.ended_at, 'arrived_at', x.arrived_at)), (array_agg(x.seq))[count(*)] into items, last_seq from (
    select s.seq, s.kind, s.name, s.body, s.is_error, s.input_tokens, s.output_tokens, s.started_at, s.ended_at, s.arrived_at
      from fleet.span s where s.run = p_run and s.seq > below order by s.seq limit page_size) x;
  return fence.page(items, lpad(to_hex(last_seq), 32, '0')::uuid, page_size);
end $$;

reset role;

grant select (id, team, opened_by, prompt, audience, status, created_at, settled_at), insert (team, prompt, audience),
  update (status) on fleet.task to fleetmem_agent;
grant select (id, team, task, run, author, speaker, body, audience, created_at),
  insert (team, task, run, speaker, body, audience) on fleet.message to fleetmem_agent;
grant select, insert (task, node, instruction), update (status, output, failure) on fleet.run to fleetmem_agent;
grant select, insert (run, seq, kind, name, body, is_error, input_tokens, output_tokens, started_at, ended_at)
  on fleet.span to fleetmem_agent;
grant select (run, messages, dependencies, withheld, text_sha256, created_at),
  insert (run, messages, dependencies, withheld, text_sha256) on fleet.context_injection to fleetmem_agent;
grant select, update (settled_at) on fleet.task to fleetmem_scribe;
grant select, update (settled_at) on fleet.run to fleetmem_scribe;
grant select on fleet.message, fleet.span, fleet.context_injection to fleetmem_scribe;
grant select on fleet.task, fleet.message, fleet.run, fleet.span, fleet.context_injection to fleetmem_worker, fleetmem_auditor;
grant execute on function
  api.task_doc(uuid, text, text, text, text, text, timestamptz, timestamptz),
  api.message_doc(uuid, text, uuid, uuid, text, text, text, text, timestamptz), api.run_doc(fleet.run),
  api.doc_with(json, text, json), api.require_team(text)
  to fleetmem_agent;
grant execute on function
  api.task_open(text, text, bytea, text, text, text, text[]), api.task_list(text, text, text, uuid, integer),
  api.task_get(text, uuid), api.task_settle(text, text, bytea, uuid, text),
  api.message_post(text, text, bytea, text, text, text, text, uuid, uuid, text[]),
  api.message_list(text, text, uuid, uuid, integer),
  api.run_open(text, text, bytea, uuid, text, text, json, text[]), api.run_get(text, uuid),
  api.run_settle(text, text, bytea, uuid, text, text, text, text[]),
  api.span_add(text, text, bytea, uuid, json, text[]), api.span_list(text, uuid, uuid, integer)
  to fleetmem_gateway;
