-- Review: what operators decide about notes, incidents and segments, and what they and auditors read of it and of the ledger.
--
--   approve   the revision that was seen, once it is known what would be written where; enough signatures make it so
--   edit      a candidate's words and recipients: fewer of them, or other members of the team, never past the audiences
--   revoke    a note, or one agent's hold on it
--   read      the note, what it cites as far as it cites it, what would be written, who is denied, and the ledger's every row
--
-- Whoever decides takes the ledger's lock first, so that no decision rests on what another one has just changed.

set local role fleetmem_owner;

create policy scribe_recalls on fleet.handoff for select to fleetmem_scribe using (true);
create policy scribe_recalls on fleet.handoff_transition for select to fleetmem_scribe using (true);

reset role;

-- What a recall lists of handoffs: that they were, never what they say.
grant select (id, sender, audience, created_at) on fleet.handoff to fleetmem_scribe;
grant select (id, handoff, from_status, made_by, made_at) on fleet.handoff_transition to fleetmem_scribe;

set local role fleetmem_scribe;

-- The verified operator who decides, alone until the transaction ends.
create function fence.deciding() returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  who text := (fence.require('operator')).name;
begin
  perform fence.ledger_lock();
  return who;
end $$;

-- Who is in a note's team, and what each reads: whom a reviewer could move it to.
create function fence.review_members(p_note uuid) returns table (agent text, reads text[], active boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select m.agent, p.reads, m.active and p.active and t.active and p.rol = 'agent'
    from fleet.note n
    join fleet.team t on t.name = n.team
    join fleet.team_member m on m.team = n.team
    join fleet.principal p on p.name = m.agent
   where n.id = p_note and fence.on_console() is not null
   order by m.position, m.agent;
end;

-- Why each of some agents may not receive a note; none for those who may.
create function fence.review_faults(p_note uuid, p_agents text[]) returns table (agent text, reason text)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select a.name, f.reason
    from unnest(p_agents) with ordinality as a (name, place)
    cross join lateral fence.may_receive(p_note, a.name) as f (reason)
   where f.reason is not null and fence.on_console() is not null
   order by a.place;
end;

-- How many reviewers a note's revision needs, and who has signed it.
create function fence.review_signatures(p_note uuid) returns table (needed integer, signed text[])
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select (fence.note_signatures(n.id)).needed,
         array(select v.reviewer from fleet.note_review v
                where v.note = n.id and v.revision = n.revision and v.decision = 'approve'
                group by v.reviewer order by min(v.at))
    from fleet.note n where n.id = p_note and fence.on_console() is not null;
end;

-- What a note cites: the first 600 characters of each message, output or step, and nothing of the conversation around them.
create function fence.review_sources(p_note uuid)
returns table (ordinal smallint, kind text, id uuid, span integer, agent text, at timestamptz, audience text, excerpt text, characters integer)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select c.ordinal,
         case when m.id is not null then m.speaker || '_message' when c.span_seq is not null then 'span' else 'run' end,
         coalesce(m.id, r.id), c.span_seq, coalesce(m.author, r.agent), coalesce(m.created_at, s.arrived_at, r.started_at),
         coalesce(m.audience, r.audience), left(x.said, 600), length(x.said)
    from fleet.note_citation c
    left join fleet.message m on m.id = c.message
    left join fleet.run r on r.id = c.run
    left join fleet.span s on s.run = c.run and s.seq = c.span_seq
    cross join lateral (
      select coalesce(m.body, case when c.span_seq is not null then s.name || E'\n' || s.body
                                   else coalesce(r.output, r.failure, r.instruction) end, '')) as x (said)
   where c.note = p_note and fence.on_console() is not null
   order by c.ordinal;
end;

-- What the holders of a note wrote while it was in their workspaces: which records, when and for whom, never what they say.
-- A run counts where it overlaps, and a note where it was distilled from such a run, however much later.
create function fence.review_recall(p_note uuid)
returns table (landing uuid, kind text, id uuid, at timestamptz, audiences text[])
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  with held as (
    select l.id, l.agent, l.landed_at as since, coalesce(l.ended_at, 'infinity') as until
      from fleet.landing l where l.note = p_note and l.landed_at is not null and fence.on_console() is not null
  ), ran as (
    select h.id as landing, r.id, r.started_at, r.audience
      from held h join fleet.run r on r.agent = h.agent and r.started_at <= h.until and coalesce(r.settled_at, 'infinity') >= h.since
  )
  select r.landing, 'run', r.id, r.started_at, array[r.audience] from ran r
  union all
  select distinct r.landing, 'note', n.id, n.created_at, n.audiences
    from ran r join fleet.segment_run s on s.run = r.id join fleet.note n on n.segment = s.segment and n.id <> p_note
  union all
  select h.id, 'message', m.id, m.created_at, array[m.audience]
    from held h join fleet.message m on m.author = h.agent and m.created_at between h.since and h.until
  union all
  select h.id, 'beat', b.id, b.created_at, array[b.audience]
    from held h join fleet.beat b on b.author = h.agent and b.created_at between h.since and h.until
  union all
  select h.id, 'handoff', o.id, o.created_at, array[o.audience]
    from held h join fleet.handoff o on o.sender = h.agent and o.created_at between h.since and h.until
  union all
  select h.id, 'handoff_move', o.id, t.made_at, array[o.audience]
    from held h
    join fleet.handoff_transition t on t.made_by = h.agent and t.made_at between h.since and h.until and t.from_status is not null
    join fleet.handoff o on o.id = t.handoff;
end;

-- Take a note from one agent. Its file goes by the queue, as every file does; runs that held it are looked at again.
create function fence.review_withdraw(p_note uuid, p_agent text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform fence.deciding();
  perform set_config('fence.reason', 'reviewer', true);
  update fleet.note_recipient r set active = false where r.note = p_note and r.agent = p_agent and r.active;
  if not found then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  perform set_config('fence.reason', '', true);
  perform fence.landings_withdraw(p_note, p_agent, 'reviewer');
  perform fence.recall_mark(p_note, p_agent);
end $$;

-- Undo what a segment's notes did by themselves, and send it through the pipeline again.
create function fence.review_reset(p_segment uuid, out undone uuid[], out generation integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  held fleet.segment;
begin
  perform fence.deciding();
  select * into held from fleet.segment s where s.id = p_segment;
  if held.id is null then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  if held.status <> 'flushed' then
    raise exception 'segment.transition' using errcode = '23514', constraint = 'segment_transition_legal';
  end if;
  undone := array(select n.id from fleet.note n
                   where n.segment = p_segment and n.status in ('approved', 'candidate')
                     and not exists (select from fleet.note_review v where v.note = n.id) order by n.id);
  perform fence.reset_automatic_notes(p_segment);
  perform fence.segment_advance(p_segment);
  generation := held.generation + 1;
end $$;

grant execute on function fence.deciding(), fence.review_members(uuid), fence.review_faults(uuid, text[]),
  fence.review_signatures(uuid), fence.review_sources(uuid), fence.review_recall(uuid), fence.review_withdraw(uuid, text),
  fence.review_reset(uuid) to fleetmem_operator;

reset role;
set local role fleetmem_owner;

-- What a list shows of a note.
create function fence.note_line(n fleet.note) returns jsonb
language sql stable security invoker
return jsonb_build_object(
  'id', n.id, 'team', n.team, 'segment', n.segment, 'status', n.status, 'severity', n.severity, 'description', n.description,
  'skill_key', n.skill_key, 'audiences', n.audiences, 'reasons', n.reasons, 'withheld_because', n.withheld_because,
  'revision', n.revision, 'created_at', n.created_at, 'decided_at', n.decided_at, 'decided_by', n.decided_by,
  'recipients', (select coalesce(jsonb_agg(r.agent order by r.agent), '[]') from fleet.note_recipient r where r.note = n.id and r.active));

create function fence.incident_line(i fleet.incident) returns jsonb
language sql stable security invoker
return jsonb_build_object(
  'id', i.id, 'kind', i.kind, 'status', i.status, 'note', i.note, 'landing', i.landing, 'agent', i.agent, 'detail', i.detail,
  'rules', i.rules, 'opened_at', i.opened_at, 'closed_at', i.closed_at, 'closed_by', i.closed_by, 'remark', i.remark);

-- Where a note stands after a decision.
create function fence.note_decision(p_note uuid) returns text
language sql stable security invoker
return (select json_build_object('id', n.id, 'status', n.status, 'revision', n.revision, 'signatures_needed', s.needed,
                                 'signed', s.signed)
          from fleet.note n cross join lateral fence.review_signatures(n.id) s where n.id = p_note);

-- The note that a decision is about, while nobody else decides; its revision is the one that was seen, where one is named.
create function fence.note_at(p_note uuid, p_revision integer) returns fleet.note
language plpgsql volatile security invoker as $$
declare
  held fleet.note;
begin
  select * into held from fleet.note n where n.id = p_note;
  if held.id is null then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  if p_revision <> held.revision then
    raise exception 'note.revision' using errcode = '23514', constraint = 'note_revision_current';
  end if;
  return held;
end $$;

create function api.console_notes(claim text, want text, p_status text, p_team text, p_before uuid, page_size integer) returns text
language plpgsql volatile security invoker as $$
declare
  items json[];
  last_id uuid;
begin
  perform fence.enter(claim, want, false);
  select array_agg(x.line), (array_agg(x.id))[count(*)] into items, last_id
    from (select n.id, fence.note_line(n)::json as line
            from fleet.note n
           where (p_status is null or n.status = p_status) and (p_team is null or n.team = p_team)
             and n.id < coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
           order by n.id desc limit page_size) x;
  return fence.page(items, last_id, page_size);
end $$;

create function api.console_note(claim text, want text, p_note uuid) returns text
language plpgsql volatile security invoker as $$
declare
  doc text;
begin
  perform fence.enter(claim, want, false);
  select (fence.note_line(n) || jsonb_build_object(
           'content', n.content, 'rationale', n.rationale, 'redacted_by', n.redacted_by, 'quarantined_by', n.quarantined_by,
           'policy_version', n.policy_version, 'extractor', n.extractor, 'supersedes', n.supersedes,
           'signatures_needed', g.needed, 'signed', g.signed,
           'sources', (select coalesce(jsonb_agg(to_jsonb(s) - 'ordinal' order by s.ordinal), '[]') from fence.review_sources(n.id) s),
           'members', (select coalesce(jsonb_agg(jsonb_build_object('agent', m.agent, 'reads', m.reads, 'active', m.active)), '[]')
                         from fence.review_members(n.id) m),
           'granted', (select coalesce(jsonb_agg(jsonb_build_object('agent', r.agent, 'score', r.score, 'match', r.match,
                                                   'skill', r.skill, 'new_skill', r.new_skill) order by r.agent), '[]')
                         from fleet.note_recipient r where r.note = n.id and r.active),
           'denied', (select coalesce(jsonb_agg(jsonb_build_object('agent', d.agent, 'reason', d.reason, 'score', d.score) order by d.agent), '[]')
                        from fleet.note_denial d
                       where d.note = n.id and not exists (select from fleet.note_recipient r
                                                            where r.note = d.note and r.agent = d.agent and r.active)),
           'previews', (select coalesce(jsonb_agg(jsonb_build_object('agent', p.agent, 'path', p.path, 'is_new', p.before_sha256 is null,
                                                    'after', p.after, 'refused', p.refused, 'made_at', p.made_at) order by p.agent), '[]')
                          from fleet.landing_preview p where p.note = n.id and p.revision = n.revision),
           'landings', (select coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'agent', l.agent, 'status', l.status, 'path', l.path,
                                                    'sha256', l.sha256, 'reason', l.reason, 'requested_at', l.requested_at,
                                                    'landed_at', l.landed_at, 'ended_at', l.ended_at) order by l.id), '[]')
                          from fleet.landing l where l.note = n.id),
           'reviews', (select coalesce(jsonb_agg(jsonb_build_object('revision', v.revision, 'reviewer', v.reviewer, 'decision', v.decision,
                                                   'remark', v.remark, 'at', v.at) order by v.id), '[]')
                         from fleet.note_review v where v.note = n.id),
           'incidents', (select coalesce(jsonb_agg(fence.incident_line(i) order by i.id), '[]') from fleet.incident i where i.note = n.id)))::text
    into doc
    from fleet.note n cross join lateral fence.review_signatures(n.id) g where n.id = p_note;
  if doc is null then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  return doc;
