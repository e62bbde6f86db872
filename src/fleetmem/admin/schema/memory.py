"""Segments, notes and what was decided about them, landings, incidents, the ledger, and the rules of memory."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB, REAL

from fleetmem.admin.schema.columns import metadata, moment, several, to, words

segment = Table(
    "segment",
    metadata,
    Column("id", Uuid, primary_key=True),
    to("team", "team"),
    Column("ordinal", Integer, nullable=False),
    words("status"),
    words("boundary", nullable=True),
    Column("generation", SmallInteger, nullable=False, server_default=text("1")),
    Column("from_seq", BigInteger, nullable=False),
    Column("to_seq", BigInteger),
    Column("characters", Integer, nullable=False, server_default=text("0")),
    Column("topics", JSONB, nullable=False, server_default=text("'{}'")),
    moment("opened_at"),
    moment("active_at"),
    moment("closed_at", nullable=True),
    moment("flushed_at", nullable=True),
    words("outcome", nullable=True),
    words("detail", nullable=True),
    UniqueConstraint("team", "ordinal", name="segment_ordinal"),
    schema="fleet",
)
Index("segment_open", segment.c.team, unique=True, postgresql_where=text("status = 'open'"))
Index("segment_unflushed", segment.c.team, postgresql_where=text("status <> 'flushed'"))
segment_task = Table(
    "segment_task",
    metadata,
    to("segment", "segment", primary_key=True),
    to("task", "task", primary_key=True),
    schema="fleet",
)
Index("segment_task_task", segment_task.c.task)
segment_run = Table(
    "segment_run", metadata, to("run", "run", primary_key=True), to("segment", "segment"), schema="fleet"
)
Index("segment_run_segment", segment_run.c.segment)
note = Table(
    "note",
    metadata,
    Column("id", Uuid, primary_key=True),
    to("segment", "segment"),
    to("team", "team"),
    Column("ordinal", SmallInteger, nullable=False),
    Column("generation", SmallInteger, nullable=False, server_default=text("1")),
    words("status"),
    words("severity"),
    words("content"),
    words("description"),
    words("skill_key"),
    words("rationale", server_default=""),
    several("audiences", None),
    several("reasons"),
    words("withheld_because", nullable=True),
    several("redacted_by"),
    several("quarantined_by"),
    words("policy_version"),
    words("extractor"),
    to("note", "supersedes", nullable=True),
    Column("revision", SmallInteger, nullable=False, server_default=text("1")),
    moment("created_at"),
    moment("decided_at", nullable=True),
    words("decided_by", nullable=True),
    UniqueConstraint("segment", "generation", "ordinal", name="note_ordinal"),
    schema="fleet",
)
Index("note_pending", note.c.id, postgresql_where=text("status = 'candidate'"))
Index("note_team", note.c.team, note.c.id.desc())
Table(
    "note_citation",
    metadata,
    to("note", "note", primary_key=True),
    Column("ordinal", SmallInteger, primary_key=True),
    to("message", "message", nullable=True),
    to("run", "run", nullable=True),
    Column("span_seq", Integer),
    schema="fleet",
)
recipient = Table(
    "note_recipient",
    metadata,
    to("note", "note", primary_key=True),
    to("principal", "agent", primary_key=True),
    Column("score", REAL),
    words("match"),
    words("skill", nullable=True),
    Column("new_skill", Boolean, nullable=False, server_default=text("false")),
    words("nonce"),
    Column("active", Boolean, nullable=False, server_default=text("true")),
    schema="fleet",
)
Index("note_recipient_agent", recipient.c.agent, recipient.c.note, postgresql_where=text("active"))
Table(
    "note_denial",
    metadata,
    to("note", "note", primary_key=True),
    to("principal", "agent", primary_key=True),
    words("reason"),
    Column("score", REAL),
    schema="fleet",
)
review = Table(
    "note_review",
    metadata,
    Column("id", Uuid, primary_key=True),
    to("note", "note"),
    Column("revision", SmallInteger, nullable=False),
    to("principal", "reviewer"),
    words("decision"),
    words("remark", nullable=True),
    moment("at"),
    schema="fleet",
)
Index("note_review_note", review.c.note, review.c.id)
Table(
    "landing_preview",
    metadata,
    to("note", "note", primary_key=True),
    Column("revision", SmallInteger, primary_key=True),
    to("principal", "agent", primary_key=True),
    words("path", nullable=True),
    Column("before_sha256", LargeBinary),
    words("after", nullable=True),
    words("refused", nullable=True),
    moment("made_at"),
    schema="fleet",
)
landing = Table(
    "landing",
    metadata,
    Column("id", Uuid, primary_key=True),
    to("note", "note"),
    to("principal", "agent"),
    words("nonce"),
    words("skill", nullable=True),
    Column("new_skill", Boolean, nullable=False),
    words("status"),
    words("path", nullable=True),
    words("sha256", nullable=True),
    words("reason", nullable=True),
    moment("requested_at"),
    moment("landed_at", nullable=True),
    moment("ended_at", nullable=True),
    schema="fleet",
)
_CURRENT = text("status not in ('refused', 'removed')")
_UNSETTLED = text("status in ('pending', 'removing')")
Index("landing_current", landing.c.note, landing.c.agent, unique=True, postgresql_where=_CURRENT)
Index("landing_agent", landing.c.agent, landing.c.id.desc())
Index("landing_unsettled", landing.c.id, postgresql_where=_UNSETTLED)
incident = Table(
    "incident",
    metadata,
    Column("id", Uuid, primary_key=True),
    words("kind"),
    words("status"),
    to("note", "note", nullable=True),
    to("landing", "landing", nullable=True),
    to("principal", "agent", nullable=True),
    words("detail"),
    several("rules"),
    moment("opened_at"),
    moment("closed_at", nullable=True),
    words("closed_by", nullable=True),
    words("remark", nullable=True),
    schema="fleet",
)
Index("incident_open", incident.c.id, postgresql_where=text("status = 'open'"))
ledger = Table(
    "ledger",
    metadata,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    moment("at"),
    words("event"),
    Column("note", Uuid),
    words("agent", nullable=True),
    words("actor"),
    words("reason", nullable=True),
    Column("detail", JSONB, nullable=False),
    Column("prev", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    schema="fleet",
)
Index("ledger_note", ledger.c.note, ledger.c.seq)
Index("ledger_agent", ledger.c.agent, ledger.c.seq)
calibration = Table(
    "calibration",
    metadata,
    Column("id", Uuid, primary_key=True),
    words("kind"),
    Column("active", Boolean, nullable=False),
    words("file_name"),
    words("file_sha256"),
    words("labels"),
    words("model"),
    words("model_sha256"),
    Column("threshold", REAL, nullable=False),
    Column("precision", REAL, nullable=False),
    Column("precision_low", REAL, nullable=False),
    Column("recall", REAL, nullable=False),
    Column("recall_low", REAL, nullable=False),
    Column("evidence", JSONB, nullable=False),
    words("promoted_by"),
    moment("promoted_at"),
    schema="fleet",
)
Index("calibration_active", calibration.c.kind, unique=True, postgresql_where=text("active"))
Table(
    "memory_rule",
    metadata,
    Column("one", Boolean, primary_key=True, server_default=text("true")),
    Column("review_all", Boolean, nullable=False, server_default=text("false")),
    Column("auto_grant", Boolean, nullable=False, server_default=text("false")),
    Column("least_precision", REAL, nullable=False, server_default=text("0.98")),
    words("on_narrowing", server_default="at_once"),
    schema="fleet",
)
