"""The memory half's tables: teams and what they said and did, segments, notes, landings, the ledger, and the queue.

The queue is procrastinate's own schema, as the installed release ships it, in a schema of its own. Everything else keeps
the rules of the first migration: row security forced where a table is born, and no statistics.
"""

from alembic import op
from procrastinate.schema import SchemaManager

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

PRINCIPAL = """
alter table fleet.principal add column target text not null default 'codex';
alter table fleet.principal add constraint principal_target check (target in ('codex', 'claude-code'));
"""

TEAM = """
create table fleet.team (
  name text primary key,
  description text not null default '',
  audiences text[] not null,
  two_person boolean not null default false,
  active boolean not null default true,
  last_seq bigint not null default 0,
  constraint team_name check (name = lower(name) and length(name) between 2 and 40),
  constraint team_audiences check (cardinality(audiences) between 1 and 16 and array_position(audiences, null) is null)
);

create table fleet.team_member (
  team text not null references fleet.team (name),
  agent text not null references fleet.principal (name),
  position smallint not null,
  active boolean not null default true,
  primary key (team, agent)
);
create index team_member_agent on fleet.team_member (agent);
"""

CAPTURE = """
create table fleet.task (
  id uuid primary key,
  team text not null references fleet.team (name),
  opened_by text not null references fleet.principal (name),
  prompt text not null,
  audience text not null references fleet.audience (name),
  status text not null,
  opened_seq bigint not null,
  created_at timestamptz not null,
  settled_at timestamptz,
  constraint task_prompt_length check (length(prompt) between 1 and 32000),
  constraint task_status check (status in ('open', 'done', 'failed', 'cancelled')),
  constraint task_settled check ((status = 'open') = (settled_at is null))
);
create index task_team on fleet.task (team, id desc);

create table fleet.run (
  id uuid primary key,
  task uuid not null references fleet.task (id),
  team text not null references fleet.team (name),
  agent text not null references fleet.principal (name),
  audience text not null references fleet.audience (name),
  attempt smallint not null,
  node text,
  instruction text not null,
  status text not null,
  output text,
  failure text,
  started_at timestamptz not null,
  settled_at timestamptz,
  spans integer,
  errors integer,
  input_tokens bigint,
  output_tokens bigint,
  duration_ms bigint,
  constraint run_node_length check (length(node) between 1 and 200),
  constraint run_instruction_length check (length(instruction) <= 32000),
  constraint run_output_length check (length(output) between 1 and 64000),
  constraint run_failure_length check (length(failure) between 1 and 2000),
  constraint run_status check (status in ('running', 'succeeded', 'failed', 'cancelled')),
  constraint run_settled check ((status = 'running') = (settled_at is null))
);
create unique index run_attempt on fleet.run (task, agent, coalesce(node, ''), attempt);
create index run_agent on fleet.run (agent, id desc);

create table fleet.message (
  id uuid primary key,
  team text not null references fleet.team (name),
  seq bigint not null,
  task uuid references fleet.task (id),
  run uuid references fleet.run (id),
  author text not null references fleet.principal (name),
  speaker text not null,
  body text not null,
  audience text not null references fleet.audience (name),
  created_at timestamptz not null,
  constraint message_seq unique (team, seq),
  constraint message_speaker check (speaker in ('agent', 'human')),
  constraint message_body_length check (length(body) between 1 and 32000)
);
create index message_task on fleet.message (task, id);
create index message_audience on fleet.message (team, audience, id);
create index message_author on fleet.message (author, id desc);

create table fleet.span (
  run uuid not null references fleet.run (id),
  seq integer not null,
  kind text not null,
  name text not null,
  body text not null default '',
  is_error boolean not null default false,
  input_tokens bigint,
  output_tokens bigint,
  started_at timestamptz,
  ended_at timestamptz,
  arrived_at timestamptz not null,
  primary key (run, seq),
  constraint span_seq check (seq between 1 and 1000000),
  constraint span_kind check (kind in ('model', 'tool', 'message', 'other')),
  constraint span_name_length check (length(name) between 1 and 200),
  constraint span_body_length check (length(body) <= 16000),
  constraint span_tokens check (input_tokens >= 0 and output_tokens >= 0)
);

create table fleet.context_injection (
  run uuid primary key references fleet.run (id),
  from_seq_exclusive bigint not null,
  to_seq_inclusive bigint not null,
  messages uuid[] not null default '{}',
  dependencies uuid[] not null default '{}',
  withheld uuid[] not null default '{}',
  text_sha256 bytea not null,
  created_at timestamptz not null,
  constraint context_injection_window check (from_seq_exclusive between 0 and to_seq_inclusive),
  constraint context_injection_sha256 check (length(text_sha256) = 32)
);
"""

