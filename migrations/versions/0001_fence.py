"""The fence's tables: who there is, beats, handoffs, keys and bearer tokens.

Row security is enabled and forced where a table is born, so that between this migration and the policies nobody reads
anything. Statistics are off on every column: the planner's estimates are visible to whoever may run EXPLAIN, and without
statistics they cannot depend on rows that person may not see.
"""

import sys
import unicodedata

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ROSTER = """
create table fleet.audience (
  name text primary key,
  description text not null default '',
  active boolean not null default true,
  constraint audience_name check (name = lower(name) and length(name) between 2 and 40)
);

create table fleet.principal (
  name text primary key,
  rol text not null,
  description text not null default '',
  instructions text not null default '',
  reads text[] not null default '{}',
  writes text[] not null default '{}',
  workspace text,
  active boolean not null default true,
  suspended_at timestamptz,
  tokens_from timestamptz not null default '-infinity',
  constraint principal_rol check (rol in ('agent', 'operator', 'auditor')),
  constraint principal_name check (name = lower(name) and length(name) between 2 and 40),
  constraint principal_sets check (rol = 'agent' or (reads = '{}' and writes = '{}')),
  constraint principal_sets_whole check (array_position(reads, null) is null and array_position(writes, null) is null)
);
"""

BEAT = """
create table fleet.beat (
  id uuid primary key,
  author text not null references fleet.principal (name),
  topic text not null,
  topic_key text not null,
  body text not null,
  audience text not null references fleet.audience (name),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended_as text,
  constraint beat_topic_length check (length(topic) between 1 and 200 and length(topic_key) between 1 and 600),
  constraint beat_body_length check (length(body) between 1 and 8000),
  constraint beat_expires_range check (expires_at > created_at and expires_at <= created_at + interval '90 days'),
  constraint beat_ended check ((ended_at is null) = (ended_as is null)),
  constraint beat_ended_as check (ended_as in ('superseded', 'retracted'))
);
create unique index beat_one_live on fleet.beat (topic_key, author) where ended_at is null;
create index beat_live_author on fleet.beat (author, audience, id desc) where ended_at is null;
create index beat_live_audience on fleet.beat (audience, id desc) where ended_at is null;
create index beat_audience on fleet.beat (audience, id desc);
create index beat_topic on fleet.beat (topic_key, id desc);
create index beat_author on fleet.beat (author, audience, id desc);
"""

HANDOFF = """
create table fleet.handoff (
  id uuid primary key,
  sender text not null references fleet.principal (name),
  recipient text not null references fleet.principal (name),
  request text not null,
  audience text not null references fleet.audience (name),
  status text not null,
  flags text[] not null default '{}',
  created_at timestamptz not null,
  due_at timestamptz,
  updated_at timestamptz not null,
  reply text,
  constraint handoff_request_length check (length(request) between 1 and 8000),
  constraint handoff_reply_length check (length(reply) between 1 and 8000),
  constraint handoff_status check (status in ('open', 'accepted', 'declined', 'done', 'failed', 'withdrawn')),
  constraint handoff_due_range check (due_at > created_at and due_at <= created_at + interval '366 days'),
  constraint handoff_flags check (cardinality(flags) <= 8 and length(array_to_string(flags, '')) <= 200)
);
create index handoff_inbox on fleet.handoff (recipient, id desc);
create index handoff_outbox on fleet.handoff (sender, id desc);
create index handoff_audience on fleet.handoff (audience, id desc);
create index handoff_pending_inbox on fleet.handoff (recipient, id desc) where status in ('open', 'accepted');
create index handoff_pending_outbox on fleet.handoff (sender, id desc) where status in ('open', 'accepted');
create index handoff_pending_audience on fleet.handoff (audience, id desc) where status in ('open', 'accepted');

create table fleet.handoff_transition (
  id uuid primary key,
  handoff uuid not null references fleet.handoff (id),
  from_status text,
  to_status text not null,
  made_by text not null references fleet.principal (name),
  made_at timestamptz not null,
  reply text
);
create index handoff_transition_handoff on fleet.handoff_transition (handoff, id);
"""

