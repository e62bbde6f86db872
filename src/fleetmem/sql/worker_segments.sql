-- Segments: what the worker reads to place a task or a run, and to distil a segment that is complete.

-- name: worker_task
select t.id, t.team, t.prompt, t.opened_seq, t.created_at,
       exists (select from fleet.segment_task s where s.task = t.id) as is_placed
  from fleet.task t
 where t.id = $1;

-- name: worker_task_is_placed
select exists (select from fleet.segment_task s where s.task = $1);

-- name: worker_run
select r.id, r.task, r.team, coalesce(r.output, '') as output, r.settled_at is not null as is_settled,
       exists (select from fleet.segment_run s where s.run = r.id) as is_placed,
       (select coalesce(sum(length(m.body)), 0)::integer from fleet.message m where m.task = r.task and m.run = r.id) as said
  from fleet.run r
 where r.id = $1;

-- name: worker_run_is_placed
select exists (select from fleet.segment_run s where s.run = $1);

-- Locked, so that of two placements for one team one sees the other. It was active when last something was placed in it, or
-- said before the moment that is asked about.
-- name: worker_segment_open
select s.id, s.characters, s.topics,
       greatest(s.active_at, (select max(m.created_at) from fleet.message m
                               where m.team = s.team and m.seq = (select max(l.seq) from fleet.message l
                                                                   where l.team = s.team and l.seq <= $2))) as active_at,
       (select count(*)::integer from fleet.segment_task t where t.segment = s.id) as tasks
  from fleet.segment s
 where s.team = $1 and s.status = 'open'
   for update of s;

-- The segment that a task has come to last, and what its runs have put out there: the newest 32, since each is encoded again.
-- name: worker_segment_of_task
select s.id, s.status, s.characters, s.topics,
       array(select x.output
               from (select r.output, r.settled_at, r.id from fleet.segment_run p join fleet.run r on r.id = p.run
                      where p.segment = s.id and r.task = $1 and r.output is not null
                      order by r.settled_at desc, r.id desc limit 32) x
              order by x.settled_at, x.id) as outputs
  from fleet.segment_task m join fleet.segment s on s.id = m.segment
 where m.task = $1
 order by s.ordinal desc
 limit 1
   for update of s;

-- The last message from before a run.
-- name: worker_run_begins_after
select coalesce(max(m.seq), 0) from fleet.message m join fleet.run r on r.id = $1
 where m.team = r.team and m.created_at < r.started_at;

-- name: worker_segment_begin
insert into fleet.segment (team, status, from_seq, topics) values ($1, 'open', 0, $2)
returning id;

-- name: worker_segment_grow
update fleet.segment s set characters = s.characters + $2, topics = $3, active_at = now()
 where s.id = $1 and s.status = 'open'
returning s.id;

-- A segment ends with the last message of before what closed it.
-- name: worker_segment_close
update fleet.segment s set status = 'closed', boundary = $2, to_seq = greatest(s.from_seq, $3)
 where s.id = $1 and s.status = 'open'
returning s.id;

-- What is cut off in the middle of a task is complete once the rest of the task is elsewhere.
-- name: worker_segment_advance
select fence.segment_advance($1);

-- name: worker_segment_put_task
insert into fleet.segment_task (segment, task) values ($1, $2)
on conflict (segment, task) do nothing;

-- name: worker_segment_put_run
insert into fleet.segment_run (run, segment) values ($1, $2)
on conflict (run) do nothing;

-- Nothing was asked, said or done for so long, and nobody is at work.
-- name: worker_segments_idle
update fleet.segment s set status = 'closed', boundary = 'idle', to_seq = greatest(s.from_seq, t.last_seq)
  from fleet.team t
 where t.name = s.team and s.status = 'open' and s.active_at < now() - make_interval(secs => $1)
   and not exists (select from fleet.message m
                    where m.team = s.team and m.seq = t.last_seq and m.created_at >= now() - make_interval(secs => $1))
   and not exists (select from fleet.segment_task k join fleet.run r on r.task = k.task
                    where k.segment = s.id
                      and (r.settled_at is null and r.started_at >= now() - make_interval(secs => $1)
                           or r.settled_at >= now() - make_interval(secs => $1)))
returning s.id;

-- name: worker_segment
select s.id, s.team, s.status, s.generation, fence.segment_is_complete(s.id) as is_complete
  from fleet.segment s
 where s.id = $1;

-- name: worker_segment_prompts
select t.id as task, t.prompt as text, t.created_at as at
  from fleet.segment_task s join fleet.task t on t.id = s.task
 where s.segment = $1
 order by t.opened_seq, t.id;

