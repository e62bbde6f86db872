-- Notes: what was distilled, who may receive it, and what was decided about it.
--
--   propose   the worker, from a closed segment; audiences are computed here, never taken
--   receive   an active member of the note's team whose read set holds every audience of the note; whoever writes the row
--   decide    an operator; the worker alone approves only what no person must see, and only where the owner allows that
--
-- No agent has any right on any of these tables: a memory reaches an agent as a file or not at all.

set local role fleetmem_owner;

do $$
declare
  held text;
begin
  foreach held in array array['note', 'note_citation', 'note_recipient', 'note_denial', 'note_review', 'landing_preview'] loop
    execute format('create policy worker_reads on fleet.%I for select to fleetmem_worker using (true)', held);
    execute format('create policy console_reads on fleet.%I for select to fleetmem_operator'
                   ' using ((select fence.on_console()) is not null)', held);
    execute format('create policy auditor_reads on fleet.%I for select to fleetmem_auditor using (true)', held);
    execute format('create policy scribe_reads on fleet.%I for select to fleetmem_scribe using (true)', held);
  end loop;
end $$;

create policy worker_proposes on fleet.note for insert to fleetmem_worker with check (true);
create policy worker_proposes on fleet.note_citation for insert to fleetmem_worker with check (true);
create policy worker_proposes on fleet.note_recipient for insert to fleetmem_worker with check (match in ('match', 'fallback'));
create policy worker_proposes on fleet.note_denial for insert to fleetmem_worker
  with check (reason in ('audience', 'below_threshold', 'took_no_part'));
create policy worker_previews on fleet.landing_preview for insert to fleetmem_worker with check (true);
create policy worker_previews_again on fleet.landing_preview for update to fleetmem_worker using (true) with check (true);
create policy worker_grants on fleet.note for update to fleetmem_worker using (status = 'candidate') with check (status = 'approved');
create policy operator_decides on fleet.note for update to fleetmem_operator
  using ((select fence.current_operator()) is not null) with check ((select fence.current_operator()) is not null);
create policy operator_moves on fleet.note_recipient for insert to fleetmem_operator
  with check (match = 'reviewer' and score is null and (select fence.current_operator()) is not null);
create policy operator_narrows on fleet.note_recipient for update to fleetmem_operator
  using ((select fence.current_operator()) is not null) with check ((select fence.current_operator()) is not null);
create policy operator_signs on fleet.note_review for insert to fleetmem_operator
  with check (reviewer = (select fence.current_operator()));
create policy scribe_decides on fleet.note for update to fleetmem_scribe using (true) with check (true);
create policy scribe_narrows on fleet.note_recipient for update to fleetmem_scribe using (true) with check (true);
create policy scribe_denies on fleet.note_denial for insert to fleetmem_scribe with check (true);
create policy scribe_denies_again on fleet.note_denial for update to fleetmem_scribe using (true) with check (true);

reset role;

grant select on fleet.note, fleet.note_citation, fleet.note_recipient, fleet.note_denial, fleet.note_review, fleet.landing_preview
  to fleetmem_worker, fleetmem_operator, fleetmem_auditor, fleetmem_scribe;
grant insert (segment, ordinal, severity, content, description, skill_key, rationale, reasons, withheld_because, redacted_by,
              quarantined_by, policy_version, extractor, supersedes), update (status) on fleet.note to fleetmem_worker;
grant insert on fleet.note_citation to fleetmem_worker;
grant insert (note, agent, score, match, skill, new_skill, nonce) on fleet.note_recipient to fleetmem_worker, fleetmem_operator;
grant insert on fleet.note_denial to fleetmem_worker, fleetmem_scribe;
grant insert (note, revision, agent, path, before_sha256, after, refused), update (path, before_sha256, after, refused)
  on fleet.landing_preview to fleetmem_worker;
grant update (status, severity, content, description, skill_key, reasons, redacted_by, quarantined_by, policy_version)
  on fleet.note to fleetmem_operator;