SEGMENT = """
create table fleet.segment (
  id uuid primary key,
  team text not null references fleet.team (name),
  ordinal integer not null,
  status text not null,
  boundary text,
  generation smallint not null default 1,
  from_seq bigint not null,
  to_seq bigint,
  characters integer not null default 0,
  topics jsonb not null default '{}',
  opened_at timestamptz not null,
  active_at timestamptz not null,
  closed_at timestamptz,
  flushed_at timestamptz,
  outcome text,
  detail text,
  constraint segment_ordinal unique (team, ordinal),
  constraint segment_status check (status in ('open', 'closed', 'flushed')),
  constraint segment_boundary check (boundary in ('topic_shift', 'size_cap', 'idle', 'mid_task')),
  constraint segment_closed check ((status = 'open') = (closed_at is null) and (closed_at is null) = (boundary is null)
                                   and (closed_at is null) = (to_seq is null)),
  constraint segment_flushed check ((status = 'flushed') = (flushed_at is not null) and (flushed_at is null) = (outcome is null)),
  constraint segment_outcome check (outcome in ('notes', 'nothing', 'failed')),
  constraint segment_detail_length check (length(detail) <= 500)
);
create unique index segment_open on fleet.segment (team) where status = 'open';
create index segment_unflushed on fleet.segment (team) where status <> 'flushed';

create table fleet.segment_task (
  segment uuid not null references fleet.segment (id),
  task uuid not null references fleet.task (id),
  primary key (segment, task)
);
create index segment_task_task on fleet.segment_task (task);

create table fleet.segment_run (
  run uuid primary key references fleet.run (id),
  segment uuid not null references fleet.segment (id)
);
create index segment_run_segment on fleet.segment_run (segment);
"""

