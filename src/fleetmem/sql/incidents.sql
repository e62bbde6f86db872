-- name: console_incidents
select api.console_incidents($1, $2, $3, $4, $5, $6);

-- name: console_incident_close
select status, doc, replayed
  from api.console_incident_close($1, $2, $3, $4, $5, $6);
