-- Beats: short-lived conclusions, one live per author and topic.
--
--   read     the audience is in the reader's read set; or the reader wrote it and may still write there
--   publish  the audience is in the author's write set; author, times and identifier are stamped, whatever was sent
--   retract  the author, once; nothing else of a beat ever changes and nothing is deleted

set local role fleetmem_owner;

create policy agent_reads on fleet.beat for select to fleetmem_agent
  using (audience = any ((select fence.read_set())::text[])
         or author = (select fence.current_agent()) and audience = any ((select fence.write_set())::text[]));
create policy agent_publishes on fleet.beat for insert to fleetmem_agent
  with check (author = (select fence.current_agent()) and audience = any ((select fence.write_set())::text[]));
create policy author_retracts on fleet.beat for update to fleetmem_agent
  using (author = (select fence.current_agent())) with check (author = (select fence.current_agent()));
create policy scribe_supersedes on fleet.beat for select to fleetmem_scribe using (true);
create policy scribe_ends on fleet.beat for update to fleetmem_scribe using (ended_at is null) with check (true);
create policy auditor_reads on fleet.beat for select to fleetmem_auditor using (true);

reset role;
set local role fleetmem_scribe;

-- Stamp a new beat and end the one it supersedes. The lock makes publishers of one topic queue, so exactly one stays live.
create function fence.beat_stamp() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.author := (fence.require('agent')).name;
  new.topic := normalize(new.topic, nfc);
  new.topic_key := fence.topic_key(new.topic);
  perform pg_advisory_xact_lock(hashtext(new.author), hashtext(new.topic_key));
  new.created_at := clock_timestamp();
  new.id := fence.new_id(new.created_at);
  new.expires_at := coalesce(new.expires_at, new.created_at + interval '7 days');
  new.ended_at := null;
  new.ended_as := null;
  update fleet.beat set ended_as = 'superseded'
   where author = new.author and topic_key = new.topic_key and ended_at is null;
  return new;
end $$;
grant execute on function fence.beat_stamp() to fleetmem_owner;  -- who hangs it on the table

reset role;
set local role fleetmem_owner;

-- Stamp the end of a beat: the scribe supersedes, an author retracts what is live, and neither chooses the moment.
create function fence.beat_end() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if old.ended_at is not null or old.expires_at <= clock_timestamp() and current_user <> 'fleetmem_scribe' then
    raise exception 'beat.ended' using errcode = '23514', constraint = 'beat_ended_once';
  end if;
  if new.ended_as is distinct from (case current_user when 'fleetmem_scribe' then 'superseded' else 'retracted' end) then
    raise exception 'beat.ended' using errcode = '23514', constraint = 'beat_ended_as';
  end if;
  new.ended_at := clock_timestamp();
  return new;
end $$;

create trigger a_stamp before insert on fleet.beat for each row execute function fence.beat_stamp();
create trigger b_end before update on fleet.beat for each row execute function fence.beat_end();
create trigger z_never before delete or truncate on fleet.beat for each statement execute function fence.never();
create trigger z_never_edit before update of id, author, topic, topic_key, body, audience, created_at, expires_at, ended_at
  on fleet.beat for each statement execute function fence.never();
alter table fleet.beat enable always trigger z_never;
alter table fleet.beat enable always trigger z_never_edit;

-- A beat as every answer shows it.
create function api.beat_doc(b fleet.beat) returns json
language sql stable parallel safe security invoker as $$
  select json_build_object(
    'id', b.id, 'author', b.author, 'topic', b.topic, 'body', b.body, 'audience', b.audience,
    'status', coalesce(b.ended_as, case when b.expires_at <= statement_timestamp() then 'expired' else 'live' end),
    'created_at', b.created_at, 'expires_at', b.expires_at, 'ended_at', b.ended_at)
$$;

