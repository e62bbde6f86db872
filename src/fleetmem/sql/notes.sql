-- name: console_notes
select api.console_notes($1, $2, $3, $4, $5, $6);

-- name: console_note
select api.console_note($1, $2, $3);

-- name: console_note_recall
select api.console_note_recall($1, $2, $3);

-- name: console_note_approve
select status, doc, replayed
  from api.console_note_approve($1, $2, $3, $4, $5, $6);

-- name: console_note_edit
select status, doc, replayed
  from api.console_note_edit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- name: console_note_reject
select status, doc, replayed
  from api.console_note_reject($1, $2, $3, $4, $5);

-- name: console_note_revoke
select status, doc, replayed
  from api.console_note_revoke($1, $2, $3, $4, $5, $6);

-- name: console_segment_reset
select status, doc, replayed
  from api.console_segment_reset($1, $2, $3, $4);
