-- What is pending and has no job: after a restore the queue is empty, and a job that was given up is tried again in an hour.

-- name: worker_sweep_tasks
select fence.defer('place_task', jsonb_build_object('task', t.id), 'team:' || t.team, 'place_task:' || t.id, 5)
  from fleet.task t
 where not exists (select from fleet.segment_task s where s.task = t.id)
   and not exists (select from queue.procrastinate_jobs j where j.queueing_lock = 'place_task:' || t.id
                    and (j.status in ('todo', 'doing') or j.status = 'failed' and exists (
                         select from queue.procrastinate_events e
                          where e.job_id = j.id and e.type = 'failed' and e.at > now() - interval '1 hour')))
 order by t.id
 limit 1000;

-- name: worker_sweep_runs
select fence.defer('place_run', jsonb_build_object('run', r.id), 'team:' || r.team, 'place_run:' || r.id, 5)
  from fleet.run r
 where r.settled_at is not null
   and not exists (select from fleet.segment_run s where s.run = r.id)
   and not exists (select from queue.procrastinate_jobs j where j.queueing_lock = 'place_run:' || r.id
                    and (j.status in ('todo', 'doing') or j.status = 'failed' and exists (
                         select from queue.procrastinate_events e
                          where e.job_id = j.id and e.type = 'failed' and e.at > now() - interval '1 hour')))
 order by r.id
 limit 1000;

-- name: worker_sweep_segments
select fence.defer('distil', jsonb_build_object('segment', s.id), 'distil:' || s.team, 'distil:' || s.id, 0)
  from fleet.segment s
 where s.status = 'closed' and fence.segment_is_complete(s.id)
   and not exists (select from queue.procrastinate_jobs j where j.queueing_lock = 'distil:' || s.id
                    and (j.status in ('todo', 'doing') or j.status = 'failed' and exists (
                         select from queue.procrastinate_events e
                          where e.job_id = j.id and e.type = 'failed' and e.at > now() - interval '1 hour')))
 order by s.id
 limit 1000;

-- name: worker_sweep_previews
select fence.defer('preview', jsonb_build_object('note', n.id), 'preview:' || n.id, 'preview:' || n.id, 1)
  from fleet.note n
 where n.status = 'candidate'
   and exists (select from fleet.note_recipient r
                where r.note = n.id and r.active
                  and not exists (select from fleet.landing_preview p
                                   where p.note = n.id and p.revision = n.revision and p.agent = r.agent))
   and not exists (select from queue.procrastinate_jobs j where j.queueing_lock = 'preview:' || n.id
                    and (j.status in ('todo', 'doing') or j.status = 'failed' and exists (
                         select from queue.procrastinate_events e
                          where e.job_id = j.id and e.type = 'failed' and e.at > now() - interval '1 hour')))
 order by n.id
 limit 1000;

-- What cannot be removed is tried again each time, because it may still be read. What is for a suspended agent waits.
-- name: worker_sweep_landings
select fence.defer(x.task, jsonb_build_object('landing', x.id), 'workspace:' || x.agent, x.task || ':' || x.id, x.priority)
  from (select l.id, l.agent, case l.status when 'pending' then 'land' else 'remove' end as task,
               case l.status when 'pending' then 10 else 20 end as priority
          from fleet.landing l
         where l.status = 'removing'
            or l.status = 'pending' and not exists (select from fleet.principal p where p.name = l.agent and p.suspended_at is not null)) x
 where not exists (select from queue.procrastinate_jobs j where j.queueing_lock = x.task || ':' || x.id
                    and (j.status in ('todo', 'doing') or j.status = 'failed' and x.task = 'land' and exists (
                         select from queue.procrastinate_events e
                          where e.job_id = j.id and e.type = 'failed' and e.at > now() - interval '1 hour')))
 order by x.id
 limit 1000;