-- Of messages, runs and steps the first million octets each are read, every one as 200 more than it has: looking for secrets takes a second for a million, and one
-- member could otherwise keep a worker busy, or fill its memory, with a single task. Audiences are those of all of it.
-- name: worker_segment_messages
select x.id, x.seq, x.author, x.speaker, x.body as text, x.created_at as at
  from (select m.id, m.seq, m.author, m.speaker, m.body, m.created_at, sum(octet_length(m.body) + 200) over (order by m.seq) as octets
          from fleet.message m where m.id in (select fence.segment_messages($1))) x
 where x.octets <= 1000000
 order by x.seq;

-- In the order in which they ended: what one run made of another's result comes after it.
-- name: worker_segment_runs
select x.id, x.agent, x.instruction, x.output, x.status
  from (select r.id, r.agent, r.instruction, r.output, r.status, r.settled_at,
               sum(octet_length(r.instruction) + coalesce(octet_length(r.output), 0) + 200) over (order by r.settled_at, r.id) as octets
          from fleet.segment_run s join fleet.run r on r.id = s.run
         where s.segment = $1) x
 where x.octets <= 1000000
 order by x.settled_at, x.id;

-- name: worker_segment_spans
select x.run, x.seq, x.kind, x.name, x.body as text, x.is_error
  from (select p.run, p.seq, p.kind, p.name, p.body, p.is_error, r.settled_at,
               sum(octet_length(p.name) + octet_length(p.body) + 200) over (order by r.settled_at, r.id, p.seq) as octets
          from fleet.segment_run s
          join fleet.run r on r.id = s.run
          join fleet.span p on p.run = s.run
         where s.segment = $1) x
 where x.octets <= 1000000
 order by x.settled_at, x.run, x.seq;

-- Every active member of the segment's team: whether it took part, and whether it may hold what came of it.
-- name: worker_segment_members
select p.name, p.description, p.instructions, p.workspace, p.target,
       p.name in (select fence.segment_agents(s.id)) as took_part,
       fence.segment_audiences(s.id) <@ p.reads as may_hold
  from fleet.segment s
  join fleet.team t on t.name = s.team and t.active
  join fleet.team_member m on m.team = s.team and m.active
  join fleet.principal p on p.name = m.agent and p.active
 where s.id = $1
 order by m.position, p.name;

-- name: worker_segment_flush
update fleet.segment s set status = 'flushed', outcome = $2, detail = left($3, 500)
 where s.id = $1 and s.status = 'closed'
returning s.id;

-- Held to the end of the transaction, so that a segment is flushed by one.
-- name: worker_segment_take
select s.id from fleet.segment s where s.id = $1 and s.status = 'closed' and s.generation = $2 for update;

-- name: worker_calibration
select c.id, c.evidence from fleet.calibration c where c.kind = 'routing' and c.active;

-- name: worker_memory_rule
select r.review_all, r.auto_grant from fleet.memory_rule r;

-- What people accepted for a member: what the next note for it is likely to be like.
-- name: worker_notes_accepted
select r.agent, n.description, n.content
  from fleet.note n join fleet.note_recipient r on r.note = n.id and r.active
 where n.team = $1 and n.status = 'approved'
   and exists (select from fleet.note_review v where v.note = n.id and v.decision = 'approve')
 order by n.id desc
 limit 200;

-- What holds in a team: a note is compared with it, whether it says the same or corrects it.
-- name: worker_notes_holding
select n.id, n.content
  from fleet.note n
 where n.team = $1 and n.status = 'approved'
   and exists (select from fleet.landing l where l.note = n.id and l.status in ('pending', 'landed', 'drifted'))
 order by n.id desc
 limit 500;

-- What people decided against in an earlier generation of a segment.
-- name: worker_notes_decided
select n.content
  from fleet.note n
 where n.segment = $1 and n.status in ('rejected', 'revoked')
   and exists (select from fleet.note_review v where v.note = n.id);

-- name: worker_note_propose
insert into fleet.note (segment, ordinal, severity, content, description, skill_key, rationale, reasons, withheld_because,
                        redacted_by, quarantined_by, policy_version, extractor, supersedes)
values ($1, $2, $3, $4, $5, $6, $7, $8, left($9, 200), $10, $11, $12, $13, $14)
returning id;

-- name: worker_note_cite
insert into fleet.note_citation (note, ordinal, message, run, span_seq) values ($1, $2, $3, $4, $5);

-- name: worker_note_grant
insert into fleet.note_recipient (note, agent, score, match, skill, new_skill, nonce) values ($1, $2, $3, $4, $5, $6, $7);

-- name: worker_note_deny
insert into fleet.note_denial (note, agent, reason, score) values ($1, $2, $3, $4);

-- name: worker_note_approve
update fleet.note n set status = 'approved' where n.id = $1 and n.status = 'candidate'
returning n.id;
