"""What pgbench runs: the gateway's own two statements, and the same work as separate ones."""

from typing import Final

# A null key: the write is not remembered, as in the requests that the gateway is sent.
_HASH: Final = r"'\x" + 32 * "00" + "'"
# Each client has topics of its own, so that what is measured is writing and not waiting for one another.
_TOPIC: Final = "\\set topic :client_id * 128 + random(0, 127)\n"
BODY: Final = "The engineer comes on Thursday between nine and eleven; the water is off until noon."
AUDIENCE: Final = "open"
TEAM: Final = "household"
MESSAGE: Final = {"body": BODY, "audience": AUDIENCE}

READ: Final = "select api.beat_list(:claim, null, null, null, null, true, null, 20);\n"
WRITE: Final = (
    f"{_TOPIC}select status, doc, replayed"
    f" from api.beat_publish(:claim, null, {_HASH}, 'topic ' || :topic, '{BODY}', '{AUDIENCE}', null);\n"
)
SAY: Final = (
    f"select status, doc, replayed from api.message_post(:claim, null, {_HASH}, '{TEAM}', '{BODY}', '{AUDIENCE}', 'agent',"
    " null, null, '{}');\n"
)

_OPEN: Final = (
    "begin;\n"
    "select set_config('role', 'fleetmem_agent', true), set_config('fence.token', :claim, true);\n"
    "select name from fence.require('agent');\n"
)
NEWEST: Final = """
select n.* from unnest((select fence.read_set())) a (name) cross join lateral (
  select b.id, b.author, b.topic, b.body, b.audience, b.created_at, b.expires_at, b.ended_at from fleet.beat b
   where b.audience = a.name and b.ended_at is null and b.expires_at > statement_timestamp()
   order by b.id desc limit 20) n order by n.id desc limit 20"""
READ_SEPARATELY: Final = f"{_OPEN}{NEWEST.strip()};\ncommit;\n"
WRITE_SEPARATELY: Final = (
    f"{_TOPIC}{_OPEN}insert into fleet.beat (topic, body, audience)"
    f" values ('topic ' || :topic, '{BODY}', '{AUDIENCE}') returning id, created_at;\ncommit;\n"
)
