-- What the worker asks of the queue beside procrastinate's own statements.

-- name: worker_jobs_due
select count(*) as due
  from queue.procrastinate_jobs j
 where j.queue_name = 'memory' and j.status = 'todo' and (j.scheduled_at is null or j.scheduled_at <= now());

-- No job lasts half an hour; one that seems to was not marked as ended.
-- name: worker_jobs_stuck
select j.id
  from queue.procrastinate_jobs j
 where j.queue_name = 'memory' and j.status = 'doing'
   and not exists (select from queue.procrastinate_events e
                    where e.job_id = j.id and e.type = 'started' and e.at > now() - interval '30 minutes');

-- name: worker_wake
select pg_notify('procrastinate_queue_v1#memory', '{"type": "job_inserted", "job_id": 0}');

-- name: worker_jobs_forget
delete from queue.procrastinate_jobs j
 where j.queue_name = 'memory' and j.status in ('failed', 'cancelled', 'aborted', 'succeeded')
   and not exists (select from queue.procrastinate_events e where e.job_id = j.id and e.at > now() - interval '7 days');

-- name: worker_report_job
select fence.report_job($1, $2, $3);