NOTE = """
create table fleet.note (
  id uuid primary key,
  segment uuid not null references fleet.segment (id),
  team text not null references fleet.team (name),
  ordinal smallint not null,
  generation smallint not null default 1,
  status text not null,
  severity text not null,
  content text not null,
  description text not null,
  skill_key text not null,
  rationale text not null default '',
  audiences text[] not null,
  reasons text[] not null default '{}',
  withheld_because text,
  redacted_by text[] not null default '{}',
  quarantined_by text[] not null default '{}',
  policy_version text not null,
  extractor text not null,
  supersedes uuid references fleet.note (id),
  revision smallint not null default 1,
  created_at timestamptz not null,
  decided_at timestamptz,
  decided_by text,
  constraint note_ordinal unique (segment, generation, ordinal),
  constraint note_ordinal_range check (ordinal between 1 and 8),
  constraint note_status check (status in ('candidate', 'approved', 'rejected', 'withheld', 'revoked')),
  constraint note_severity check (severity in ('normal', 'severe')),
  constraint note_content_length check (length(content) between 1 and 2000),
  constraint note_description_length check (length(description) between 1 and 1024),
  constraint note_skill_key check (length(skill_key) between 1 and 64),
  constraint note_rationale_length check (length(rationale) <= 2000),
  constraint note_withheld check ((status = 'withheld') = (withheld_because is not null)),
  constraint note_withheld_length check (length(withheld_because) between 1 and 200),
  constraint note_decided check ((status in ('approved', 'rejected', 'revoked')) = (decided_at is not null)
                                 and (decided_at is null) = (decided_by is null))
);
create index note_pending on fleet.note (id) where status = 'candidate';
create index note_team on fleet.note (team, id desc);

create table fleet.note_citation (
  note uuid not null references fleet.note (id),
  ordinal smallint not null,
  message uuid references fleet.message (id),
  run uuid references fleet.run (id),
  span_seq integer,
  primary key (note, ordinal),
  constraint note_citation_of_one check ((message is null) <> (run is null) and (span_seq is null or run is not null))
);

create table fleet.note_recipient (
  note uuid not null references fleet.note (id),
  agent text not null references fleet.principal (name),
  score real,
  match text not null,
  skill text,
  new_skill boolean not null default false,
  nonce text not null,
  active boolean not null default true,
  primary key (note, agent),
  constraint note_recipient_match check (match in ('match', 'fallback', 'reviewer')),
  constraint note_recipient_skill check (length(skill) between 1 and 64 and (not new_skill or skill is not null)),
  constraint note_recipient_nonce check (nonce = lower(nonce) and length(nonce) = 32)
);
create index note_recipient_agent on fleet.note_recipient (agent, note) where active;

create table fleet.note_denial (
  note uuid not null references fleet.note (id),
  agent text not null references fleet.principal (name),
  reason text not null,
  score real,
  primary key (note, agent),
  constraint note_denial_reason check (reason in ('audience', 'below_threshold', 'took_no_part', 'reviewer', 'narrowed', 'left_team'))
);

create table fleet.note_review (
  id uuid primary key,
  note uuid not null references fleet.note (id),
  revision smallint not null,
  reviewer text not null references fleet.principal (name),
  decision text not null,
  remark text,
  at timestamptz not null,
  constraint note_review_decision check (decision in ('approve', 'edit', 'reject', 'revoke')),
  constraint note_review_remark_length check (length(remark) between 1 and 1000)
);
create index note_review_note on fleet.note_review (note, id);

create table fleet.landing_preview (
  note uuid not null references fleet.note (id),
  revision smallint not null,
  agent text not null references fleet.principal (name),
  path text,
  before_sha256 bytea,
  after text,
  refused text,
  made_at timestamptz not null,
  primary key (note, revision, agent),
  constraint landing_preview_whole check ((refused is null) = (path is not null and after is not null))
);
"""

