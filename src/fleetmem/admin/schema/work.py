"""Teams, and what they said and did."""

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    UniqueConstraint,
    Uuid,
    func,
    text,
)

from fleetmem.admin.schema.columns import metadata, moment, several, to, words

Table(
    "team",
    metadata,
    words("name", primary_key=True),
    words("description", server_default=""),
    several("audiences", None),
    Column("two_person", Boolean, nullable=False, server_default=text("false")),
    Column("active", Boolean, nullable=False, server_default=text("true")),
    Column("last_seq", BigInteger, nullable=False, server_default=text("0")),
    schema="fleet",
)
member = Table(
    "team_member",
    metadata,
    to("team", "team", primary_key=True),
    to("principal", "agent", primary_key=True),
    Column("position", SmallInteger, nullable=False),
    Column("active", Boolean, nullable=False, server_default=text("true")),
    schema="fleet",
)
Index("team_member_agent", member.c.agent)
task = Table(
    "task",
    metadata,
    Column("id", Uuid, primary_key=True),
    to("team", "team"),
    to("principal", "opened_by"),
    words("prompt"),
    to("audience", "audience"),
    words("status"),
    Column("opened_seq", BigInteger, nullable=False),
    moment("created_at"),
    moment("settled_at", nullable=True),
    schema="fleet",
)
Index("task_team", task.c.team, task.c.id.desc())
run = Table(
    "run",
    metadata,
    Column("id", Uuid, primary_key=True),
    to("task", "task"),
    to("team", "team"),
    to("principal", "agent"),
    to("audience", "audience"),
    Column("attempt", SmallInteger, nullable=False),
    words("node", nullable=True),
    words("instruction"),
    words("status"),
    words("output", nullable=True),
    words("failure", nullable=True),
    moment("started_at"),
    moment("settled_at", nullable=True),
    Column("spans", Integer),
    Column("errors", Integer),
    Column("input_tokens", BigInteger),
    Column("output_tokens", BigInteger),
    Column("duration_ms", BigInteger),
    schema="fleet",
)
Index("run_attempt", run.c.task, run.c.agent, func.coalesce(run.c.node, text("''")), run.c.attempt, unique=True)
Index("run_agent", run.c.agent, run.c.id.desc())
message = Table(
    "message",
    metadata,
    Column("id", Uuid, primary_key=True),
    to("team", "team"),
    Column("seq", BigInteger, nullable=False),
    to("task", "task", nullable=True),
    to("run", "run", nullable=True),
    to("principal", "author"),
    words("speaker"),
    words("body"),
    to("audience", "audience"),
    moment("created_at"),
    UniqueConstraint("team", "seq", name="message_seq"),
    schema="fleet",
)
Index("message_task", message.c.task, message.c.id)
Index("message_audience", message.c.team, message.c.audience, message.c.id)
Index("message_author", message.c.author, message.c.id.desc())
Table(
    "span",
    metadata,
    to("run", "run", primary_key=True),
    Column("seq", Integer, primary_key=True),
    words("kind"),
    words("name"),
    words("body", server_default=""),
    Column("is_error", Boolean, nullable=False, server_default=text("false")),
    Column("input_tokens", BigInteger),
    Column("output_tokens", BigInteger),
    moment("started_at", nullable=True),
    moment("ended_at", nullable=True),
    moment("arrived_at"),
    schema="fleet",
)
_NO_IDS = text("'{}'")
Table(
    "context_injection",
    metadata,
    Column("run", Uuid, ForeignKey("fleet.run.id"), primary_key=True),
    Column("from_seq_exclusive", BigInteger, nullable=False),
    Column("to_seq_inclusive", BigInteger, nullable=False),
    Column("messages", ARRAY(Uuid), nullable=False, server_default=_NO_IDS),
    Column("dependencies", ARRAY(Uuid), nullable=False, server_default=_NO_IDS),
    Column("withheld", ARRAY(Uuid), nullable=False, server_default=_NO_IDS),
    Column("text_sha256", LargeBinary, nullable=False),
    moment("created_at"),
    schema="fleet",
)
