"""Take away what runs have made: every row of their principals, and nothing else, in one transaction.

Records are never deleted, and triggers see to it. For this the owner switches those triggers off, deletes the rows whose
names begin with the run's prefix, and switches them on again before anyone else can write: ALTER TABLE holds the writers'
lock until the transaction ends, and if it breaks off, nothing of it happened. Only a superuser steps over FORCE, so on a
server managed by somebody else the records stay; their principals are deactivated, and tokens and keys go all the same.
"""

import time
from dataclasses import dataclass, field
from typing import Final

import psycopg

from fleetmem.admin import policies
from fleetmem.admin.prove import cast
from fleetmem.admin.prove.setting import Connection, acting_as
from fleetmem.errors import Unavailable

_ATTEMPTS: Final = 20
_PAUSE_S: Final = 0.25
_PATIENCE: Final = "set local lock_timeout = '2s'"
# In the order that references allow. Records are found by their principals' names, which are indexed; a real agent's handoff
# to a throw-away one goes too, since it could not stay.
_PARTY: Final = "sender = any (%(names)s) or recipient = any (%(names)s)"
_OF_TEAMS: Final = "team = any (%(teams)s)"
_RUNS: Final = f"select r.id from fleet.task t join fleet.run r on r.task = t.id where t.{_OF_TEAMS}"
_ROWS: Final = (
    ("fleet.handoff_transition", f"handoff in (select id from fleet.handoff where {_PARTY})"),
    ("fleet.handoff", _PARTY),
    ("fleet.beat", "author = any (%(names)s)"),
    ("fleet.idempotency", "principal = any (%(names)s)"),
    # A team's words, and what a hole would have let in besides; memories are never committed.
    ("fleet.span", f"run in ({_RUNS})"),
    ("fleet.context_injection", f"run in ({_RUNS})"),
    ("fleet.message", _OF_TEAMS),
    ("fleet.run", f"id in ({_RUNS})"),
    ("fleet.task", _OF_TEAMS),
    ("fleet.team_member", _OF_TEAMS),
    ("fleet.team", "name = any (%(teams)s)"),
    ("fleet.principal", "name ~ %(run)s"),
    ("fleet.audience", "name ~ %(run)s"),
)
_VAULT: Final = (
    ("vault.bearer", "principal ~ %(run)s or label ~ %(run)s"),
    ("vault.signing_key", "kid ~ %(run)s"),
)


@dataclass(frozen=True, slots=True)
class Left:
    """What is still there after a removal: rows by table, and what is wrong with the fence. Empty is as it should be.

    `is_for_good`: the owner's login may not delete them here; their principals are inactive.
    """

    rows: dict[str, int] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    is_for_good: bool = False

    @property
    def is_all_that_can_be(self) -> bool:
        """Whether everything is gone that can go, tokens and keys always, and the fence is whole."""
        secrets = any(table.startswith("vault.") for table in self.rows)
        return not self.faults and not secrets and (self.is_for_good or not self.rows)


def is_superuser(connection: Connection) -> bool:
    """Whether the owner's connection steps over row security and owns the catalogue."""
    row = connection.execute("select rolsuper from pg_roles where rolname = current_user").fetchone()
    return row == (True,)


def remove(connection: Connection, run: str | None = None) -> Left:
    """Remove one run's rows, or every run's; returns what is left.

    Raises:
        Unavailable: somebody held a lock for all that time; nothing was removed, and the next run will.
    """
    work = _delete if is_superuser(connection) else _deactivate
    for _ in range(_ATTEMPTS):
        try:
            with connection.transaction():
                connection.execute(_PATIENCE)
                work(connection, _which(connection, run))
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
            time.sleep(_PAUSE_S)
        else:
            return left(connection, run)
    raise Unavailable("what the proof made could not be removed: a lock was held too long; run `fleetmem prove` again")


def left(connection: Connection, run: str | None = None) -> Left:
    """Count what is still there of a run, or of every run, and look whether the fence is whole."""
    which = _which(connection, run)
    counted = {
        table: connection.execute(f"select count(*) from {table} where {rows}".encode(), which).fetchone()
        for table, rows in (*_ROWS, *_VAULT)
    }
    there = {table: int(str(row[0])) for table, row in counted.items() if row and row[0]}
    return Left(there, tuple(policies.lint(connection)), is_for_good=not is_superuser(connection))


def _which(connection: Connection, run: str | None) -> dict[str, object]:
    """Say whose rows are meant: by pattern, and by the names that there are."""
    pattern = cast.pattern(run)
    names = connection.execute("select name from fleet.principal where name ~ %s", [pattern]).fetchall()
    teams = connection.execute("select name from fleet.team where name ~ %s", [pattern]).fetchall()
    return {"run": pattern, "names": [str(row[0]) for row in names], "teams": [str(row[0]) for row in teams]}


def _delete(connection: Connection, which: dict[str, object]) -> None:
    switched = [(table, str(name)) for table, _ in _ROWS for name in _refusing(connection, table)]
    if connection.execute(f"select {_anything()}".encode(), which).fetchone() == (False,):
        return
    for table, name in switched:
        connection.execute(f"alter table {table} disable trigger {name}".encode())
    for table, rows in (*_ROWS, *_VAULT):
        connection.execute(f"delete from {table} where {rows}".encode(), which)
    for table, name in switched:
        connection.execute(f"alter table {table} enable always trigger {name}".encode())


def _anything() -> str:
    return " or ".join(f"exists (select from {table} where {rows})" for table, rows in (*_ROWS, *_VAULT))


def _refusing(connection: Connection, table: str) -> list[object]:
    rows = connection.execute(
        "select tgname from pg_trigger where tgrelid = to_regclass(%s) and tgfoid = 'fence.never()'::regprocedure",
        [table],
    )
    return [row[0] for row in rows.fetchall()]


def _deactivate(connection: Connection, which: dict[str, object]) -> None:
    with acting_as(connection, "fleetmem_owner"):
        connection.execute("update fleet.team set active = false where name = any (%(teams)s) and active", which)
        connection.execute("update fleet.principal set active = false where name ~ %(run)s and active", which)
        connection.execute("update fleet.audience set active = false where name ~ %(run)s and active", which)
    with acting_as(connection, "fleetmem_verifier"):
        for table, rows in _VAULT:
            connection.execute(f"delete from {table} where {rows}".encode(), which)
