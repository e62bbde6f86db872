-- name: task_open
select status, doc, replayed
  from api.task_open($1, $2, $3, $4, $5, $6, $7);

-- name: task_list
select api.task_list($1, $2, $3, $4, $5);

-- name: task_get
select api.task_get($1, $2);

-- name: task_settle
select status, doc, replayed
  from api.task_settle($1, $2, $3, $4, $5);
