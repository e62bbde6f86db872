-- Landings: what is to be written or taken away, and what the worker says became of it.

-- Whoever decides anything about memory takes this first, so that it never waits for a row while holding another.
-- name: worker_ledger_lock
select fence.ledger_lock();

-- A proposed skill that a note of the same segment has founded meanwhile is joined. One that was to be joined, and went
-- with the note that founded it (the one that this corrects, say), is founded again, in the words of the note that lands: those
-- of the founder went with it. Its name came with the founder too, so it is not founded again for whom that is forbidden now.
-- name: worker_landing
select l.id, l.note, l.agent, l.nonce, l.skill, l.status, l.path, l.sha256, n.content,
       case when l.new_skill and not exists (
              select from fleet.landing o join fleet.note f on f.id = o.note
               where o.agent = l.agent and o.skill = l.skill and o.id <> l.id and o.new_skill
                 and o.status in ('landed', 'drifted') and f.segment = n.segment)
            then n.description end as description,
       case when exists (
              select from fleet.landing o
               where o.agent = l.agent and o.skill = l.skill and o.id <> l.id and o.new_skill and o.landed_at is not null
                 and fence.may_receive(o.note, o.agent) is null)
            then n.description end as founded_as,
       n.description as heading,
       coalesce((select f.description from fleet.landing o join fleet.note f on f.id = o.note
                  where o.agent = l.agent and o.skill = l.skill and o.id <> l.id and o.status in ('landed', 'drifted')
                  order by o.id limit 1),
                'When a task concerns ' || replace(l.skill, '-', ' ') || '.') as successor,
       p.workspace, p.target, fence.may_receive(l.note, l.agent) as forbidden, p.suspended_at is not null as is_suspended
  from fleet.landing l
  join fleet.note n on n.id = l.note
  left join fleet.principal p on p.name = l.agent
 where l.id = $1;

-- name: worker_landing_landed
update fleet.landing l set status = 'landed', path = $2, sha256 = $3
 where l.id = $1 and l.status = 'pending'
returning l.id;

-- name: worker_landing_refused
update fleet.landing l set status = 'refused', reason = left($2, 500)
 where l.id = $1 and l.status = 'pending'
returning l.id;

-- name: worker_landing_removed
update fleet.landing l set status = 'removed'
 where l.id = $1 and l.status = 'removing'
returning l.id;

-- name: worker_landing_stays
update fleet.landing l set reason = left($2, 500)
 where l.id = $1 and l.status = 'removing' and l.reason is distinct from left($2, 500)
returning l.id;

-- name: worker_landing_stands
update fleet.landing l set status = $2, reason = $3
 where l.id = $1 and l.status in ('landed', 'drifted')
   and (l.status, l.reason) is distinct from ($2, $3)
returning l.id;

-- name: worker_landings_standing
select l.id, l.note, l.agent, l.skill, l.status, l.path, l.sha256, l.reason, p.workspace, p.target
  from fleet.landing l join fleet.principal p on p.name = l.agent
 where l.status in ('landed', 'drifted') or l.status = 'removed' and l.ended_at > now() - interval '1 day'
 order by l.agent, l.id;

-- name: worker_report_landing
select fence.report('landing', $1, $2, $3, $4, '{}');

-- name: worker_preview_of
select n.id as note, n.revision, n.content, r.agent, r.nonce,
       case n.severity when 'severe' then null else coalesce(r.skill, n.skill_key) end as skill,
       case when n.severity <> 'severe' and (r.skill is null or r.new_skill) then n.description end as description,
       p.workspace, p.target
  from fleet.note n
  join fleet.note_recipient r on r.note = n.id and r.active
  left join fleet.principal p on p.name = r.agent
 where n.id = $1 and n.status = 'candidate'
 order by r.agent;

-- name: worker_preview_keep
insert into fleet.landing_preview (note, revision, agent, path, before_sha256, after, refused)
select n.id, n.revision, $3, $4, $5, $6, $7
  from fleet.note n where n.id = $1 and n.revision = $2
on conflict (note, revision, agent) do update
  set path = excluded.path, before_sha256 = excluded.before_sha256, after = excluded.after, refused = excluded.refused
returning note;