IDEMPOTENCY = """
create table fleet.idempotency (
  principal text not null references fleet.principal (name),
  key text not null,
  request_sha256 bytea not null,
  status smallint not null,
  answer text not null,
  created_at timestamptz not null,
  primary key (principal, key),
  constraint idempotency_key_length check (length(key) between 1 and 128),
  constraint idempotency_request_sha256 check (length(request_sha256) = 32),
  constraint idempotency_status check (status in (200, 201)),
  constraint idempotency_answer_length check (length(answer) between 2 and 131072)
);
"""

VAULT = """
create table vault.signing_key (
  header text primary key,
  kid text not null unique,
  ipad bytea not null,
  opad bytea not null,
  pepper bytea not null,
  login text not null,
  rol text not null,
  must jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  not_before timestamptz not null,
  not_after timestamptz not null default 'infinity',
  revoked boolean not null default false,
  constraint signing_key_pads check (length(ipad) = 64 and length(opad) = 64 and length(pepper) = 32),
  constraint signing_key_rol check (rol in ('agent', 'operator', 'auditor')),
  constraint signing_key_must check (must ? 'iss' and must ? 'aud' and must ->> 'rol' = rol)
);

create table vault.bearer (
  id text primary key,
  sha256 bytea not null unique,
  principal text not null,
  label text not null default '',
  created_at timestamptz not null,
  expires_at timestamptz not null default 'infinity',
  revoked_at timestamptz,
  constraint bearer_sha256 check (length(sha256) = 32)
);
create index bearer_principal on vault.bearer (principal);
"""

# Of every column: an estimate that no statistics feed is the same whoever asks and whatever the table holds.
NO_STATISTICS = """
do $$
declare
  kept record;
begin
  for kept in
    select a.attrelid::regclass as held, a.attname from pg_attribute a
      join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
      join pg_namespace n on n.oid = c.relnamespace and n.nspname = '{schema}'
     where a.attnum > 0 and not a.attisdropped
  loop
    execute format('alter table %s alter %I set statistics 0', kept.held, kept.attname);
  end loop;
end $$
"""

FENCE = """
create table fence.applied (
  file text primary key,
  sha256 text not null,
  applied_at timestamptz not null default clock_timestamp()
);

create table fence.casefold (
  from_char text primary key,
  to_text text not null
);
"""


def folded_characters() -> list[dict[str, str]]:
    """Every non-ASCII character whose full case folding differs from itself (Unicode CaseFolding, as Python ships it)."""
    characters = (chr(point) for point in range(0x80, sys.maxunicode + 1) if not 0xD800 <= point <= 0xDFFF)
    return [
        {"from_char": character, "to_text": unicodedata.normalize("NFC", character.casefold())}
        for character in characters
        if character.casefold() != character
    ]


def upgrade() -> None:
    """Create the schemas and their tables, each owned by the role that answers for it."""
    op.execute("create schema fleet authorization fleetmem_owner")
    op.execute("create schema vault authorization fleetmem_verifier")
    op.execute("create schema api authorization fleetmem_owner")
    op.execute("set local role fleetmem_owner")
    for part in (ROSTER, BEAT, HANDOFF, IDEMPOTENCY, FENCE):
        op.execute(part)
    for table in ("audience", "principal", "beat", "handoff", "handoff_transition", "idempotency"):
        op.execute(f"alter table fleet.{table} enable row level security")
        op.execute(f"alter table fleet.{table} force row level security")
    op.execute(NO_STATISTICS.format(schema="fleet"))
    op.get_bind().exec_driver_sql(
        "insert into fence.casefold (from_char, to_text) values (%(from_char)s, %(to_text)s)", folded_characters()
    )
    op.execute("set local role fleetmem_verifier")
    op.execute(VAULT)
    op.execute(NO_STATISTICS.format(schema="vault"))
    op.execute("reset role")
