-- name: run_open
select status, doc, replayed
  from api.run_open($1, $2, $3, $4, $5, $6, $7, $8);

-- name: run_get
select api.run_get($1, $2);

-- name: run_settle
select status, doc, replayed
  from api.run_settle($1, $2, $3, $4, $5, $6, $7, $8);

-- name: span_add
select status, doc, replayed
  from api.span_add($1, $2, $3, $4, $5, $6);

-- name: span_list
select api.span_list($1, $2, $3, $4);
