-- name: console_ledger
select api.console_ledger($1, $2, $3, $4, $5, $6);

-- name: console_ledger_head
select api.console_ledger_head($1, $2);

-- name: console_ledger_story
select api.console_ledger_story($1, $2, $3, $4);
