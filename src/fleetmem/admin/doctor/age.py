"""How long ago: each signing key was made, the fence was proven here, a backup was last seen to restore."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import psycopg

from fleetmem.admin.doctor.finding import Finding, State

KEY_AT_MOST: Final = timedelta(days=180)
REPORT_AT_MOST: Final = timedelta(days=31)

_KEYS: Final = """
select rol, clock_timestamp() - max(created_at) from vault.signing_key
 where not revoked and not_after = 'infinity' group by rol order by rol
"""


Told = TypeVar("Told", bound=msgspec.Struct)


class _Proof(msgspec.Struct):
    """What a report of `fleetmem prove` says of itself."""

    started_at: datetime
    holds: bool


class _Drill(msgspec.Struct):
    """What a report of `fleetmem drill` says of itself."""

    at: datetime
    green: bool


def keys(connection: psycopg.Connection[Any]) -> Iterator[Finding]:
    """Look how long each kind of signing key has been in use."""
    for rol, age in connection.execute(_KEYS).fetchall():
        if age > KEY_AT_MOST:
            yield Finding(State.OPEN, f"{rol} key", f"is {age.days} days old", f"run `fleetmem key rotate {rol}`")
        else:
            yield Finding(State.SOUND, f"{rol} key", f"is {age.days} days old")


def reports(reports_folder: Path, now: datetime) -> Iterator[Finding]:
    """Look for the newest proof and the newest drill of this data directory, and at what they found."""
    proof = _newest(reports_folder, "prove", _Proof)
    yield _told("last proof", (proof.started_at, proof.holds) if proof else None, "run `fleetmem prove`", now)
    drill = _newest(reports_folder, "drill", _Drill)
    yield _told("last drill", (drill.at, drill.green) if drill else None, "run `fleetmem drill`", now)


def _told(what: str, found: tuple[datetime, bool] | None, remedy: str, now: datetime) -> Finding:
    if found is None:
        return Finding(State.OPEN, what, "there is no report of one here", remedy)
    at, passed = found
    when = f"{at:%Y-%m-%d %H:%M} UTC"
    if not passed:
        return Finding(State.BROKEN, what, f"{when}: it failed; its report is in the reports folder", remedy)
    if now - at > REPORT_AT_MOST:
        return Finding(State.OPEN, what, f"{when}: {(now - at).days} days ago", remedy)
    return Finding(State.SOUND, what, f"{when}: everything held")


def _newest(folder: Path, kind: str, form: type[Told]) -> Told | None:
    """Return the newest report of its kind that can be read; their names sort by time."""
    for path in sorted(folder.glob(f"{kind}-*.json"), reverse=True):
        try:
            return msgspec.json.decode(path.read_bytes(), type=form)
        except (OSError, msgspec.DecodeError):
            continue
    return None
