"""A list is walked by index, an audience at a time; it must hold exactly what the policies let through, newest first."""

import json
import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import psycopg
import pytest

from fleetmem.admin import tokens
from fleetmem.fleet import claims
from fleetmem.ids import decode_cursor
from tests.store.door import Door

# Who reads and who writes where: alike, apart, nothing to read, nothing to write.
AGENTS = {
    "both": (["open", "health"], ["open", "health"]),
    "apart": (["open"], ["open", "finance"]),
    "blind": ([], ["open", "health"]),
    "mute": (["open", "health", "finance"], []),
}
PAGE = 7
BEATS = """
insert into fleet.beat (id, author, topic, topic_key, body, audience, created_at, expires_at, ended_at, ended_as)
select fence.new_id(at), (%(agents)s::text[])[1 + g * 7 %% 4], 'Topic ' || g %% 23, 'topic ' || g %% 23, 'body',
       (array['open', 'health', 'finance'])[1 + g * 5 %% 3], at, at + life,
       case when g %% 3 > 0 then at + interval '1 second' end,
       case when g %% 3 > 0 then (array['superseded', 'retracted'])[g %% 3] end
  from (select g, clock_timestamp() - g * interval '1 minute' as at,
               case when g %% 5 = 0 then interval '30 seconds' else interval '60 days' end as life
          from generate_series(1, 700) g) s
on conflict do nothing
"""
HANDOFFS = """
insert into fleet.handoff (id, sender, recipient, request, audience, status, created_at, due_at, updated_at)
select fence.new_id(at), (%(agents)s::text[])[1 + g %% 4], (%(agents)s::text[])[1 + (g + 1 + g %% 3) %% 4], 'please',
       (array['open', 'health', 'finance'])[1 + g * 5 %% 3],
       (array['open', 'accepted', 'declined', 'done', 'failed', 'withdrawn'])[1 + g * 11 %% 6],
       at, case when g %% 4 > 0 then at + g %% 4 * interval '1 hour' end, at
  from (select g, clock_timestamp() - g * interval '1 minute' as at from generate_series(1, 400) g) s
"""
VISIBLE_BEATS = """
select b.id::text from fleet.beat b
 where (%(topic)s::text is null or b.topic_key = fence.topic_key(%(topic)s))
   and (%(author)s::text is null or b.author = %(author)s) and (%(audience)s::text is null or b.audience = %(audience)s)
   and (%(since)s::timestamptz is null or b.id >= fence.first_id(%(since)s))
   and (not %(live)s or b.ended_at is null and b.expires_at > statement_timestamp())
 order by b.id desc
"""
VISIBLE_HANDOFFS = """
select h.id::text from fleet.handoff h
 where (%(box)s <> 'inbox' or h.recipient = %(me)s) and (%(box)s <> 'outbox' or h.sender = %(me)s)
   and (%(status)s::text is null or h.status = %(status)s)
   and (not %(overdue)s or h.due_at < statement_timestamp() and h.status in ('open', 'accepted'))
 order by h.id desc
"""
Connection = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture(scope="module")
def claims_of(door: Door) -> dict[str, str]:
    with psycopg.connect(**door.database.psycopg()) as owner:
        owner.execute("set local session_replication_role = replica")
        bearers = {}
        for name, (reads, writes) in AGENTS.items():
            owner.execute(
                "insert into fleet.principal (name, rol, reads, writes) values (%s, 'agent', %s, %s)",
                [name, reads, writes],
            )
            bearers[name], _ = tokens.issue(owner, name)
        for statement in (BEATS, HANDOFFS):
            owner.execute(statement, {"agents": list(AGENTS)})
    now = time.time()  # noqa: TID251 -- a claim is minted now
    return {name: claims.mint(door.key, name, bearer, now) for name, bearer in bearers.items()}


@pytest.fixture(scope="module")
def gateway(door: Door) -> Iterator[Connection]:
    login = {"user": "fleetmem_gateway", "password": door.cluster.password_of("fleetmem_gateway")}
    with psycopg.connect(**{**door.database.psycopg(), **login}, autocommit=True) as connection:  # type: ignore[arg-type]
        yield connection


def seen(gateway: Connection, claim: str, statement: str, values: dict[str, object]) -> list[str]:
    """What the policies alone let through, in one piece."""
    with gateway.transaction():
        gateway.execute(
            "select set_config('role', 'fleetmem_agent', true), set_config('fence.token', %s, true)", [claim]
        )
        return [row[0] for row in gateway.execute(statement.encode(), values)]


def paged(gateway: Connection, statement: str, values: dict[str, object]) -> list[str]:
    """What a list answers, all its pages one after another."""
    found: list[str] = []
    before = None
    while True:
        row = gateway.execute(statement.encode(), {**values, "before": before, "size": PAGE}).fetchone()
        assert row is not None
        page = json.loads(row[0])
        found += [item["id"] for item in page["items"]]
        if page["next"] is None:
            return found
        assert len(page["items"]) == PAGE
        before = decode_cursor(page["next"])


@pytest.mark.parametrize("name", AGENTS)
def test_a_list_of_beats_holds_what_its_reader_may_see_and_nothing_else(
    gateway: Connection, claims_of: dict[str, str], name: str
) -> None:
    sizes = set()
    for topic, author, audience, since, live in product(
        (None, "TOPIC 6"),
        (None, *AGENTS),
        (None, "open", "finance"),
        (None, "now() - interval '3 hours'"),
        (True, False),
    ):
        moment = None if since is None else gateway.execute(f"select {since}".encode()).fetchone()
        asked: dict[str, object] = {"topic": topic, "author": author, "audience": audience, "live": live}
        asked |= {"since": moment and moment[0], "claim": claims_of[name]}
        shown = paged(
            gateway,
            "select api.beat_list(%(claim)s, %(topic)s, %(author)s, %(audience)s, %(since)s, %(live)s, %(before)s, %(size)s)",
            asked,
        )
        assert shown == seen(gateway, claims_of[name], VISIBLE_BEATS, asked), asked
        sizes.add(len(shown))
    assert max(sizes) > 3 * PAGE, "several pages, or nothing was tried"


@pytest.mark.parametrize("name", AGENTS)
def test_a_box_of_handoffs_holds_what_belongs_in_it_and_nothing_else(
    gateway: Connection, claims_of: dict[str, str], name: str
) -> None:
    sizes = set()
    for box, status, overdue in product(
        ("inbox", "outbox", "visible"), (None, "open", "accepted", "done", "withdrawn"), (True, False)
    ):
        asked: dict[str, object] = {"box": box, "status": status, "overdue": overdue, "me": name}
        shown = paged(
            gateway,
            "select api.handoff_list(%(claim)s, %(box)s, %(status)s, %(overdue)s, %(before)s, %(size)s)",
            asked | {"claim": claims_of[name]},
        )
        assert shown == seen(gateway, claims_of[name], VISIBLE_HANDOFFS, asked), asked
        sizes.add(len(shown))
    assert max(sizes) > 3 * PAGE, "several pages, or nothing was tried"
