-- The queue: procrastinate's tables in a schema of their own. The worker works it, the scribe's triggers fill it, nobody else
-- sees it. A job holds ids alone.

set local role fleetmem_owner;

-- Its functions name their tables bare, so each resolves them here and nowhere else.
do $$
declare
  held regprocedure;
begin
  for held in select p.oid from pg_proc p where p.pronamespace = 'queue'::regnamespace loop
    execute format('alter function %s set search_path = queue, pg_catalog, pg_temp', held);
    execute format('revoke all on function %s from public', held);
    execute format('grant execute on function %s to fleetmem_worker', held);
  end loop;
end $$;

grant usage on schema queue to fleetmem_worker, fleetmem_scribe;
grant select, insert, update, delete on queue.procrastinate_jobs, queue.procrastinate_events,
  queue.procrastinate_periodic_defers, queue.procrastinate_workers to fleetmem_worker;
grant select, insert on queue.procrastinate_jobs to fleetmem_scribe;
grant insert on queue.procrastinate_events to fleetmem_scribe;
grant usage on all sequences in schema queue to fleetmem_worker, fleetmem_scribe;

reset role;
set local role fleetmem_scribe;

-- Put a job into the queue, in this transaction. One with the same queueing lock that nobody has begun yet stands for both.
create function fence.defer(p_task text, p_args jsonb, p_lock text, p_queueing_lock text, p_priority integer) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into queue.procrastinate_jobs (queue_name, task_name, priority, lock, queueing_lock, args)
  values ('memory', p_task, p_priority, p_lock, p_queueing_lock, p_args)
  on conflict (queueing_lock) where status = 'todo' do nothing;
end $$;

reset role;
