-- name: me
select api.me($1);

-- name: bearer_resolve
select bearer_id, name
  from api.resolve_bearer($1, $2);
