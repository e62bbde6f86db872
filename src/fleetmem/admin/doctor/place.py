"""What the data directory and the roster's file show."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from fleetmem.admin.doctor.finding import Finding, State
from fleetmem.config import Settings
from fleetmem.errors import FleetmemError
from fleetmem.fleet import roster


def files(home: Path) -> Iterator[Finding]:
    """Look for secrets that others on this machine could read."""
    if not home.exists():
        yield Finding(State.OPEN, "data directory", f"{home} does not exist", "`fleetmem up` makes it")
        return
    private = [home, home / "secrets", home / "tokens", *(home / "secrets").glob("*")]
    kept = [*(home / "secrets").rglob("*"), *(home / "tokens").glob("*")]
    loose = [path for path in private if path.is_dir() and stat.S_IMODE(path.stat().st_mode) & 0o077]
    loose += [path for path in kept if path.is_file() and stat.S_IMODE(path.stat().st_mode) & 0o177]
    for path in loose:
        mode = stat.S_IMODE(path.stat().st_mode)
        remedy = f"chmod {'700' if path.is_dir() else '600'} '{path}'"
        yield Finding(State.BROKEN, "secret files", f"{path} is open to others (mode {mode:o})", remedy)
    if not loose:
        yield Finding(State.SOUND, "secret files", f"all below {home} are yours alone")


def roster_file(settings: Settings) -> Iterator[Finding]:
    """Look whether the roster can be read at all."""
    try:
        declared = roster.parse(settings.roster.read_bytes(), name=settings.roster.name)
    except OSError as error:
        yield Finding(State.OPEN, "roster", f"{settings.roster}: {error.strerror}", "`fleetmem init` writes one")
    except FleetmemError as error:
        yield Finding(State.BROKEN, "roster", error.detail, "mend the lines named")
    else:
        yield Finding(State.SOUND, "roster", f"{len(declared.roles())} principals, {len(declared.audiences)} audiences")
