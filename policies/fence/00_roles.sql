-- The roles of a fleet, and what each can never be.
--
-- Roles belong to the cluster, not to a database, so this file only ever creates and narrows: applying it twice, or from
-- two fleets of one cluster, changes nothing. Passwords are set by the owner's commands, never here.
--
--   fleetmem_owner      owns schemas, tables, policies and triggers; under FORCE RLS it reads no agent's row
--   fleetmem_verifier   owns the vault and the functions that verify a claim
--   fleetmem_scribe     owns the triggers that stamp and record
--   fleetmem_agent      what a verified agent may do; reached by SET ROLE inside one transaction
--   fleetmem_operator   what a verified operator or auditor may do on the console
--   fleetmem_gateway    the agents' gateway logs in as this; it owns nothing and inherits nothing
--   fleetmem_console    the operators' console; another login, another key
--   fleetmem_worker     the memory pipeline logs in as this: it reads what teams said and did and proposes notes; it reads no
--                       beat and no handoff, approves nothing that a person must see, and sees no key
--   fleetmem_auditor    reads every record for an audit at a psql prompt; writes nothing, sees no key
--   fleetmem_backup     copies every row: past row security where a superuser applies this, so that no backup is ever
--                       silently empty; it writes nothing, sees no key, and has no password until the owner gives it one

do $$
declare
  wanted text;
  logs_in boolean;
begin
  for wanted, logs_in in
    values ('fleetmem_owner', false), ('fleetmem_verifier', false), ('fleetmem_scribe', false),
           ('fleetmem_agent', false), ('fleetmem_operator', false),
           ('fleetmem_gateway', true), ('fleetmem_console', true), ('fleetmem_worker', true),
           ('fleetmem_auditor', true), ('fleetmem_backup', true)
  loop
    if not exists (select from pg_catalog.pg_roles where rolname = wanted) then
      begin
        execute format('create role %I', wanted);
      exception when duplicate_object or unique_violation then
        null;  -- another fleet of this cluster made it a moment ago
      end;
    end if;
    if exists (select from pg_catalog.pg_roles
                where rolname = wanted
                  and (rolcanlogin is distinct from logs_in or rolinherit or rolcreaterole or rolcreatedb)) then
      execute format('alter role %I %s noinherit nocreaterole nocreatedb',
                     wanted, case when logs_in then 'login' else 'nologin' end);
    end if;
    if exists (select from pg_catalog.pg_roles
                where rolname = wanted and (rolsuper or rolbypassrls and wanted <> 'fleetmem_backup' or rolreplication)) then
      execute format('alter role %I nosuperuser noreplication', wanted)
              || case when wanted = 'fleetmem_backup' then '' else ' nobypassrls' end;
    end if;
  end loop;
  if (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     and not (select rolbypassrls from pg_catalog.pg_roles where rolname = 'fleetmem_backup') then
    alter role fleetmem_backup bypassrls;
  end if;
end $$;

-- The only two memberships. A login may become its role, and does not hold that role's rights until it does.
do $$
declare
  member_name text;
  role_name text;
begin
  for member_name, role_name in
    values ('fleetmem_gateway', 'fleetmem_agent'), ('fleetmem_console', 'fleetmem_operator')
  loop
    if not exists (select from pg_catalog.pg_auth_members a
                    where a.member = member_name::regrole and a.roleid = role_name::regrole) then
      execute format('grant %I to %I', role_name, member_name);
    end if;
  end loop;
end $$;

-- On a managed server the owner's own login is no superuser: it acts as a member of the roles that own things. Through the
-- scribe's and the auditor's it can read every record, as a superuser could.
do $$
declare
  role_name text;
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    foreach role_name in array array['fleetmem_owner', 'fleetmem_verifier', 'fleetmem_scribe', 'fleetmem_auditor'] loop
      if not pg_has_role(current_user, role_name, 'usage') then
        execute format('grant %I to %I', role_name, current_user)
                || case when current_setting('server_version_num')::integer >= 160000 then ' with inherit true, set true' else '' end;
      end if;
    end loop;
  end if;
end $$;

-- Whatever else a role's sessions would start with goes: its holder may have set it.
do $$
declare
  found record;
begin
  for found in
    select s.setrole::regrole as role_name, d.datname, split_part(c, '=', 1) as setting
      from pg_catalog.pg_db_role_setting s
      join pg_catalog.pg_roles r on r.oid = s.setrole and r.rolname like 'fleetmem\_%'
      left join pg_catalog.pg_database d on d.oid = s.setdatabase
      cross join unnest(s.setconfig) as c
     where d.datname is not null
        or lower(split_part(c, '=', 1)) not in ('timezone', 'statement_timeout', 'lock_timeout',
             'idle_in_transaction_session_timeout', 'log_parameter_max_length', 'log_parameter_max_length_on_error')
  loop
    execute format('alter role %s', found.role_name)
            || case when found.datname is null then '' else format(' in database %I', found.datname) end
            || format(' reset %I', found.setting);
  end loop;
end $$;

-- What a login's sessions start with. A login may change its own defaults (Postgres cannot refuse that), and none of
-- these carries the fence: they bound how long a statement may hold a connection, and fix how times are written.
do $$
declare
  login text;
  setting text;
begin
  foreach login in array array['fleetmem_gateway', 'fleetmem_console', 'fleetmem_worker', 'fleetmem_auditor'] loop
    foreach setting in array array[
      'timezone=UTC', 'statement_timeout=15s', 'lock_timeout=5s', 'idle_in_transaction_session_timeout=15s'
    ] loop
      if not exists (select from pg_catalog.pg_db_role_setting s
                      where s.setrole = login::regrole and s.setdatabase = 0 and setting = any (
                        select lower(split_part(c, '=', 1)) || '=' || split_part(c, '=', 2) from unnest(s.setconfig) c)) then
        execute format('alter role %I set %I = %L', login, split_part(setting, '=', 1), split_part(setting, '=', 2));
      end if;
    end loop;
  end loop;
end $$;

-- Values bound to a statement must reach no log: a claim is one of them. Only a superuser may set these, so on a managed
-- server they stay with the server's own configuration and `fleetmem doctor` says so.
do $$
declare
  login text;
  setting text;
begin
  if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    foreach login in array array['fleetmem_gateway', 'fleetmem_console', 'fleetmem_worker'] loop
      foreach setting in array array['log_parameter_max_length', 'log_parameter_max_length_on_error'] loop
        if not exists (select from pg_catalog.pg_db_role_setting s
                        where s.setrole = login::regrole and s.setdatabase = 0 and setting || '=0' = any (s.setconfig)) then
          execute format('alter role %I set %I = 0', login, setting);
        end if;
      end loop;
    end loop;
  end if;
end $$;