create function api.beat_publish(claim text, idem_key text, idem_hash bytea,
                                 p_topic text, p_body text, p_audience text, p_expires_at timestamptz,
                                 out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
declare
  who record := fence.enter(claim, 'agent', true);
begin
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  status := 201;
  replayed := false;
  insert into fleet.beat as b (topic, body, audience, expires_at) values (p_topic, p_body, p_audience, p_expires_at)
    returning api.beat_doc(b)::text into doc;
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

create function api.beat_retract(claim text, idem_key text, idem_hash bytea, p_id uuid,
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
  update fleet.beat b set ended_as = 'retracted' where b.id = p_id and b.author = who.name
    returning api.beat_doc(b)::text into doc;
  if doc is null then
    if exists (select from fleet.beat b where b.id = p_id) then
      raise exception 'record.not_yours' using errcode = '42501', constraint = 'beat_not_yours';
    end if;
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

create function api.beat_get(claim text, p_id uuid) returns text
language plpgsql volatile security invoker as $$
declare
  doc text;
begin
  perform fence.enter(claim, 'agent', false);
  select api.beat_doc(b)::text into doc from fleet.beat b where b.id = p_id;
  if doc is null then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  return doc;
end $$;

-- The newest beats a reader may see: by topic, by author, or by audience. The last two walk one index an audience: a plain
-- ORDER BY would walk past every row that the reader may not see, which takes time and tells it how many there are.
create function api.beat_list(claim text, p_topic text, p_author text, p_audience text, p_since timestamptz,
                              live_only boolean, p_before uuid, page_size integer) returns text
language plpgsql volatile security invoker
-- Each statement has one right plan: walk the index that was made for it, in its order, and stop at a page. So it is planned
-- once a connection (a LIMIT that is a parameter makes Postgres plan at every call, which takes longer than the list), and
-- never by bitmap (each half of the read policy has an index, so Postgres would gather all that the reader may see and sort
-- it: measured at a million beats, 6 s instead of 2 ms).
set plan_cache_mode = force_generic_plan set enable_bitmapscan = off as $$
declare
  who record;
  everyones text[];  -- audiences whose beats it sees, whoever wrote them
  own text[];        -- audiences where it sees its own beats alone: it may write there and not read
  items json[];
  last_id uuid;
  upto uuid := coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  since uuid := '00000000-0000-0000-0000-000000000000';
  key text;
begin
  who := fence.enter(claim, 'agent', false);
  if p_since is not null then
    since := fence.first_id(p_since);
  end if;
  everyones := who.reads;
  if not who.writes <@ who.reads then
    own := array(select w from unnest(who.writes) w where w <> all (who.reads));
  end if;
  if p_audience is not null then
    everyones := case when p_audience = any (everyones) then array[p_audience] end;
    own := case when p_audience = any (own) then array[p_audience] end;
  end if;
  if p_topic is not null and live_only then
    key := fence.topic_key(p_topic);
    select array_agg(api.beat_doc(x.b)), (array_agg((x.b).id))[count(*)] into items, last_id from (
      select b from fleet.beat b
       where b.topic_key = key and b.ended_at is null and b.expires_at > statement_timestamp()
         and (p_author is null or b.author = p_author) and (p_audience is null or b.audience = p_audience)
         and b.id < upto and b.id >= since
       order by b.id desc limit page_size) x;
  elsif p_topic is not null then
    key := fence.topic_key(p_topic);
    select array_agg(api.beat_doc(x.b)), (array_agg((x.b).id))[count(*)] into items, last_id from (
      select b from fleet.beat b
       where b.topic_key = key
         and (p_author is null or b.author = p_author) and (p_audience is null or b.audience = p_audience)
         and b.id < upto and b.id >= since
       order by b.id desc limit page_size) x;
  elsif p_author is not null then
    if p_author = who.name then
      everyones := everyones || own;
    end if;
    if live_only then
      select array_agg(api.beat_doc(x.b)), (array_agg((x.b).id))[count(*)] into items, last_id from (
        select near.b from unnest(everyones) as a (name) cross join lateral (
          select b from fleet.beat b
           where b.author = p_author and b.audience = a.name and b.ended_at is null
             and b.expires_at > statement_timestamp() and b.id < upto and b.id >= since
           order by b.id desc limit page_size) near
         order by (near.b).id desc limit page_size) x;
    else
      select array_agg(api.beat_doc(x.b)), (array_agg((x.b).id))[count(*)] into items, last_id from (
        select near.b from unnest(everyones) as a (name) cross join lateral (
          select b from fleet.beat b
           where b.author = p_author and b.audience = a.name and b.id < upto and b.id >= since
           order by b.id desc limit page_size) near
         order by (near.b).id desc limit page_size) x;
    end if;
  elsif live_only then
    select array_agg(api.beat_doc(x.b)), (array_agg((x.b).id))[count(*)] into items, last_id from (
      select n.b from (
        select near.b from unnest(everyones) as a (name) cross join lateral (
          select b from fleet.beat b
           where b.audience = a.name and b.ended_at is null and b.expires_at > statement_timestamp()
             and b.id < upto and b.id >= since
           order by b.id desc limit page_size) near
        union all
        select mine.b from unnest(own) as a (name) cross join lateral (
          select b from fleet.beat b
           where b.author = who.name and b.audience = a.name and b.ended_at is null
             and b.expires_at > statement_timestamp() and b.id < upto and b.id >= since
           order by b.id desc limit page_size) mine) n
       order by (n.b).id desc limit page_size) x;
  else
    select array_agg(api.beat_doc(x.b)), (array_agg((x.b).id))[count(*)] into items, last_id from (
      select n.b from (
        select near.b from unnest(everyones) as a (name) cross join lateral (
          select b from fleet.beat b
           where b.audience = a.name and b.id < upto and b.id >= since
           order by b.id desc limit page_size) near
        union all
        select mine.b from unnest(own) as a (name) cross join lateral (
          select b from fleet.beat b
           where b.author = who.name and b.audience = a.name and b.id < upto and b.id >= since
           order by b.id desc limit page_size) mine) n
       order by (n.b).id desc limit page_size) x;
  end if;
  return fence.page(items, last_id, page_size);
end $$;

-- Every beat of one author and topic that the reader may see, found from any of them.
create function api.beat_history(claim text, p_id uuid, p_before uuid, page_size integer) returns text
language plpgsql volatile security invoker
set plan_cache_mode = force_generic_plan set enable_bitmapscan = off as $$
declare
  named record;
  items json[];
  last_id uuid;
begin
  perform fence.enter(claim, 'agent', false);
  select b.author, b.topic_key into named from fleet.beat b where b.id = p_id;
  if not found then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  select array_agg(api.beat_doc(x.b)), (array_agg((x.b).id))[count(*)] into items, last_id from (
    select b from fleet.beat b
     where b.topic_key = named.topic_key and b.author = named.author
       and b.id < coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
     order by b.id desc limit page_size) x;
  return fence.page(items, last_id, page_size);
end $$;

reset role;

grant select (id, author, topic, topic_key, body, audience, created_at, expires_at, ended_at, ended_as) on fleet.beat to fleetmem_agent;
grant insert (topic, body, audience, expires_at), update (ended_as) on fleet.beat to fleetmem_agent;
grant select, update (ended_as) on fleet.beat to fleetmem_scribe;
grant select on fleet.beat to fleetmem_auditor;
grant execute on function api.beat_doc(fleet.beat) to fleetmem_agent;
grant execute on function
  api.beat_publish(text, text, bytea, text, text, text, timestamptz), api.beat_retract(text, text, bytea, uuid),
  api.beat_get(text, uuid), api.beat_history(text, uuid, uuid, integer),
  api.beat_list(text, text, text, text, timestamptz, boolean, uuid, integer)
  to fleetmem_gateway;
