"""The ledger in the database: one chain whoever writes at once, nobody's to change, and whatever a superuser did to it is named."""

import asyncio
import hashlib
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from fleetmem.admin import ledger as direct
from fleetmem.memory import ledger
from fleetmem.memory.ledger import Entry, Fault, Pin
from tests.clusters import Cluster
from tests.databases import Databases
from tests.memory import Memory
from tests.store.door import make_door

ROLES = (
    "fleetmem_gateway",
    "fleetmem_agent",
    "fleetmem_console",
    "fleetmem_operator",
    "fleetmem_worker",
    "fleetmem_auditor",
    "fleetmem_backup",
    "fleetmem_scribe",
    "fleetmem_verifier",
    "fleetmem_owner",
)
CHANGES = (
    "update fleet.ledger set reason = 'x'",
    "update fleet.ledger set hash = hash",
    "delete from fleet.ledger",
    "truncate fleet.ledger",
)
APPENDS = (
    "insert into fleet.ledger values (1000000, now(), 'granted', null, null, 'x', null, '{}', sha256(''), sha256(''))",
    "select fence.tell('granted', null, 'health', null, null)",
)
HOSTILE = ("", "a", "3:abc,", "-", "é\u0301", "\U0001f600", "line\nbreak", "'; --", "\u202e", "0:,")


@pytest.fixture(scope="module")
def memory(postgres_cluster: Cluster, databases: Databases) -> Memory:
    database = databases.fresh(postgres_cluster)
    make_door(postgres_cluster, database)
    made = Memory(postgres_cluster, database)
    made.team("web", ["finance", "health"], ["open"])
    for each in range(6):
        told = made.told("web", [("finance", f"Fact {each}."), ("health", "Noted.")])
        made.propose(told, recipients=["finance"], denials={"health": "below_threshold"})
    return made


def entries(memory: Memory) -> list[Entry]:
    return list(direct.entries(memory.database.psycopg()))


def test_what_the_triggers_wrote_is_whole(memory: Memory) -> None:
    found = ledger.verify(entries(memory))
    assert found.is_whole
    assert found.rows >= 18


@pytest.mark.parametrize("text", HOSTILE)
def test_both_sides_hash_the_same_bytes(memory: Memory, text: str) -> None:
    detail = '{"a": "' + text.replace("\n", "\\n") + '", "score": 0.91234, "deep": [1, null, {"b": 1e400}]}'
    row = memory.rows(
        "select (x.l).at, (x.l).detail::text, fence.ledger_bytes(x.l) from (select (7, '2027-03-01 09:14:00.5+02'::timestamptz,"
        " %s::text, %s::uuid, %s::text, %s::text, nullif(%s, 'a')::text, %s::jsonb, sha256('x'), sha256('y'))::fleet.ledger as l) x",
        *(text, str(uuid.UUID(int=7)) if text else None, text or None, text, text, detail),
    )
    [(at, kept, octets)] = row
    entry = Entry(
        seq=7,
        at=at,
        event=text,
        note=uuid.UUID(int=7) if text else None,
        agent=text or None,
        actor=text,
        reason=None if text == "a" else text,
        detail=kept,
        prev=hashlib.sha256(b"x").digest(),
        hash=b"",
    )
    assert ledger.canonical(entry) == octets
    assert at == datetime(2027, 3, 1, 7, 14, 0, 500_000, UTC)


def test_twenty_five_writers_at_once_leave_no_gap_and_no_fork(memory: Memory) -> None:
    told = [memory.told("web", [("finance", f"At once {each}."), ("health", "Noted.")]) for each in range(25)]
    before = len(entries(memory))
    together = threading.Barrier(25)

    def write(number: int) -> None:
        together.wait()
        memory.propose(told[number], recipients=["finance", "health"], preview=False)

    with ThreadPoolExecutor(25) as pool:
        list(pool.map(write, range(25)))
    after = entries(memory)
    assert len(after) - before == 75
    assert ledger.verify(after).is_whole
    assert [each.seq for each in after] == list(range(1, len(after) + 1))
    assert len({each.prev for each in after}) == len(after)


@pytest.mark.parametrize("role", ROLES)
def test_no_role_changes_a_row_by_right_or_past_a_trigger(memory: Memory, role: str) -> None:
    whole = memory.ledger()
    for change in CHANGES:
        with psycopg.connect(**memory.database.psycopg(), autocommit=True) as connection:
            connection.execute(f"set role {role}")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(change)
    for change in CHANGES:  # the same with every right there is: the trigger alone is in the way
        with psycopg.connect(**memory.database.psycopg()) as connection:
            connection.execute(f"grant usage on schema fleet to {role}")
            connection.execute(f"grant all on fleet.ledger to {role}")
            connection.execute(
                f"create policy any_change on fleet.ledger for all to {role} using (true) with check (true)"
            )
            connection.execute(f"set local role {role}")
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="is never allowed"):
                connection.execute(change)
            connection.rollback()
    assert memory.ledger() == whole