grant update (active, skill, new_skill) on fleet.note_recipient to fleetmem_operator;
grant insert (note, revision, decision, remark) on fleet.note_review to fleetmem_operator;
grant update (status, reasons) on fleet.note to fleetmem_scribe;
grant update (active) on fleet.note_recipient to fleetmem_scribe;
grant update (reason, score) on fleet.note_denial to fleetmem_scribe;

set local role fleetmem_scribe;

-- Why an agent may not receive a note; null where it may. The one place that decides it.
create function fence.may_receive(p_note uuid, p_agent text) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select case
           when p.name is null or m.agent is null or not p.active or not m.active or not t.active or p.rol <> 'agent' then 'left_team'
           when not n.audiences <@ p.reads then 'audience'
         end
    from fleet.note n
    join fleet.team t on t.name = n.team
    left join fleet.team_member m on m.team = n.team and m.agent = p_agent
    left join fleet.principal p on p.name = p_agent
   where n.id = p_note;
end;

create function fence.note_stamp() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  held fleet.segment;
begin
  perform fence.ledger_lock();
  select * into held from fleet.segment s where s.id = new.segment;
  if not fence.segment_is_complete(new.segment) or fence.segment_audiences(new.segment) = '{}' then
    raise exception 'note.segment' using errcode = '23514', constraint = 'note_of_a_closed_segment';
  end if;
  new.created_at := clock_timestamp();
  new.id := fence.new_id(new.created_at);
  new.team := held.team;
  new.generation := held.generation;
  new.status := case when new.withheld_because is null then 'candidate' else 'withheld' end;
  new.audiences := fence.segment_audiences(new.segment);
  new.revision := 1;
  new.decided_at := null;
  new.decided_by := null;
  return new;
end $$;

-- A note cites what its own segment was.
create function fence.citation_check() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (
       select from fleet.note n
        where n.id = new.note
          and (new.message in (select fence.segment_messages(n.segment))
               or exists (select from fleet.segment_run s where s.segment = n.segment and s.run = new.run))) then
    raise exception 'note.citation' using errcode = '23514', constraint = 'note_citation_of_its_segment';
  end if;
  return new;
end $$;

-- The reason is a setting, which any login could make up: it is believed where the scribe's own functions changed the row.
create function fence.note_tell() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  sum text := encode(sha256(convert_to(new.content, 'UTF8')), 'hex');
  why text := case tg_argv[0] when 'scribe' then nullif(current_setting('fence.reason', true), '') end;
begin
  if tg_op = 'INSERT' then
    perform fence.tell('proposed', new.id, null, null, jsonb_build_object(
      'team', new.team, 'segment', new.segment, 'severity', new.severity, 'sha256', sum, 'audiences', to_jsonb(new.audiences),
      'review', to_jsonb(new.reasons), 'extractor', new.extractor));
    if new.redacted_by <> '{}' then
      perform fence.tell('redacted', new.id, null, array_to_string(new.redacted_by, ' '),
                         jsonb_build_object('policy', new.policy_version));
    end if;
    if new.quarantined_by <> '{}' then
      perform fence.tell('quarantined', new.id, null, array_to_string(new.quarantined_by, ' '),
                         jsonb_build_object('policy', new.policy_version));
      perform fence.report('quarantine', new.id, null, null, 'a note was quarantined before review', new.quarantined_by);
    end if;
    if new.status = 'withheld' then
      perform fence.tell('withheld', new.id, null, new.withheld_because, null);
    else
      perform fence.defer('preview', jsonb_build_object('note', new.id), 'preview:' || new.id, 'preview:' || new.id, 1);
    end if;
    return null;
  end if;
  if new.revision <> old.revision then
    perform fence.tell('edited', new.id, null, null, jsonb_build_object('revision', new.revision, 'sha256', sum,
                                                                         'severity', new.severity));
    if new.redacted_by <> old.redacted_by then
      perform fence.tell('redacted', new.id, null, array_to_string(new.redacted_by, ' '),
                         jsonb_build_object('policy', new.policy_version, 'revision', new.revision));
    end if;
    -- Other words under the same rules are another quarantine: what was dismissed was the words before.
    if new.quarantined_by <> '{}' and (new.quarantined_by, new.content, new.description, new.skill_key)
                                      is distinct from (old.quarantined_by, old.content, old.description, old.skill_key) then
      perform fence.tell('quarantined', new.id, null, array_to_string(new.quarantined_by, ' '),
                         jsonb_build_object('policy', new.policy_version, 'revision', new.revision));
      perform fence.report('quarantine', new.id, null, null, 'an edit of a note was quarantined', new.quarantined_by);
    end if;
    perform fence.defer('preview', jsonb_build_object('note', new.id), 'preview:' || new.id, 'preview:' || new.id, 1);
  end if;
  if new.status <> old.status then
    perform fence.tell(new.status, new.id, null, why,
                       jsonb_build_object('revision', new.revision, 'sha256', sum, 'signed', to_jsonb(array(
                         select distinct v.reviewer from fleet.note_review v
                          where v.note = new.id and v.revision = new.revision and v.decision = 'approve' order by 1))));
    if new.status = 'approved' then
      perform fence.landings_request(new.id);
      if new.supersedes is not null then
        perform fence.note_revoke(new.supersedes, 'superseded');
      end if;
    elsif new.status = 'revoked' then
      perform fence.landings_withdraw(new.id, null, coalesce(why, 'note_revoked'));
      perform fence.recall_mark(new.id, null);
    end if;
  end if;
  return null;
