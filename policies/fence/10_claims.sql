-- Who is asking. The only functions that read the vault.
--
-- A claim is a JWT (RFC 7519), HS256 (RFC 7518 section 3.2), that the gateway signed and handed over in the setting
-- fence.token, for this transaction only. Three rules hold for everything below:
--   * fence._who never raises. A policy calls it, and a policy that raises on a bad claim tells whoever holds a login but
--     no claim which rows exist (error or no error, one bit a query).
--   * Key bytes are columns inside one statement. A variable, an argument or a setting would be printed by a debug setting
--     that any user may turn on.
--   * No regular expression and no backslash: what they mean depends on settings the caller chooses.

set local role fleetmem_verifier;

-- The verified bearer of the claim, or three nulls for every reason there is.
create function fence._who(want text, out name text, out reads text[], out writes text[])
language plpgsql stable security definer parallel safe
set search_path = pg_catalog, pg_temp as $$
declare
  token text := current_setting('fence.token', true);
  head text;
  body text;
  mac text;
  claims jsonb;
  demanded jsonb;
  expires numeric;
  issued numeric;
  this_second numeric;
begin
  if length(token) <= 2000 then
    head := split_part(token, '.', 1);
    body := split_part(token, '.', 2);
    mac := split_part(token, '.', 3);
    -- The whole header is the key's name: no header is parsed, so none can choose an algorithm. The MAC is compared as
    -- its one canonical text, and through a hash under a secret pepper, so how long the comparison takes says nothing.
    select k.must into demanded
      from vault.signing_key k
     where k.header = head and k.rol = want and k.login = session_user and not k.revoked
       and clock_timestamp() >= k.not_before and clock_timestamp() < k.not_after
       and sha256(k.pepper || convert_to(mac, 'UTF8'))
         = sha256(k.pepper || convert_to(rtrim(replace(replace(encode(
             sha256(k.opad || sha256(k.ipad || convert_to(head || '.' || body, 'UTF8'))),
             'base64'), '+', '-'), '/', '_'), '='), 'UTF8'));
    if found and head || '.' || body || '.' || mac = token then  -- three parts, and nothing after them
      claims := convert_from(decode(rpad(replace(replace(body, '-', '+'), '_', '/'), (length(body) + 3) / 4 * 4, '='),
                                    'base64'), 'UTF8')::jsonb;
      if claims @> demanded
         and jsonb_typeof(claims -> 'sub') = 'string' and jsonb_typeof(claims -> 'jti') = 'string'
         and jsonb_typeof(claims -> 'exp') = 'number' and jsonb_typeof(claims -> 'iat') = 'number'
         and jsonb_typeof(coalesce(claims -> 'nbf', '0')) = 'number'
         and jsonb_typeof(claims -> 'aud') = 'string' and jsonb_typeof(claims -> 'rol') = 'string'
         and coalesce(claims -> 'bp', to_jsonb(pg_backend_pid())) = to_jsonb(pg_backend_pid())
      then
        expires := (claims -> 'exp')::numeric;
        issued := (claims -> 'iat')::numeric;
        this_second := extract(epoch from clock_timestamp());  -- now() would stand still inside a transaction
        if expires > this_second - 5 and issued <= this_second + 5
           and coalesce((claims -> 'nbf')::numeric, 0) <= this_second + 5
           and expires - issued between 0 and 120
        then
          select p.name, p.reads, p.writes into name, reads, writes
            from fleet.principal p
            join vault.bearer b on b.principal = p.name
           where p.name = claims ->> 'sub' and p.rol = want and p.active and p.suspended_at is null
             and b.created_at >= p.tokens_from  -- the bearer's age: a claim made of an old bearer is always a young one
             and b.id = claims ->> 'jti' and b.revoked_at is null and b.expires_at > clock_timestamp();
          if found then
            return;
          end if;
        end if;
      end if;
    end if;
  end if;
  name := null;
  reads := null;
  writes := null;
end $$;

create function fence.current_agent() returns text
language sql stable security definer parallel safe set search_path = pg_catalog, pg_temp
return (fence._who('agent')).name;

create function fence.read_set() returns text[]
language sql stable security definer parallel safe set search_path = pg_catalog, pg_temp
return (fence._who('agent')).reads;

create function fence.write_set() returns text[]
language sql stable security definer parallel safe set search_path = pg_catalog, pg_temp
return (fence._who('agent')).writes;

create function fence.current_operator() returns text
language sql stable security definer parallel safe set search_path = pg_catalog, pg_temp
return (fence._who('operator')).name;

create function fence.on_console() returns text
language sql stable security definer parallel safe set search_path = pg_catalog, pg_temp
return coalesce((fence._who('operator')).name, (fence._who('auditor')).name);