LANDING = """
create table fleet.landing (
  id uuid primary key,
  note uuid not null references fleet.note (id),
  agent text not null references fleet.principal (name),
  nonce text not null,
  skill text,
  new_skill boolean not null,
  status text not null,
  path text,
  sha256 text,
  reason text,
  requested_at timestamptz not null,
  landed_at timestamptz,
  ended_at timestamptz,
  constraint landing_status check (status in ('pending', 'landed', 'refused', 'drifted', 'removing', 'removed')),
  constraint landing_landed check (status not in ('landed', 'drifted') or (landed_at is not null and path is not null and sha256 is not null)),
  constraint landing_ended check ((status in ('refused', 'removed')) = (ended_at is not null)),
  constraint landing_reason_length check (length(reason) between 1 and 500)
);
create unique index landing_current on fleet.landing (note, agent) where status not in ('refused', 'removed');
create index landing_agent on fleet.landing (agent, id desc);
create index landing_unsettled on fleet.landing (id) where status in ('pending', 'removing');

create table fleet.incident (
  id uuid primary key,
  kind text not null,
  status text not null,
  note uuid references fleet.note (id),
  landing uuid references fleet.landing (id),
  agent text references fleet.principal (name),
  detail text not null,
  rules text[] not null default '{}',
  opened_at timestamptz not null,
  closed_at timestamptz,
  closed_by text,
  remark text,
  constraint incident_kind check (kind in ('quarantine', 'drift', 'landing', 'narrowed', 'recall', 'job')),
  constraint incident_status check (status in ('open', 'confirmed', 'dismissed')),
  constraint incident_detail_length check (length(detail) between 1 and 500),
  constraint incident_remark_length check (length(remark) between 1 and 1000),
  constraint incident_closed check ((status = 'open') = (closed_at is null) and (closed_at is null) = (closed_by is null))
);
create index incident_open on fleet.incident (id) where status = 'open';

create table fleet.ledger (
  seq bigint primary key,
  at timestamptz not null,
  event text not null,
  note uuid,
  agent text,
  actor text not null,
  reason text,
  detail jsonb not null,
  prev bytea not null,
  hash bytea not null,
  constraint ledger_event check (event in ('proposed', 'withheld', 'redacted', 'quarantined', 'granted', 'denied', 'approved',
    'edited', 'rejected', 'landed', 'refused', 'revoked', 'removed', 'drifted', 'restored', 'marked')),
  constraint ledger_hashes check (length(prev) = 32 and length(hash) = 32)
);
create index ledger_note on fleet.ledger (note, seq);
create index ledger_agent on fleet.ledger (agent, seq);

create table fleet.calibration (
  id uuid primary key,
  kind text not null,
  active boolean not null,
  file_name text not null,
  file_sha256 text not null,
  labels text not null,
  model text not null,
  model_sha256 text not null,
  threshold real not null,
  precision real not null,
  precision_low real not null,
  recall real not null,
  recall_low real not null,
  evidence jsonb not null,
  promoted_by text not null,
  promoted_at timestamptz not null,
  constraint calibration_kind check (kind in ('routing', 'segmentation')),
  constraint calibration_labels check (labels in ('human', 'synthetic')),
  constraint calibration_shares check (precision between 0 and 1 and precision_low between 0 and precision
                                       and recall between 0 and 1 and recall_low between 0 and recall)
);
create unique index calibration_active on fleet.calibration (kind) where active;

create table fleet.memory_rule (
  one boolean primary key default true,
  review_all boolean not null default false,
  auto_grant boolean not null default false,
  least_precision real not null default 0.98,
  on_narrowing text not null default 'at_once',
  constraint memory_rule_one check (one),
  constraint memory_rule_precision check (least_precision between 0.5 and 1),
  constraint memory_rule_narrowing check (on_narrowing in ('at_once', 'propose'))
);
insert into fleet.memory_rule default values;
"""

TABLES = (
    "team",
    "team_member",
    "task",
    "run",
    "message",
    "span",
    "context_injection",
    "segment",
    "segment_task",
    "segment_run",
    "note",
    "note_citation",
    "note_recipient",
    "note_denial",
    "note_review",
    "landing_preview",
    "landing",
    "incident",
    "ledger",
    "calibration",
    "memory_rule",
)

NO_STATISTICS = """
do $$
declare
  kept record;
begin
  for kept in
    select a.attrelid::regclass as held, a.attname from pg_attribute a
      join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
      join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'fleet'
     where a.attnum > 0 and not a.attisdropped and a.attstattarget is distinct from 0
  loop
    execute format('alter table %s alter %I set statistics 0', kept.held, kept.attname);
  end loop;
end $$
"""


def upgrade() -> None:
    """Create the tables, owned as those of the first migration are, and the queue in a schema of its own."""
    op.execute("create schema queue authorization fleetmem_owner")
    op.execute("set local role fleetmem_owner")
    for part in (PRINCIPAL, TEAM, CAPTURE, SEGMENT, NOTE, LANDING):
        op.execute(part)
    for table in TABLES:
        op.execute(f"alter table fleet.{table} enable row level security")
        op.execute(f"alter table fleet.{table} force row level security")
    op.execute(NO_STATISTICS)
    op.execute(
        "alter index fleet.run_attempt alter column 3 set statistics 0"
    )  # an expression has statistics of its own
    op.execute("set local search_path = queue, pg_catalog")
    op.get_bind().exec_driver_sql(SchemaManager.get_schema().replace("%", "%%"))
    op.execute("reset search_path")
    op.execute("reset role")