end $$;

-- How many signatures a note needs at its revision, and how many it has.
create function fence.note_signatures(p_note uuid, out needed integer, out given integer)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select case when t.two_person and not exists (
                select from fleet.team_member m
                 where m.team = n.team and m.active
                   and not exists (select from fleet.note_recipient r where r.note = n.id and r.agent = m.agent and r.active))
              then 2 else 1 end,
         (select count(distinct v.reviewer) from fleet.note_review v
           where v.note = n.id and v.revision = n.revision and v.decision = 'approve')::integer
    from fleet.note n join fleet.team t on t.name = n.team where n.id = p_note;
end;

-- What every way to an approved note crosses: each recipient is looked at again, now.
create function fence.note_activate(p_note uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  signed record;
begin
  if session_user = 'fleetmem_console' then
    perform fence.require('operator');
  end if;
  perform fence.ledger_lock();
  if not exists (select from fleet.note_recipient r where r.note = p_note and r.active) then
    raise exception 'note.recipients' using errcode = '23514', constraint = 'note_recipients_some';
  end if;
  if exists (select from fleet.note_recipient r where r.note = p_note and r.active and fence.may_receive(p_note, r.agent) is not null) then
    raise exception 'note.recipients' using errcode = '23514', constraint = 'note_recipient_may_receive';
  end if;
  if session_user = 'fleetmem_worker' then
    -- What a person must see is seen from the note itself too, whatever its proposer thought of it.
    if exists (select from fleet.note n
                where n.id = p_note and (n.reasons <> '{}' or n.severity = 'severe' or n.redacted_by <> '{}' or n.quarantined_by <> '{}'
                                         or n.supersedes is not null))
       or exists (select from fleet.note_recipient r
                   where r.note = p_note and r.active and (r.match = 'fallback' or r.new_skill or r.skill is null))
       or not (select m.auto_grant and not m.review_all from fleet.memory_rule m) then
      raise exception 'note.review' using errcode = '23514', constraint = 'note_needs_review';
    end if;
  else
    signed := fence.note_signatures(p_note);
    if signed.given < signed.needed then
      raise exception 'note.signatures' using errcode = '23514', constraint = 'note_signatures_given';
    end if;
  end if;
end $$;

-- Take a note back without a person: it was superseded, narrowed out of all its recipients, or its segment was reset.
create function fence.note_revoke(p_note uuid, p_reason text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform fence.ledger_lock();
  perform set_config('fence.reason', p_reason, true);
  update fleet.note n set status = case n.status when 'approved' then 'revoked' else 'rejected' end
   where n.id = p_note and n.status in ('approved', 'candidate');
  perform set_config('fence.reason', '', true);
end $$;

create function fence.recipient_check() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.active then
    perform fence.ledger_lock();
    if coalesce(fence.may_receive(new.note, new.agent), '') <> '' then
      raise exception 'note.recipients' using errcode = '23514', constraint = 'note_recipient_may_receive';
    end if;
    if not exists (select from fleet.note n where n.id = new.note and n.status in ('candidate', 'withheld')) then
      raise exception 'note.decided' using errcode = '23514', constraint = 'note_recipient_of_a_candidate';
    end if;
    -- What somebody has signed is what all sign: other recipients take another revision.
    if exists (select from fleet.note_review v join fleet.note n on n.id = v.note and n.revision = v.revision
                where v.note = new.note and v.decision = 'approve') then
      raise exception 'note.decided' using errcode = '23514', constraint = 'note_recipient_of_a_candidate';
    end if;
  end if;
  return null;
end $$;

create function fence.recipient_tell() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.active and (tg_op = 'INSERT' or not old.active) then
    perform fence.tell('granted', new.note, new.agent, new.match, jsonb_build_object(
      'score', new.score, 'skill', new.skill, 'new_skill', new.new_skill));
  elsif tg_op = 'UPDATE' and old.active and not new.active then
    insert into fleet.note_denial (note, agent, reason, score)
    values (new.note, new.agent, coalesce(
              case tg_argv[0] when 'scribe' then nullif(current_setting('fence.reason', true), '') end, 'reviewer'), new.score)
    on conflict (note, agent) do update set reason = excluded.reason, score = excluded.score;
  end if;
  return null;
end $$;

create function fence.denial_tell() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform fence.tell('denied', new.note, new.agent, new.reason, jsonb_build_object('score', new.score));
  return null;
end $$;

create function fence.review_stamp() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.reviewer := (fence.require('operator')).name;
  if new.revision is distinct from (select n.revision from fleet.note n where n.id = new.note) then
    raise exception 'note.revision' using errcode = '23514', constraint = 'note_revision_current';
  end if;
  new.at := clock_timestamp();
  new.id := fence.new_id(new.at);
  return new;
end $$;

create function fence.preview_stamp() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.made_at := clock_timestamp();
  return new;
end $$;

-- Notes distilled from runs that held a revoked note: a candidate goes to a person, a landed one is reported to one.
create function fence.recall_mark(p_note uuid, p_agent text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  later record;
begin
  for later in
    select distinct n.id, n.status
      from fleet.landing l
      join fleet.run r on r.agent = l.agent and coalesce(r.settled_at, 'infinity') >= l.landed_at
                      and r.started_at <= coalesce(l.ended_at, 'infinity')
      join fleet.segment_run s on s.run = r.id
      join fleet.note n on n.segment = s.segment and n.id <> p_note
     where l.note = p_note and (p_agent is null or l.agent = p_agent) and l.landed_at is not null
       and n.status in ('candidate', 'approved')
     order by 1
  loop
    perform fence.tell('marked', later.id, null, 'held_revoked', jsonb_build_object('revoked', p_note));
    if later.status = 'candidate' then
      update fleet.note n set reasons = n.reasons || '{held_revoked}'::text[]
       where n.id = later.id and not n.reasons @> '{held_revoked}';
    end if;
    perform fence.report('recall', later.id, null, null, 'distilled from a run that held the revoked note ' || p_note, '{}');
  end loop;
end $$;

-- Undo what a segment's notes did by themselves, keep what people decided, and open the segment again for a fuller result.
create function fence.reset_automatic_notes(p_segment uuid) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  held uuid;
begin
  perform fence.ledger_lock();
  for held in
    select n.id from fleet.note n
     where n.segment = p_segment and n.status in ('approved', 'candidate')
       and not exists (select from fleet.note_review v where v.note = n.id)
     order by n.id
  loop
    perform fence.note_revoke(held, 'segment_reset');
  end loop;
  update fleet.segment s set status = 'closed', generation = s.generation + 1 where s.id = p_segment and s.status = 'flushed';
end $$;

grant execute on function fence.note_stamp(), fence.citation_check(), fence.note_tell(), fence.recipient_check(), fence.recipient_tell(),
  fence.denial_tell(), fence.review_stamp(), fence.preview_stamp() to fleetmem_owner;
grant execute on function fence.may_receive(uuid, text) to fleetmem_worker;
grant execute on function fence.note_activate(uuid) to fleetmem_owner, fleetmem_worker, fleetmem_operator;

reset role;
set local role fleetmem_owner;

-- Who may take which step. It runs as whoever updates, so that it can tell the scribe's own acts from a login's.
create function fence.note_move() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if old.status = new.status then
    if current_user = 'fleetmem_scribe' then
      return new;
    end if;
    if current_user <> 'fleetmem_operator' or old.status <> 'candidate' then
      raise exception 'note.transition' using errcode = '23514', constraint = 'note_transition_legal';
    end if;
    new.revision := old.revision + 1;
    return new;
  end if;
  if (old.status, new.status, current_user::text) not in (
       ('candidate', 'approved', 'fleetmem_operator'), ('candidate', 'approved', 'fleetmem_worker'),
       ('candidate', 'rejected', 'fleetmem_operator'), ('candidate', 'rejected', 'fleetmem_scribe'),
       ('approved', 'revoked', 'fleetmem_operator'), ('approved', 'revoked', 'fleetmem_scribe'))
     or (new.content, new.description, new.skill_key, new.severity)
        is distinct from (old.content, old.description, old.skill_key, old.severity) then
    raise exception 'note.transition' using errcode = '23514', constraint = 'note_transition_legal';
  end if;
  if new.status = 'approved' then
    perform fence.note_activate(new.id);
  end if;
  new.decided_at := clock_timestamp();
  new.decided_by := fence.actor();
  return new;
end $$;

create trigger a_stamp before insert on fleet.note for each row execute function fence.note_stamp();
create trigger a_check before insert on fleet.note_citation for each row execute function fence.citation_check();
create trigger b_move before update on fleet.note for each row execute function fence.note_move();
create trigger c_tell after insert or update on fleet.note for each row when (current_user <> 'fleetmem_scribe')
  execute function fence.note_tell();
create trigger c_tell_scribe after update on fleet.note for each row when (current_user = 'fleetmem_scribe')
  execute function fence.note_tell('scribe');
create constraint trigger a_may_receive after insert or update on fleet.note_recipient
  for each row execute function fence.recipient_check();
create trigger c_tell after insert or update of active on fleet.note_recipient for each row when (current_user <> 'fleetmem_scribe')
  execute function fence.recipient_tell();
create trigger c_tell_scribe after update of active on fleet.note_recipient for each row when (current_user = 'fleetmem_scribe')
  execute function fence.recipient_tell('scribe');
create trigger c_tell after insert or update on fleet.note_denial for each row execute function fence.denial_tell();
create trigger a_stamp before insert on fleet.note_review for each row execute function fence.review_stamp();
create trigger a_stamp before insert or update on fleet.landing_preview for each row execute function fence.preview_stamp();
create trigger z_never before delete or truncate on fleet.note for each statement execute function fence.never();
create trigger z_never_edit before update of id, segment, team, ordinal, generation, audiences, withheld_because, extractor,
  supersedes, created_at on fleet.note for each statement execute function fence.never();
create trigger z_never before update or delete or truncate on fleet.note_citation for each statement execute function fence.never();
create trigger z_never before delete or truncate on fleet.note_recipient for each statement execute function fence.never();
create trigger z_never_edit before update of note, agent, score, match, nonce on fleet.note_recipient
  for each statement execute function fence.never();
create trigger z_never before delete or truncate on fleet.note_denial for each statement execute function fence.never();
create trigger z_never before update or delete or truncate on fleet.note_review for each statement execute function fence.never();
create trigger z_never before delete or truncate on fleet.landing_preview for each statement execute function fence.never();
do $$
declare
  held record;
begin
  for held in select t.tgname, t.tgrelid::regclass as relation from pg_trigger t
               where t.tgrelid::regclass::text like 'fleet.note%' and (t.tgname like 'z\_never%' or t.tgname = 'a_may_receive')
                  or t.tgrelid = 'fleet.landing_preview'::regclass and t.tgname like 'z\_never%' loop
    execute format('alter table %s enable always trigger %I', held.relation, held.tgname);
  end loop;
end $$;

reset role;
grant execute on function fence.actor() to fleetmem_worker, fleetmem_operator, fleetmem_owner;