-- The loud half: the same verdict as _who, as one refusal for every reason.
create function fence.require(want text, out name text, out reads text[], out writes text[])
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
declare
  who record := fence._who(want);
begin
  if who.name is null then
    raise exception 'fence: no valid claim' using errcode = '28000';
  end if;
  name := who.name;
  reads := who.reads;
  writes := who.writes;
end $$;

reset role;
set local role fleetmem_owner;

-- Bind a claim to this transaction and enter as its bearer: first call of every request, in the same round trip.
--
-- Runs with the login's own rights. Whoever holds the login could set the role by hand and gains nothing by it: every
-- right the role has depends on the claim. Assignments of single expressions, here and above, because plpgsql evaluates
-- those without starting the executor, and every request pays for it.
create function fence.enter(claim text, want text, writing boolean, out name text, out reads text[], out writes text[])
language plpgsql volatile security invoker as $$
declare
  done text;
  who record;
begin
  done := pg_catalog.set_config('fence.token', coalesce(claim, ''), true);
  done := pg_catalog.set_config('role', case want when 'agent' then 'fleetmem_agent' else 'fleetmem_operator' end, true);
  if not writing then
    done := pg_catalog.set_config('transaction_read_only', 'on', true);
  end if;
  who := fence.require(want);
  name := who.name;
  reads := who.reads;
  writes := who.writes;
end $$;

-- The smallest identifier of a moment, and a new one in it: UUIDv7 (RFC 9562 section 5.7) with a 12-bit fraction of the
-- millisecond. Time-ordered, so a list needs no second column to sort by; a counter would tell each agent how much the
-- others write, and this tells it nothing.
create function fence.first_id(moment timestamptz) returns uuid
language sql stable parallel safe set search_path = pg_catalog, pg_temp
return (select lpad(to_hex(m / 1000), 12, '0') || '7' || lpad(to_hex(m % 1000 * 4096 / 1000), 3, '0') || '8000000000000000'
          from (select least(greatest(floor(extract(epoch from moment) * 1000000), 0), 9e15)::bigint as m) micros)::uuid;

create function fence.new_id(moment timestamptz) returns uuid
language sql volatile set search_path = pg_catalog, pg_temp
return (left(fence.first_id(moment)::text, 19) || right(gen_random_uuid()::text, 17))::uuid;

-- What two spellings of a topic have in common: NFC, full case folding, NFC again (Unicode 15 section 3.13, D145).
create function fence.topic_key(topic text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  folded text := lower(topic collate "C");  -- ASCII only
begin
  if octet_length(topic) = length(topic) then
    return folded;
  end if;
  select string_agg(coalesce(f.to_text, c.letter), '' order by c.place) into folded
    from unnest(string_to_array(normalize(folded, nfc), null)) with ordinality as c (letter, place)
    left join fence.casefold f on f.from_char = c.letter;
  return normalize(folded, nfc);
end $$;

-- A cursor: the last identifier of a page, as base64url without padding.
create function fence.cursor(id uuid) returns text
language sql immutable parallel safe  -- no setting of its own, so that it is expanded where it is called; its names are bound
return rtrim(translate(encode(uuid_send(id), 'base64'), '+/', '-_'), '=');

-- One page of a list, newest first, as {"items": [...], "next": cursor or null}.
create function fence.page(items json[], last_id uuid, page_size integer) returns text
language sql immutable parallel safe
return '{"items":[' || coalesce(array_to_string(items, ','), '') || '],"next":'
    || case when cardinality(items) = page_size then '"' || fence.cursor(last_id) || '"' else 'null' end || '}';

-- Fires where nothing may ever happen, whoever asks.
create function fence.never() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'fence: % on %.% is never allowed', lower(tg_op), tg_table_schema, tg_table_name using errcode = '42501';
end $$;

reset role;

grant select on fleet.principal to fleetmem_verifier;
grant execute on function fence._who(text) to fleetmem_verifier;
grant execute on function fence.current_agent(), fence.read_set(), fence.write_set() to fleetmem_agent, fleetmem_scribe;
grant execute on function fence.current_operator(), fence.on_console() to fleetmem_operator, fleetmem_scribe;
grant execute on function fence.require(text) to fleetmem_agent, fleetmem_operator, fleetmem_scribe;
grant execute on function fence.enter(text, text, boolean) to fleetmem_gateway, fleetmem_console;
grant execute on function fence.cursor(uuid), fence.page(json[], uuid, integer), fence.first_id(timestamptz)
  to fleetmem_agent, fleetmem_operator, fleetmem_scribe;
grant execute on function fence.topic_key(text) to fleetmem_agent, fleetmem_scribe;
grant execute on function fence.new_id(timestamptz) to fleetmem_scribe;
grant select on fence.casefold to fleetmem_agent, fleetmem_scribe;
