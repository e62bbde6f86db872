"""The tables as SQLAlchemy sees them, so that `alembic check` can hold the migrations to one picture.

Nothing runs queries through these. Policies, grants, triggers and functions are not here: they live in policies/fence.
"""

from sqlalchemy import (
    ARRAY,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

metadata = MetaData()

_Moment = DateTime(timezone=True)
_LIVE = text("ended_at is null")


def _text(name: str, *args: object, **options: object) -> Column[str]:
    return Column(name, Text, *args, nullable=bool(options.pop("nullable", False)), **options)  # type: ignore[arg-type]


def _moment(name: str, *, nullable: bool = False, default: str | None = None) -> Column[object]:
    return Column(name, _Moment, nullable=nullable, server_default=text(default) if default else None)


Table(
    "audience",
    metadata,
    _text("name", primary_key=True),
    _text("description", server_default=""),
    Column("active", Boolean, nullable=False, server_default=text("true")),
    schema="fleet",
)
Table(
    "principal",
    metadata,
    _text("name", primary_key=True),
    _text("rol"),
    _text("description", server_default=""),
    _text("instructions", server_default=""),
    Column("reads", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    Column("writes", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    _text("workspace", nullable=True),
    Column("active", Boolean, nullable=False, server_default=text("true")),
    _moment("suspended_at", nullable=True),
    _moment("tokens_from", default="'-infinity'"),
    schema="fleet",
)
beat = Table(
    "beat",
    metadata,
    Column("id", Uuid, primary_key=True),
    _text("author", ForeignKey("fleet.principal.name")),
    _text("topic"),
    _text("topic_key"),
    _text("body"),
    _text("audience", ForeignKey("fleet.audience.name")),
    _moment("created_at"),
    _moment("expires_at"),
    _moment("ended_at", nullable=True),
    _text("ended_as", nullable=True),
    schema="fleet",
)
Index("beat_one_live", beat.c.topic_key, beat.c.author, unique=True, postgresql_where=_LIVE)
Index("beat_live_author", beat.c.author, beat.c.id.desc(), postgresql_where=_LIVE)
Index("beat_live_audience", beat.c.audience, beat.c.id.desc(), postgresql_where=_LIVE)
Index("beat_audience", beat.c.audience, beat.c.id.desc())
Index("beat_topic", beat.c.topic_key, beat.c.id.desc())
Index("beat_author", beat.c.author, beat.c.id.desc())
handoff = Table(
    "handoff",
    metadata,
    Column("id", Uuid, primary_key=True),
    _text("sender", ForeignKey("fleet.principal.name")),
    _text("recipient", ForeignKey("fleet.principal.name")),
    _text("request"),
    _text("audience", ForeignKey("fleet.audience.name")),
    _text("status"),
    Column("flags", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    _moment("created_at"),
    _moment("due_at", nullable=True),
    _moment("updated_at"),
    _text("reply", nullable=True),
    schema="fleet",
)
Index("handoff_inbox", handoff.c.recipient, handoff.c.id.desc())
Index("handoff_outbox", handoff.c.sender, handoff.c.id.desc())
Index("handoff_audience", handoff.c.audience, handoff.c.id.desc())
transition = Table(
    "handoff_transition",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("handoff", Uuid, ForeignKey("fleet.handoff.id"), nullable=False),
    _text("from_status", nullable=True),
    _text("to_status"),
    _text("made_by", ForeignKey("fleet.principal.name")),
    _moment("made_at"),
    _text("reply", nullable=True),
    schema="fleet",
)
Index("handoff_transition_handoff", transition.c.handoff, transition.c.id)
Table(
    "idempotency",
    metadata,
    _text("principal", ForeignKey("fleet.principal.name"), primary_key=True),
    _text("key", primary_key=True),
    Column("request_sha256", LargeBinary, nullable=False),
    Column("status", SmallInteger, nullable=False),
    _text("answer"),
    _moment("created_at"),
    schema="fleet",
)
Table(
    "signing_key",
    metadata,
    _text("header", primary_key=True),
    _text("kid", unique=True),
    Column("ipad", LargeBinary, nullable=False),
    Column("opad", LargeBinary, nullable=False),
    Column("pepper", LargeBinary, nullable=False),
    _text("login"),
    _text("rol"),
    Column("must", JSONB, nullable=False),
    _moment("created_at", default="clock_timestamp()"),
    _moment("not_before"),
    _moment("not_after", default="'infinity'"),
    Column("revoked", Boolean, nullable=False, server_default=text("false")),
    schema="vault",
)
bearer = Table(
    "bearer",
    metadata,
    _text("id", primary_key=True),
    Column("sha256", LargeBinary, nullable=False, unique=True),
    _text("principal"),
    _text("label", server_default=""),
    _moment("created_at"),
    _moment("expires_at", default="'infinity'"),
    _moment("revoked_at", nullable=True),
    schema="vault",
)
Index("bearer_principal", bearer.c.principal)
Table(
    "applied",
    metadata,
    _text("file", primary_key=True),
    _text("sha256"),
    _moment("applied_at", default="clock_timestamp()"),
    schema="fence",
)
Table("casefold", metadata, _text("from_char", primary_key=True), _text("to_text"), schema="fence")
