-- Segments: runs of consecutive tasks of one team, and the jobs that carry a team's work into them.
--
--   worker   opens, fills and closes segments, and flushes a closed one once
--   jobs     are put into the queue by triggers, in the transaction of what they follow: nothing lies between the two
--
-- Every trigger that continues the pipeline is the scribe's. None of it is seen by an agent.

set local role fleetmem_owner;

create policy worker_reads on fleet.segment for select to fleetmem_worker using (true);
create policy worker_opens on fleet.segment for insert to fleetmem_worker with check (status = 'open');
create policy worker_moves on fleet.segment for update to fleetmem_worker using (status <> 'flushed') with check (true);
create policy scribe_reads on fleet.segment for select to fleetmem_scribe using (true);
create policy scribe_reopens on fleet.segment for update to fleetmem_scribe using (true) with check (true);
create policy auditor_reads on fleet.segment for select to fleetmem_auditor using (true);

create policy worker_reads on fleet.segment_task for select to fleetmem_worker using (true);
create policy worker_places on fleet.segment_task for insert to fleetmem_worker with check (true);
create policy scribe_reads on fleet.segment_task for select to fleetmem_scribe using (true);
create policy auditor_reads on fleet.segment_task for select to fleetmem_auditor using (true);

create policy worker_reads on fleet.segment_run for select to fleetmem_worker using (true);
create policy worker_places on fleet.segment_run for insert to fleetmem_worker with check (true);
create policy scribe_reads on fleet.segment_run for select to fleetmem_scribe using (true);
create policy auditor_reads on fleet.segment_run for select to fleetmem_auditor using (true);

reset role;

grant select on fleet.segment, fleet.segment_task, fleet.segment_run to fleetmem_scribe;
grant update (status, boundary, to_seq, generation) on fleet.segment to fleetmem_scribe;
grant select, insert (team, status, from_seq, topics), update (status, boundary, to_seq, characters, topics, active_at, outcome, detail)
  on fleet.segment to fleetmem_worker;
grant select, insert on fleet.segment_task, fleet.segment_run to fleetmem_worker;
grant select on fleet.segment, fleet.segment_task, fleet.segment_run to fleetmem_auditor;

set local role fleetmem_scribe;

-- Stamp a new segment: its number, and where in the team's messages it begins.
create function fence.segment_stamp() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  last record;
begin
  select s.ordinal, s.to_seq into last from fleet.segment s where s.team = new.team order by s.ordinal desc limit 1;
  new.opened_at := clock_timestamp();
  new.id := fence.new_id(new.opened_at);
  new.ordinal := coalesce(last.ordinal, 0) + 1;
  new.from_seq := coalesce(last.to_seq, 0);
  new.active_at := new.opened_at;
  new.generation := 1;
  return new;
end $$;

-- open → closed → flushed, each once; a flushed segment is opened again only by what resets it.
create function fence.segment_move() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if current_user = 'fleetmem_worker' then
    if (old.status, new.status) not in (('open', 'open'), ('open', 'closed'), ('closed', 'closed'), ('closed', 'flushed')) then
      raise exception 'segment.transition' using errcode = '23514', constraint = 'segment_transition_legal';
    end if;
    new.active_at := case when new.active_at is distinct from old.active_at then clock_timestamp() else old.active_at end;
  end if;
  new.closed_at := case when new.status = 'open' then null else coalesce(old.closed_at, clock_timestamp()) end;
  new.flushed_at := case when new.status = 'flushed' then coalesce(old.flushed_at, clock_timestamp()) end;
  if new.status <> 'flushed' then
    new.outcome := null;
    new.detail := null;
  end if;
  return new;
end $$;

-- The messages that a segment was: those of its tasks, and those of no task that fell into its time. A task that was split
-- between two segments gives each the messages of its own time.
create function fence.segment_messages(p_segment uuid) returns setof uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select m.id
    from fleet.segment s
    join fleet.message m on m.team = s.team
   where s.id = p_segment
     and case when m.task is null then m.seq > s.from_seq and m.seq <= s.to_seq
              else exists (select from fleet.segment_task t where t.segment = s.id and t.task = m.task)
                   and (m.seq > s.from_seq and m.seq <= s.to_seq
                        or not exists (select from fleet.segment_task t where t.task = m.task and t.segment <> s.id))
         end;
end;

-- Every audience that went into a segment: of its tasks, its runs and its messages, and of whatever was shown to its runs or to
-- those that its messages were said in (one may still be at work): messages, and what other runs had made of what they were shown.
create function fence.segment_audiences(p_segment uuid) returns text[]
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  with recursive said as (
    select m.audience, m.run from fleet.message m where m.id in (select fence.segment_messages(p_segment))
  ), ran (run) as (
    select s.run from fleet.segment_run s where s.segment = p_segment
    union
    select s.run from said s where s.run is not null
    union
    select d.run from ran join fleet.context_injection i on i.run = ran.run cross join lateral unnest(i.dependencies) as d (run)
  )
  select coalesce(array_agg(distinct x.audience order by x.audience), '{}') from (
    select t.audience from fleet.segment_task s join fleet.task t on t.id = s.task where s.segment = p_segment
    union
    select s.audience from said s
    union
    select r.audience from ran join fleet.run r on r.id = ran.run
    union
    select m.audience
      from ran
      join fleet.context_injection i on i.run = ran.run
      join fleet.message m on m.id = any (i.messages)) x (audience);
end;

