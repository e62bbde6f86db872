-- name: console_me
select api.console_me($1, $2);

-- name: console_agents
select api.console_agents($1, $2);

-- name: console_tokens
select api.console_tokens($1, $2);

-- name: console_overdue
select api.console_overdue($1, $2, $3, $4);

-- name: console_token_revoke
select status, doc, replayed
  from api.console_token_revoke($1, $2, $3, $4);

-- name: console_suspend
select status, doc, replayed
  from api.console_suspend($1, $2, $3, $4, $5);