end $$;

create function api.console_note_recall(claim text, want text, p_note uuid) returns text
language plpgsql volatile security invoker as $$
begin
  perform fence.enter(claim, want, false);
  perform fence.note_at(p_note, null);
  return (
    select json_build_object('id', n.id, 'status', n.status, 'decided_at', n.decided_at, 'holders', (
             with wrote as (
               select w.*, row_number() over (partition by w.landing order by w.at, w.id) as place,
                      count(*) over (partition by w.landing) as total
                 from fence.review_recall(p_note) w)
             select coalesce(json_agg(json_build_object(
                      'agent', l.agent, 'landing', l.id, 'status', l.status, 'path', l.path, 'held_since', l.landed_at,
                      'gone_at', case l.status when 'removed' then l.ended_at end,
                      'wrote', (select coalesce(json_agg(json_build_object('kind', w.kind, 'id', w.id, 'at', w.at,
                                         'audiences', w.audiences) order by w.place), '[]')
                                  from wrote w where w.landing = l.id and w.place <= 500),
                      'wrote_in_all', (select coalesce(max(w.total), 0) from wrote w where w.landing = l.id)) order by l.id), '[]')
               from fleet.landing l where l.note = n.id and l.landed_at is not null))
      from fleet.note n where n.id = p_note);