-- Who took part anywhere in a segment: asked, ran or spoke.
create function fence.segment_agents(p_segment uuid) returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select t.opened_by from fleet.segment_task s join fleet.task t on t.id = s.task where s.segment = p_segment
  union
  select r.agent from fleet.segment_run s join fleet.run r on r.id = s.run where s.segment = p_segment
  union
  select m.author from fleet.message m where m.id in (select fence.segment_messages(p_segment));
end;

-- Whether a closed segment is complete: every task of it settled and every run of those tasks in its segment. What a
-- mid-task boundary cut off counts without the rest of its task, and so does a task for which nothing was said or done for a
-- week: whoever was at work on it is not coming back, and the others' work is not to wait for that.
create function fence.segment_is_complete(p_segment uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select exists (select from fleet.segment s where s.id = p_segment and s.status = 'closed')
     and not exists (
       select from fleet.segment_task m
         join fleet.task t on t.id = m.task
        where m.segment = p_segment
          and not exists (select from fleet.segment_task later
                            join fleet.segment s on s.id = later.segment
                           where later.task = m.task and later.segment <> p_segment
                             and s.ordinal > (select own.ordinal from fleet.segment own where own.id = p_segment))
          and (t.status = 'open'
               or exists (select from fleet.run r where r.task = t.id and r.settled_at is null)
               or exists (select from fleet.run r where r.task = t.id
                           and not exists (select from fleet.segment_run p where p.run = r.id)))
          and greatest(t.created_at,
                       (select max(g.created_at) from fleet.message g where g.task = t.id),
                       (select max(greatest(r.started_at, r.settled_at)) from fleet.run r where r.task = t.id),
                       (select max(s.arrived_at) from fleet.run r join fleet.span s on s.run = r.id where r.task = t.id))
              > now() - interval '7 days');
end;

-- Send a segment on once it is complete. Its row is locked first, so that of two that complete it together one sees the other.
-- One at a time for each team: no team that works much keeps the others' waiting, and what one settles the next one sees.
create function fence.segment_advance(p_segment uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_team text;
begin
  select s.team into of_team from fleet.segment s where s.id = p_segment for update;
  if fence.segment_is_complete(p_segment) then
    perform fence.defer('distil', json_build_object('segment', p_segment)::jsonb,
                        'distil:' || of_team, 'distil:' || p_segment, 0);
  end if;
end $$;

create function fence.task_follow() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  held uuid;
begin
  if tg_op = 'INSERT' then
    perform fence.defer('place_task', json_build_object('task', new.id)::jsonb, 'team:' || new.team, 'place_task:' || new.id, 5);
  elsif new.status <> 'open' then
    for held in select s.segment from fleet.segment_task s where s.task = new.id order by s.segment loop
      perform fence.segment_advance(held);
    end loop;
  end if;
  return null;
end $$;

create function fence.run_follow() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.settled_at is not null then
    perform fence.defer('place_run', json_build_object('run', new.id)::jsonb, 'team:' || new.team, 'place_run:' || new.id, 5);
  end if;
  return null;
end $$;

create function fence.segment_run_follow() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform fence.segment_advance(new.segment);
  return null;
end $$;

create function fence.segment_follow() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.status = 'closed' and old.status = 'open' then
    perform fence.segment_advance(new.id);
  end if;
  return null;
end $$;

-- No segment mixes two teams, whoever fills it.
create function fence.segment_of_one_team() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  theirs text;
begin
  if tg_table_name = 'segment_task' then
    select t.team into theirs from fleet.task t where t.id = new.task;
  else
    select r.team into theirs from fleet.run r where r.id = new.run;
  end if;
  if not exists (select from fleet.segment s where s.id = new.segment and s.team = theirs) then
    raise exception 'segment.team' using errcode = '23514', constraint = 'segment_of_one_team';
  end if;
  return new;
end $$;

grant execute on function fence.segment_of_one_team(), fence.segment_stamp(), fence.segment_move(), fence.task_follow(), fence.run_follow(),
  fence.segment_run_follow(), fence.segment_follow() to fleetmem_owner;
grant execute on function fence.segment_messages(uuid), fence.segment_agents(uuid), fence.segment_audiences(uuid),
  fence.segment_is_complete(uuid), fence.segment_advance(uuid) to fleetmem_worker;

reset role;
set local role fleetmem_owner;

create trigger a_stamp before insert on fleet.segment for each row execute function fence.segment_stamp();
create trigger b_move before update on fleet.segment for each row execute function fence.segment_move();
create trigger a_one_team before insert on fleet.segment_task for each row execute function fence.segment_of_one_team();
create trigger a_one_team before insert on fleet.segment_run for each row execute function fence.segment_of_one_team();
create trigger w_follow after update on fleet.segment for each row execute function fence.segment_follow();
create trigger w_follow after insert or update of status on fleet.task for each row execute function fence.task_follow();
create trigger w_follow after update of status on fleet.run for each row execute function fence.run_follow();
create trigger w_follow after insert on fleet.segment_run for each row execute function fence.segment_run_follow();
create trigger z_never before delete or truncate on fleet.segment for each statement execute function fence.never();
create trigger z_never before update or delete or truncate on fleet.segment_task for each statement execute function fence.never();
create trigger z_never before update or delete or truncate on fleet.segment_run for each statement execute function fence.never();
alter table fleet.segment enable always trigger z_never;
alter table fleet.segment_task enable always trigger z_never;
alter table fleet.segment_run enable always trigger z_never;

reset role;
