-- name: message_post
select status, doc, replayed
  from api.message_post($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: message_list
select api.message_list($1, $2, $3, $4, $5);
