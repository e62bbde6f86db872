-- One call a request: the function binds the claim, enters, and reads or writes under row security.

-- name: beat_publish
select status, doc, replayed
  from api.beat_publish($1, $2, $3, $4, $5, $6, $7);

-- name: beat_list
select api.beat_list($1, $2, $3, $4, $5, $6, $7, $8);

-- name: beat_get
select api.beat_get($1, $2);

-- name: beat_history
select api.beat_history($1, $2, $3, $4);

-- name: beat_retract
select status, doc, replayed
  from api.beat_retract($1, $2, $3, $4);
