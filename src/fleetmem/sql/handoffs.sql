-- name: handoff_send
select status, doc, replayed
  from api.handoff_send($1, $2, $3, $4, $5, $6, $7, $8);

-- name: handoff_list
select api.handoff_list($1, $2, $3, $4, $5, $6);

-- name: handoff_get
select api.handoff_get($1, $2);

-- name: handoff_move
select status, doc, replayed
  from api.handoff_move($1, $2, $3, $4, $5, $6);