end $$;

create function api.console_note_approve(claim text, idem_key text, idem_hash bytea, p_note uuid, p_revision integer, p_remark text,
                                         out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
declare
  held record;  -- the login that compiles this sees no table
  unfit record;
  who text;
  signed record;
begin
  perform fence.enter(claim, 'operator', true);
  who := fence.deciding();
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  held := fence.note_at(p_note, p_revision);
  if held.status <> 'candidate' then
    raise exception 'note.transition' using errcode = '23514', constraint = 'note_transition_legal';
  end if;
  if held.quarantined_by <> '{}' and exists (
       select from fleet.incident i
        where i.note = p_note and i.kind = 'quarantine' and i.status <> 'dismissed'
          and not exists (select from fleet.incident later where later.note = p_note and later.kind = 'quarantine' and later.id > i.id)) then
    raise exception 'note.quarantine' using errcode = '23514', constraint = 'note_quarantine_dismissed';
  end if;
  select f.agent, f.reason into unfit
    from fence.review_faults(p_note, array(select r.agent from fleet.note_recipient r
                                            where r.note = p_note and r.active order by r.agent)) f limit 1;
  if unfit.agent is not null then
    raise exception 'note.recipients' using errcode = '23514', constraint = 'note_recipient_may_receive',
      detail = unfit.agent || ' ' || unfit.reason;
  end if;
  select r.agent, p.refused into unfit
    from fleet.note_recipient r
    left join fleet.landing_preview p on p.note = r.note and p.agent = r.agent and p.revision = p_revision
   where r.note = p_note and r.active and (p.note is null or p.refused is not null)
   order by p.refused is null, r.agent limit 1;
  if unfit.agent is not null then
    raise exception 'note.preview' using errcode = '23514', constraint = 'note_preview_fit',
      detail = unfit.agent || coalesce(' ' || unfit.refused, '');
  end if;
  signed := fence.review_signatures(p_note);
  if who <> all (signed.signed) then
    insert into fleet.note_review (note, revision, decision, remark) values (p_note, p_revision, 'approve', p_remark);
    signed := fence.review_signatures(p_note);
  end if;
  if cardinality(signed.signed) >= signed.needed then
    update fleet.note n set status = 'approved' where n.id = p_note;
  end if;
  status := 200;
  replayed := false;
  doc := fence.note_decision(p_note);
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

-- An edit: what is null stays as it is. `p_recipients` is who shall receive the note from now on, as [{agent, skill}].
create function api.console_note_edit(claim text, idem_key text, idem_hash bytea, p_note uuid, p_revision integer,
                                      p_content text, p_description text, p_severity text, p_skill_key text, p_reasons text[],
                                      p_redacted_by text[], p_quarantined_by text[], p_policy text, p_recipients jsonb, p_remark text,
                                      out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
declare
  held record;
  unfit record;
  key text;
begin
  perform fence.enter(claim, 'operator', true);
  perform fence.deciding();
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  held := fence.note_at(p_note, p_revision);
  if held.status <> 'candidate' then
    raise exception 'note.transition' using errcode = '23514', constraint = 'note_transition_legal';
  end if;
  select f.agent, f.reason into unfit
    from fence.review_faults(p_note, array(select e ->> 'agent' from jsonb_array_elements(p_recipients) e)) f limit 1;
  if unfit.agent is not null then
    raise exception 'note.recipients' using errcode = '23514', constraint = 'note_recipient_may_receive',
      detail = unfit.agent || ' ' || unfit.reason;
  end if;
  key := coalesce(p_skill_key, held.skill_key);
  update fleet.note n
     set content = coalesce(p_content, n.content), description = coalesce(p_description, n.description),
         severity = coalesce(p_severity, n.severity), skill_key = key,
         reasons = array(select distinct r from unnest(n.reasons || p_reasons) r order by r),
         redacted_by = array(select distinct r from unnest(n.redacted_by || p_redacted_by) r order by r),
         quarantined_by = coalesce(p_quarantined_by, n.quarantined_by), policy_version = coalesce(p_policy, n.policy_version)
   where n.id = p_note;
  insert into fleet.note_review (note, revision, decision, remark) values (p_note, p_revision + 1, 'edit', p_remark);
  update fleet.note_recipient r set skill = key where r.note = p_note and r.active and r.new_skill and r.skill <> key;
  if p_recipients is not null then
    update fleet.note_recipient r set active = false
     where r.note = p_note and r.active
       and not exists (select from jsonb_array_elements(p_recipients) e where e ->> 'agent' = r.agent);
    update fleet.note_recipient r
       set active = true, skill = coalesce(e ->> 'skill', case when r.active then r.skill else key end),
           new_skill = case when e ->> 'skill' is not null then false when r.active then r.new_skill else true end
      from jsonb_array_elements(p_recipients) e
     where r.note = p_note and r.agent = e ->> 'agent' and (not r.active or e ->> 'skill' is not null);
    insert into fleet.note_recipient (note, agent, match, skill, new_skill, nonce)
    select p_note, e ->> 'agent', 'reviewer', coalesce(e ->> 'skill', key), e ->> 'skill' is null,
           replace(gen_random_uuid()::text, '-', '')
      from jsonb_array_elements(p_recipients) e
     where not exists (select from fleet.note_recipient r where r.note = p_note and r.agent = e ->> 'agent');
  end if;
  status := 200;
  replayed := false;
  doc := fence.note_decision(p_note);
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

create function api.console_note_reject(claim text, idem_key text, idem_hash bytea, p_note uuid, p_remark text,
                                        out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
declare
  held record;
begin
  perform fence.enter(claim, 'operator', true);
  perform fence.deciding();
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  held := fence.note_at(p_note, null);
  if held.status <> 'candidate' then
    raise exception 'note.transition' using errcode = '23514', constraint = 'note_transition_legal';
  end if;
  insert into fleet.note_review (note, revision, decision, remark) values (p_note, held.revision, 'reject', p_remark);
  update fleet.note n set status = 'rejected' where n.id = p_note;
  status := 200;
  replayed := false;
  doc := fence.note_decision(p_note);
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

-- Revoke a note, or take it from one agent; a note that nobody receives any more is revoked with its last recipient.
create function api.console_note_revoke(claim text, idem_key text, idem_hash bytea, p_note uuid, p_agent text, p_remark text,
                                        out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
declare
  held record;
begin
  perform fence.enter(claim, 'operator', true);
  perform fence.deciding();
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  held := fence.note_at(p_note, null);
  if held.status <> 'approved' then
    raise exception 'note.transition' using errcode = '23514', constraint = 'note_transition_legal';
  end if;
  insert into fleet.note_review (note, revision, decision, remark) values (p_note, held.revision, 'revoke', p_remark);
  if p_agent is not null then
    perform fence.review_withdraw(p_note, p_agent);
  end if;
  if p_agent is null or not exists (select from fleet.note_recipient r where r.note = p_note and r.active) then
    update fleet.note n set status = 'revoked' where n.id = p_note;
  end if;
  status := 200;
  replayed := false;
  doc := fence.note_decision(p_note);
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

create function api.console_segment_reset(claim text, idem_key text, idem_hash bytea, p_segment uuid,
                                          out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
declare
  done record;
begin
  perform fence.enter(claim, 'operator', true);
  perform fence.deciding();
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  done := fence.review_reset(p_segment);
  status := 200;
  replayed := false;
  doc := json_build_object('segment', p_segment, 'generation', done.generation, 'undone', done.undone);
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

create function api.console_incidents(claim text, want text, p_status text, p_kind text, p_before uuid, page_size integer) returns text
language plpgsql volatile security invoker as $$
declare
  items json[];
  last_id uuid;
begin
  perform fence.enter(claim, want, false);
  select array_agg(x.line), (array_agg(x.id))[count(*)] into items, last_id
    from (select i.id, fence.incident_line(i)::json as line
            from fleet.incident i
           where (p_status is null or i.status = p_status) and (p_kind is null or i.kind = p_kind)
             and i.id < coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
           order by i.id desc limit page_size) x;
  return fence.page(items, last_id, page_size);
end $$;

create function api.console_incident_close(claim text, idem_key text, idem_hash bytea, p_incident uuid, p_outcome text, p_remark text,
                                           out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
begin
  perform fence.enter(claim, 'operator', true);
  perform fence.deciding();
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  update fleet.incident i set status = p_outcome, remark = p_remark where i.id = p_incident and i.status = 'open';
  if not found then
    if exists (select from fleet.incident i where i.id = p_incident) then
      raise exception 'incident.transition' using errcode = '23514', constraint = 'incident_closed_once';
    end if;
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  status := 200;
  replayed := false;
  select fence.incident_line(i)::text into doc from fleet.incident i where i.id = p_incident;
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

-- The ledger, oldest first. `detail` is the very text that the hash covers.
create function api.console_ledger(claim text, want text, p_after bigint, p_note uuid, p_agent text, page_size integer) returns text
language plpgsql volatile security invoker as $$
begin
  perform fence.enter(claim, want, false);
  return (
    select json_build_object(
             'items', coalesce(json_agg(json_build_object(
               'seq', x.seq, 'at', x.at, 'event', x.event, 'note', x.note, 'agent', x.agent, 'actor', x.actor, 'reason', x.reason,
               'detail', x.detail::text, 'prev', encode(x.prev, 'hex'), 'hash', encode(x.hash, 'hex')) order by x.seq), '[]'),
             'next', case when count(*) = page_size then max(x.seq) end)
      from (select l.* from fleet.ledger l
             where l.seq > coalesce(p_after, -9223372036854775808) and (p_note is null or l.note = p_note)
               and (p_agent is null or l.agent = p_agent)
             order by l.seq limit page_size) x);
end $$;

create function api.console_ledger_head(claim text, want text) returns text
language plpgsql volatile security invoker as $$
begin
  perform fence.enter(claim, want, false);
  return coalesce(
    (select json_build_object('seq', l.seq, 'hash', encode(l.hash, 'hex'), 'at', l.at) from fleet.ledger l order by l.seq desc limit 1),
    json_build_object('seq', 0, 'hash', repeat('00', 32), 'at', null))::text;
end $$;

-- Everything the ledger tells of an agent up to a moment, and of the notes it tells of.
create function api.console_ledger_story(claim text, want text, p_agent text, p_at timestamptz) returns text
language plpgsql volatile security invoker as $$
declare
  until timestamptz := coalesce(p_at, statement_timestamp());
begin
  perform fence.enter(claim, want, false);
  if not exists (select from fleet.principal p where p.name = p_agent and p.rol = 'agent') then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  return (
    with own as (
      select distinct l.note from fleet.ledger l where l.agent = p_agent and l.at <= until
    ), told as (
      select l.seq, l.at, l.event, l.note, l.agent, l.reason from fleet.ledger l where l.agent = p_agent and l.at <= until
      union all
      select l.seq, l.at, l.event, l.note, l.agent, l.reason from fleet.ledger l
       where l.agent is null and l.at <= until and l.note in (select own.note from own)
    )
    select json_build_object(
             'agent', p_agent, 'at', until,
             'told', coalesce((select json_agg(json_build_object('seq', t.seq, 'at', t.at, 'event', t.event, 'note', t.note,
                                                 'agent', t.agent, 'reason', t.reason) order by t.seq) from told t), '[]'),
             'notes', coalesce((select json_object_agg(n.id, n.description) from fleet.note n
                                 where n.id in (select own.note from own)), '{}')));
end $$;

reset role;

grant execute on function fence.note_line(fleet.note), fence.incident_line(fleet.incident), fence.note_decision(uuid),
  fence.note_at(uuid, integer) to fleetmem_operator;
grant execute on function
  api.console_notes(text, text, text, text, uuid, integer), api.console_note(text, text, uuid),
  api.console_note_recall(text, text, uuid),
  api.console_note_approve(text, text, bytea, uuid, integer, text),
  api.console_note_edit(text, text, bytea, uuid, integer, text, text, text, text, text[], text[], text[], text, jsonb, text),
  api.console_note_reject(text, text, bytea, uuid, text), api.console_note_revoke(text, text, bytea, uuid, text, text),
  api.console_segment_reset(text, text, bytea, uuid),
  api.console_incidents(text, text, text, text, uuid, integer),
  api.console_incident_close(text, text, bytea, uuid, text, text),
  api.console_ledger(text, text, bigint, uuid, text, integer), api.console_ledger_head(text, text),
  api.console_ledger_story(text, text, text, timestamptz)
  to fleetmem_console;
