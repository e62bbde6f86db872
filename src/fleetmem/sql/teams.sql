-- name: team_list
select api.team_list($1);
