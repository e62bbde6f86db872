-- What the operators' console may do. Operators act, auditors look; neither reads a beat or the text of a handoff here.

set local role fleetmem_verifier;

create function fence.tokens() returns table (id text, principal text, label text, created_at timestamptz,
                                              expires_at timestamptz, revoked_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select b.id, b.principal, b.label, b.created_at, b.expires_at, b.revoked_at
    from vault.bearer b where fence.on_console() is not null;
end;

create function fence.token_revoke(p_id text) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform fence.require('operator');
  update vault.bearer set revoked_at = coalesce(revoked_at, clock_timestamp()) where id = p_id;
  return found;
end $$;

reset role;
set local role fleetmem_owner;

create policy operator_suspends on fleet.principal for update to fleetmem_operator
  using (rol = 'agent' and (select fence.current_operator()) is not null) with check (rol = 'agent');

-- When somebody was suspended is the database's to say.
create function fence.principal_suspended() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.suspended_at := case when new.suspended_at is not null then coalesce(old.suspended_at, clock_timestamp()) end;
  return new;
end $$;
create trigger b_suspended before update of suspended_at on fleet.principal
  for each row execute function fence.principal_suspended();

create function api.console_me(claim text, want text) returns text
language plpgsql volatile security invoker as $$
declare
  who record;
begin
  select * into who from fence.enter(claim, want, false);
  return json_build_object('name', who.name, 'role', want);
end $$;

create function api.console_agents(claim text, want text) returns text
language plpgsql volatile security invoker as $$
begin
  perform fence.enter(claim, want, false);
  return json_build_object('items', (
    select coalesce(json_agg(json_build_object(
             'name', p.name, 'description', p.description, 'reads', p.reads, 'writes', p.writes, 'workspace', p.workspace,
             'active', p.active, 'suspended_at', p.suspended_at) order by p.name), '[]')
      from fleet.principal p where p.rol = 'agent'));
end $$;

create function api.console_tokens(claim text, want text) returns text
language plpgsql volatile security invoker as $$
begin
  perform fence.enter(claim, want, false);
  return json_build_object('items', (
    select coalesce(json_agg(json_build_object(
             'id', t.id, 'principal', t.principal, 'label', t.label, 'created_at', t.created_at,
             'expires_at', nullif(t.expires_at, 'infinity'), 'revoked_at', t.revoked_at) order by t.created_at, t.id), '[]')
      from fence.tokens() t));
end $$;

create function api.console_overdue(claim text, want text, p_before uuid, page_size integer) returns text
language plpgsql volatile security invoker as $$
declare
  items json[];
  last_id uuid;
begin
  perform fence.enter(claim, want, false);
  select array_agg(json_build_object(
           'id', x.id, 'sender', x.sender, 'recipient', x.recipient, 'audience', x.audience, 'status', x.status,
           'flags', x.flags, 'created_at', x.created_at, 'due_at', x.due_at, 'updated_at', x.updated_at)),
         (array_agg(x.id))[count(*)] into items, last_id
    from (select h.id, h.sender, h.recipient, h.audience, h.status, h.flags, h.created_at, h.due_at, h.updated_at
            from fleet.handoff h
           where h.due_at < statement_timestamp() and h.status in ('open', 'accepted')
             and h.id < coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
           order by h.id desc limit page_size) x;
  return fence.page(items, last_id, page_size);
end $$;

create function api.console_token_revoke(claim text, idem_key text, idem_hash bytea, p_id text,
                                         out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
begin
  perform fence.enter(claim, 'operator', true);
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  if not fence.token_revoke(p_id) then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  status := 200;
  replayed := false;
  select json_build_object('id', t.id, 'principal', t.principal, 'revoked_at', t.revoked_at)::text
    into doc from fence.tokens() t where t.id = p_id;
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

create function api.console_suspend(claim text, idem_key text, idem_hash bytea, p_agent text, p_suspended boolean,
                                    out status integer, out doc text, out replayed boolean)
language plpgsql volatile security invoker as $$
declare
  since timestamptz;
begin
  perform fence.enter(claim, 'operator', true);
  select r.status, r.doc, true into status, doc, replayed from fence.replay(idem_key, idem_hash) r;
  if doc is not null then
    return;
  end if;
  update fleet.principal p
     set suspended_at = case when p_suspended then coalesce(p.suspended_at, clock_timestamp()) end
   where p.name = p_agent and p.rol = 'agent' returning p.suspended_at into since;
  if not found then
    raise exception 'record.absent' using errcode = 'P0002';
  end if;
  status := 200;
  replayed := false;
  doc := json_build_object('name', p_agent, 'suspended_at', since);
  perform fence.remember(idem_key, idem_hash, status, doc);
end $$;

reset role;

grant update (suspended_at) on fleet.principal to fleetmem_operator;
grant execute on function fence.tokens(), fence.token_revoke(text) to fleetmem_operator;
grant execute on function fence.on_console(), fence.require(text) to fleetmem_verifier;
grant execute on function
  api.console_me(text, text), api.console_agents(text, text), api.console_tokens(text, text),
  api.console_overdue(text, text, uuid, integer), api.console_token_revoke(text, text, bytea, text),
  api.console_suspend(text, text, bytea, text, boolean)
  to fleetmem_console;
