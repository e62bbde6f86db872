"""Who there is, beats, handoffs, the vault, and what the fence keeps of itself."""

from sqlalchemy import Boolean, Column, Index, LargeBinary, SmallInteger, Table, Uuid, text
from sqlalchemy.dialects.postgresql import JSONB

from fleetmem.admin.schema.columns import metadata, moment, several, to, words

_LIVE = text("ended_at is null")
_PENDING = text("status in ('open', 'accepted')")

Table(
    "audience",
    metadata,
    words("name", primary_key=True),
    words("description", server_default=""),
    Column("active", Boolean, nullable=False, server_default=text("true")),
    schema="fleet",
)
Table(
    "principal",
    metadata,
    words("name", primary_key=True),
    words("rol"),
    words("description", server_default=""),
    words("instructions", server_default=""),
    several("reads"),
    several("writes"),
    words("workspace", nullable=True),
    Column("active", Boolean, nullable=False, server_default=text("true")),
    moment("suspended_at", nullable=True),
    moment("tokens_from", default="'-infinity'"),
    words("target", server_default="codex"),
    schema="fleet",
)
beat = Table(
    "beat",
    metadata,
    Column("id", Uuid, primary_key=True),
    to("principal", "author"),
    words("topic"),
    words("topic_key"),
    words("body"),
    to("audience", "audience"),
    moment("created_at"),
    moment("expires_at"),
    moment("ended_at", nullable=True),
    words("ended_as", nullable=True),
    schema="fleet",
)
Index("beat_one_live", beat.c.topic_key, beat.c.author, unique=True, postgresql_where=_LIVE)
Index("beat_live_author", beat.c.author, beat.c.audience, beat.c.id.desc(), postgresql_where=_LIVE)
Index("beat_live_audience", beat.c.audience, beat.c.id.desc(), postgresql_where=_LIVE)
Index("beat_audience", beat.c.audience, beat.c.id.desc())
Index("beat_topic", beat.c.topic_key, beat.c.id.desc())
Index("beat_author", beat.c.author, beat.c.audience, beat.c.id.desc())
handoff = Table(
    "handoff",
    metadata,
    Column("id", Uuid, primary_key=True),
    to("principal", "sender"),
    to("principal", "recipient"),
    words("request"),
    to("audience", "audience"),
    words("status"),
    several("flags"),
    moment("created_at"),
    moment("due_at", nullable=True),
    moment("updated_at"),
    words("reply", nullable=True),
    schema="fleet",
)
Index("handoff_inbox", handoff.c.recipient, handoff.c.id.desc())
Index("handoff_outbox", handoff.c.sender, handoff.c.id.desc())
Index("handoff_audience", handoff.c.audience, handoff.c.id.desc())
Index("handoff_pending_inbox", handoff.c.recipient, handoff.c.id.desc(), postgresql_where=_PENDING)
Index("handoff_pending_outbox", handoff.c.sender, handoff.c.id.desc(), postgresql_where=_PENDING)
Index("handoff_pending_audience", handoff.c.audience, handoff.c.id.desc(), postgresql_where=_PENDING)
transition = Table(
    "handoff_transition",
    metadata,
    Column("id", Uuid, primary_key=True),
    to("handoff", "handoff"),
    words("from_status", nullable=True),
    words("to_status"),
    to("principal", "made_by"),
    moment("made_at"),
    words("reply", nullable=True),
    schema="fleet",
)
Index("handoff_transition_handoff", transition.c.handoff, transition.c.id)
Table(
    "idempotency",
    metadata,
    to("principal", "principal", primary_key=True),
    words("key", primary_key=True),
    Column("request_sha256", LargeBinary, nullable=False),
    Column("status", SmallInteger, nullable=False),
    words("answer"),
    moment("created_at"),
    schema="fleet",
)
Table(
    "signing_key",
    metadata,
    words("header", primary_key=True),
    words("kid", unique=True),
    Column("ipad", LargeBinary, nullable=False),
    Column("opad", LargeBinary, nullable=False),
    Column("pepper", LargeBinary, nullable=False),
    words("login"),
    words("rol"),
    Column("must", JSONB, nullable=False),
    moment("created_at", default="clock_timestamp()"),
    moment("not_before"),
    moment("not_after", default="'infinity'"),
    Column("revoked", Boolean, nullable=False, server_default=text("false")),
    schema="vault",
)
bearer = Table(
    "bearer",
    metadata,
    words("id", primary_key=True),
    Column("sha256", LargeBinary, nullable=False, unique=True),
    words("principal"),
    words("label", server_default=""),
    moment("created_at"),
    moment("expires_at", default="'infinity'"),
    moment("revoked_at", nullable=True),
    schema="vault",
)
Index("bearer_principal", bearer.c.principal)
Table(
    "applied",
    metadata,
    words("file", primary_key=True),
    words("sha256"),
    moment("applied_at", default="clock_timestamp()"),
    schema="fence",
)
Table("casefold", metadata, words("from_char", primary_key=True), words("to_text"), schema="fence")
