"""Whether the keys, token files and roster of the data directory are the ones the database knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from fleetmem.admin import deployment, keys, roster_sync
from fleetmem.admin.doctor.finding import Finding, State
from fleetmem.config import Settings
from fleetmem.errors import FleetmemError
from fleetmem.fleet import claims, roster
from fleetmem.ids import bearer_sha256, is_bearer

_Connection = psycopg.Connection[Any]


def contents(connection: _Connection, settings: Settings) -> Iterator[Finding]:
    """Compare each secret's file with the database, and the roster's file with the one in force."""
    for rol, path in deployment.KEY_FILES.items():
        yield _key(connection, settings.home / path, rol.value)
    yield from _strange_keys(connection, settings.home)
    yield from _tokens(connection, settings.home / "tokens")
    try:
        declared = roster.parse(settings.roster.read_bytes(), name=settings.roster.name)
    except (OSError, FleetmemError):
        return  # told already
    waiting = roster_sync.plan(connection, declared).sentences()
    if waiting:
        remedy = "read `fleetmem roster plan`, then run `fleetmem roster sync`"
        yield Finding(State.OPEN, "roster", f"{len(waiting)} changes are not synced", remedy)
    else:
        yield Finding(State.SOUND, "roster", "is in force as declared")


def _key(connection: _Connection, path: Path, rol: str) -> Finding:
    what = f"{rol} key"
    try:
        registered = keys.is_registered(connection, claims.read_key(path.read_bytes()))
    except OSError as error:
        return Finding(State.OPEN, what, f"{path}: {error.strerror}", f"run `fleetmem key rotate {rol}`")
    except FleetmemError as error:
        return Finding(State.BROKEN, what, error.detail, f"run `fleetmem key rotate {rol}`")
    if registered:
        return Finding(State.SOUND, what, "the database believes it")
    return Finding(State.BROKEN, what, "the database does not know it", f"run `fleetmem key rotate {rol}`")


def _strange_keys(connection: _Connection, home: Path) -> Iterator[Finding]:
    """Look for a live key that no file here holds: whoever made it can sign for anybody with a live token."""
    held = []
    for path in deployment.KEY_FILES.values():
        try:
            held.append(claims.read_key((home / path).read_bytes()).kid)
        except (OSError, FleetmemError):
            continue  # told already
    query = "select kid from vault.signing_key where not revoked and not_after = 'infinity' and kid <> all (%s) order by kid"
    for (kid,) in connection.execute(query, [held]).fetchall():
        remedy = "if it is not of another data directory of this fleet, end it with `fleetmem key rotate`"
        yield Finding(State.OPEN, "signing keys", f"the database believes {kid}, which no file here holds", remedy)


def _tokens(connection: _Connection, folder: Path) -> Iterator[Finding]:
    query = (
        "select b.revoked_at is null and b.expires_at > clock_timestamp()"
        " and coalesce(p.active and b.created_at >= p.tokens_from, false)"
        " from vault.bearer b left join fleet.principal p on p.name = b.principal where b.sha256 = %s"
    )
    dead = []
    paths = [path for path in sorted(folder.glob("*.token")) if path.is_file()]
    for path in paths:
        secret = path.read_text(encoding="ascii", errors="replace").strip()
        row = connection.execute(query, [bearer_sha256(secret)]).fetchone() if is_bearer(secret) else None
        if row is None or not row[0]:
            dead.append(path.name)
    if dead:
        remedy = "issue new ones with `fleetmem token issue`, and remove the files"
        yield Finding(State.OPEN, "token files", f"no longer open anything: {', '.join(dead)}", remedy)
    elif paths:
        yield Finding(State.SOUND, "token files", f"{len(paths)}, each opens the gateway or the console")
