-- Bearer tokens as the services see them: a digest goes in, a name comes out. And what a service asks at start-up.

set local role fleetmem_verifier;

-- The bearer a digest belongs to, for the login that may act for such a bearer; no row otherwise.
create function api.resolve_bearer(digest bytea, want text) returns table (bearer_id text, name text)
language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select b.id, p.name
    from vault.bearer b
    join fleet.principal p on p.name = b.principal
   where b.sha256 = digest and b.revoked_at is null and b.expires_at > clock_timestamp()
     and p.rol = want and p.active and p.suspended_at is null
     and b.created_at >= p.tokens_from
     and (session_user = 'fleetmem_gateway' and want = 'agent'
          or session_user = 'fleetmem_console' and want in ('operator', 'auditor'));
end;

-- Whether this login may present claims under this exact header now: a service mints one at start-up and asks.
create function api.key_known(head text) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
return exists (select from vault.signing_key k
                where k.header = head and k.login = session_user and not k.revoked
                  and clock_timestamp() >= k.not_before and clock_timestamp() < k.not_after);

reset role;
set local role fleetmem_owner;

-- One hash over the policies this database runs under.
create function api.fence_version() returns text
language sql stable security invoker set search_path = pg_catalog, pg_temp
return (select encode(sha256(convert_to(string_agg(a.file || ' ' || a.sha256, e'\n' order by a.file collate "C"), 'UTF8')), 'hex')
          from fence.applied a);

create function api.ready() returns boolean
language sql stable security invoker set search_path = pg_catalog, pg_temp
return not pg_is_in_recovery() or current_setting('transaction_read_only') = 'on';

reset role;

grant execute on function api.resolve_bearer(bytea, text), api.key_known(text), api.fence_version(), api.ready()
  to fleetmem_gateway, fleetmem_console;