def test_a_superuser_in_replica_mode_meets_the_trigger_too(memory: Memory) -> None:
    for change in CHANGES:
        with memory.past() as past, pytest.raises(psycopg.errors.InsufficientPrivilege, match="is never allowed"):
            past.execute(change)


@pytest.mark.parametrize("role", [role for role in ROLES if role != "fleetmem_scribe"])
def test_no_role_but_the_scribe_appends(memory: Memory, role: str) -> None:
    with psycopg.connect(**memory.database.psycopg(), autocommit=True) as connection:
        connection.execute(f"set role {role}")
        for statement in APPENDS:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


@pytest.fixture
def tampering(memory: Memory) -> Iterator[psycopg.Connection[Any]]:
    """A superuser who turned the triggers off, and whose doings are undone."""
    with psycopg.connect(**memory.database.psycopg()) as connection:
        connection.execute("alter table fleet.ledger disable trigger all")
        yield connection
        connection.rollback()


def named(connection: psycopg.Connection[Any], pin: Pin | None = None) -> list[tuple[int, Fault]]:
    return [(each.seq, each.fault) for each in ledger.verify(direct.read(connection), pin=pin).findings]


@pytest.mark.parametrize(
    "edit",
    [
        "reason = 'because'",
        "agent = 'health'",
        "actor = 'olga'",
        "note = null",
        "event = 'landed'",
        "at = at + interval '1 microsecond'",
        "detail = detail || '{\"score\": 0.5}'",
        "prev = sha256(prev)",
        "hash = sha256(hash)",
    ],
)
def test_an_edited_row_is_named(tampering: psycopg.Connection[Any], edit: str) -> None:
    tampering.execute(f"update fleet.ledger set {edit} where seq = 5")
    assert (5, Fault.EDITED) in named(tampering)


def test_a_removed_row_is_named(tampering: psycopg.Connection[Any]) -> None:
    tampering.execute("delete from fleet.ledger where seq in (4, 9)")
    assert named(tampering) == [(4, Fault.REMOVED), (9, Fault.REMOVED)]


def test_a_removed_row_whose_numbers_were_closed_up_is_seen(tampering: psycopg.Connection[Any]) -> None:
    tampering.execute("delete from fleet.ledger where seq = 4")
    tampering.execute("update fleet.ledger set seq = -seq where seq > 4")
    tampering.execute("update fleet.ledger set seq = -seq - 1 where seq < 0")
    assert named(tampering)[0][0] == 4


def test_swapped_rows_are_named(tampering: psycopg.Connection[Any]) -> None:
    tampering.execute("update fleet.ledger set seq = case seq when 3 then -7 else -3 end where seq in (3, 7)")
    tampering.execute("update fleet.ledger set seq = -seq where seq < 0")
    assert {(3, Fault.SWAPPED), (7, Fault.SWAPPED)} <= set(named(tampering))


def test_an_inserted_row_is_named(tampering: psycopg.Connection[Any]) -> None:
    copy = "select %s, at, event, note, agent, actor, reason, detail, prev, hash from fleet.ledger where seq = 2"
    last = tampering.execute("select max(seq) from fleet.ledger").fetchone()
    assert last is not None
    tampering.execute("insert into fleet.ledger " + copy, [0])
    tampering.execute("insert into fleet.ledger " + copy, [last[0] + 1])
    assert named(tampering) == [(0, Fault.INSERTED), (last[0] + 1, Fault.EDITED)]


def test_a_cut_off_end_is_named_against_a_pin(tampering: psycopg.Connection[Any], memory: Memory) -> None:
    pin = ledger.verify(entries(memory)).head
    tampering.execute("delete from fleet.ledger where seq > %s", [pin.seq - 3])
    assert named(tampering) == []
    assert named(tampering, pin) == [(pin.seq - 2, Fault.TRUNCATED)]


def test_the_owner_who_is_no_superuser_reads_every_row(memory: Memory) -> None:
    with psycopg.connect(**memory.database.psycopg()) as connection:
        connection.execute("set local role fleetmem_auditor")
        rows = list(direct.read(connection))
    assert len(rows) == len(memory.ledger())


async def test_a_decision_waits_for_the_one_before_it(memory: Memory) -> None:
    told = memory.told("web", [("finance", "One after the other."), ("health", "Noted.")])
    with memory.worker() as first, first.transaction():
        first.execute("select fence.ledger_lock()")
        second = asyncio.create_task(asyncio.to_thread(memory.propose, told, recipients=["finance"]))
        await asyncio.sleep(0.2)
        assert not second.done()
    await second
    assert ledger.verify(entries(memory)).is_whole
