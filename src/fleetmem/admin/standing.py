"""Suspend somebody, and let them back: the owner's counterpart to what an operator does in the console.

The row `fence._who` reads at every statement is the one that changes here, so it takes effect at the next statement,
whatever the suspended one holds or a gateway has cached. A roster sync leaves a suspension as it is.
"""

from dataclasses import dataclass
from datetime import datetime

import psycopg

from fleetmem.errors import Absent


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Whether somebody may act: since when not, or None; and whether this call is what changed it."""

    name: str
    suspended_at: datetime | None
    changed: bool
    live_tokens: int


def suspend(connection: psycopg.Connection[tuple[object, ...]], name: str) -> Standing:
    """Refuse everything somebody asks from the next statement on; doing it again keeps the first moment.

    Raises:
        Absent: the roster in the database has no active principal of that name.
    """
    return _set(connection, name, suspended=True)


def resume(connection: psycopg.Connection[tuple[object, ...]], name: str) -> Standing:
    """Let somebody back in, with the tokens that are still live.

    Raises:
        Absent: the roster in the database has no active principal of that name.
    """
    return _set(connection, name, suspended=False)


def _set(connection: psycopg.Connection[tuple[object, ...]], name: str, *, suspended: bool) -> Standing:
    before = connection.execute(
        "select suspended_at from fleet.principal where name = %s and active for update", [name]
    ).fetchone()
    if before is None:
        raise Absent(f"the roster has no active {name!r}, who therefore has no access", field="name")
    changed = (before[0] is None) is suspended
    if changed:
        connection.execute(
            "update fleet.principal set suspended_at = case when %s then clock_timestamp() end where name = %s",
            [suspended, name],
        )
    row = connection.execute(
        "select p.name, p.suspended_at, (select count(*) from vault.bearer b where b.principal = p.name"
        " and b.revoked_at is null and b.expires_at > clock_timestamp() and b.created_at >= p.tokens_from)"
        " from fleet.principal p where p.name = %s",
        [name],
    ).fetchone()
    assert row is not None  # noqa: S101 -- it was just locked
    return Standing(name=row[0], suspended_at=row[1], changed=changed, live_tokens=row[2])  # type: ignore[arg-type]
