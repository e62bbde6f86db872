"""The ledger's part in a backup: where it stood, and whether what was restored is that chain and no other."""

from collections.abc import Iterator
from typing import Any, Final

import psycopg

from fleetmem.memory import ledger
from fleetmem.memory.ledger import Entry, Pin

ABSENT: Final = "absent"
_AT_ONCE: Final = 2_000
_MOST_TOLD: Final = 5
_ROWS: Final = (
    "select seq, at, event, note, agent, actor, reason, detail::text, prev, hash from fleet.ledger order by seq"
)
_HEAD: Final = "select seq, encode(hash, 'hex') from fleet.ledger order by seq desc limit 1"


def head(connection: psycopg.Connection[Any]) -> str:
    """Where the ledger stands, as `NUMBER HASH` (hex); number 0 while it is empty, "absent" where there is none."""
    if connection.execute("select to_regclass('fleet.ledger')").fetchone() == (None,):
        return ABSENT
    row = connection.execute(_HEAD).fetchone()
    return f"0 {ledger.GENESIS.hex()}" if row is None else f"{row[0]} {row[1]}"


def pinned(said: str) -> Pin | None:
    """The pin that a manifest holds; None where the fleet had no ledger.

    Raises:
        ValueError: it is no number and hash.
    """
    if said == ABSENT:
        return None
    seq, _, digest = said.partition(" ")
    return Pin(int(seq), bytes.fromhex(digest))


def faults(connection: psycopg.Connection[Any], said: str) -> tuple[str, ...]:
    """What is wrong with the chain, each in words; `said` is the head that it must have, from a manifest."""
    try:
        pin = pinned(said)
    except ValueError:
        return (f"the manifest's ledger head is {said!r}, which is none",)
    if pin is None:
        return ()
    verified = ledger.verify(_entries(connection), pin=pin)
    wrong = [each.detail for each in verified.findings[:_MOST_TOLD]]
    if not wrong and verified.head != pin:
        wrong.append(f"the ledger ends at row {verified.head.seq}, and the backup's at row {pin.seq}")
    return tuple(wrong)


def _entries(connection: psycopg.Connection[Any]) -> Iterator[Entry]:
    with connection.cursor(name="ledger") as cursor:
        cursor.itersize = _AT_ONCE
        cursor.execute(_ROWS)
        for seq, at, event, note, agent, actor, reason, detail, prev, digest in cursor:
            yield Entry(seq=seq, at=at, event=event, note=note, agent=agent, actor=actor, reason=reason, detail=detail,
                        prev=prev, hash=digest)  # fmt: skip
