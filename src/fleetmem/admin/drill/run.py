"""Run a drill from a backup (made now, or given) to a report, and leave nothing behind."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final, cast

import psycopg

from fleetmem.admin import backup as backups
from fleetmem.admin import database, deployment, up, verify
from fleetmem.admin.backup import Manifest
from fleetmem.admin.backup.workplace import forget, workplace
from fleetmem.admin.database import Conninfo
from fleetmem.admin.deployment import Say
from fleetmem.admin.drill import day, proof, steps
from fleetmem.admin.drill.limits import TimeLimit, bounded
from fleetmem.admin.drill.log import Log
from fleetmem.admin.drill.report import Drill
from fleetmem.admin.drill.steps import Copy
from fleetmem.admin.postgres import EmbeddedPostgres
from fleetmem.admin.verify.scratch import abandoned, keeper, scratch
from fleetmem.config import Settings
from fleetmem.errors import ConfigInvalid, FleetmemError, SetupInvalid
from fleetmem.fleet import claims
from fleetmem.fleet.agent import Rol

_STEPS: Final = 10
_OF_THE_SERVER: Final = frozenset({"role", "role attribute", "role limits", "membership", "role setting"})


def run(
    settings: Settings,
    conninfo: Conninfo,
    *,
    now: datetime,
    say: Say,
    file: Path | None = None,
    separate_server: bool = False,
    time_limit_s: float | None = None,
    clock: Callable[[], float],
    prove: proof.Proof | None = None,
) -> Drill:
    """Drill the fleet whose database `conninfo` names, or the backup `file`; the report is the caller's to write.

    What goes wrong makes a red drill, not an exception: a restore that fails is what a drill is there to find.

    Raises:
        KeyboardInterrupt: Ctrl-C or SIGTERM; everything made is removed first.
        SetupInvalid: the live server's roles are not as declared, which restoring beside them would change.
    """
    if not separate_server:
        _check_roles(settings, conninfo)
    log, manifest, counts, stopped = Log(say, _STEPS), None, dict[str, tuple[int, int]](), ""
    attacks = prove or partial(proof.prove, clock=clock, cache=settings.home / "run")
    control = prove or partial(proof.prove, clock=clock, sections=proof.READING)
    with bounded(time_limit_s):
        try:
            with ExitStack() as undo:
                made = _backup(log, settings, conninfo, file=file, now=now, undo=undo)
                place = undo.enter_context(_place(settings, conninfo, separate=separate_server))
                manifest, counts = _drill(log, settings, place, made, attacks=attacks, control=control, clock=clock)
        except (FleetmemError, psycopg.Error, TimeLimit) as error:
            stopped = str(error).strip()
            say(f"stopped: {stopped}")
    with log.step("nothing is left behind") as check:
        left = _left(conninfo)
        check("every scratch database is gone", not left, ", ".join(left) or "none")
    return Drill(
        at=now,
        source=f"made by this drill, of {conninfo['dbname']}" if file is None else str(file),
        server="a second embedded server" if separate_server else "scratch databases on the fleet's server",
        manifest=manifest,
        counts=counts,
        log=log,
        stopped_by=stopped,
    )


@contextmanager
def throw_away(settings: Settings, say: Say) -> Iterator[tuple[Settings, Conninfo]]:
    """A throw-away fleet that has lived through a day, for `make drill`."""
    with (
        as_file(files("fleetmem.fleet") / "household.yaml") as household,
        up.throw_away(replace(settings, roster=household), say) as fleet,
    ):
        say("living through a day …")
        day.live_through(fleet)
        yield fleet.settings, fleet.owner


def _drill(
    log: Log,
    settings: Settings,
    place: Copy,
    file: Path,
    *,
    attacks: proof.Proof,
    control: proof.Proof,
    clock: Callable[[], float],
) -> tuple[Manifest, dict[str, tuple[int, int]]]:
    with log.step("build the declared fence to compare with"), database.owner(place.owner) as connection:
        expected = verify.declared(place.owner, connection)
    with scratch(place.owner) as first:
        copy = steps.at(place, first["dbname"])
        manifest, bearers = steps.restore_once(log, copy, file, settings.pg_bin)
        steps.wreck_it(log, copy, manifest, expected)
    with scratch(place.owner) as second:
        copy = steps.at(place, second["dbname"])
        steps.restore_again(log, copy, file, settings.pg_bin)
        counts = steps.apply_again(log, copy, manifest, expected)
        steps.old_credentials(log, copy, bearers, _old_key(settings.home), clock)
        steps.attack(log, copy, manifest, attacks)
        steps.break_it(log, copy, expected, control)
    return manifest, counts


def _backup(
    log: Log, settings: Settings, conninfo: Conninfo, *, file: Path | None, now: datetime, undo: ExitStack
) -> Path:
    with log.step("back up the fleet" if file is None else "take the backup that was given") as check:
        if file is not None:
            check("the file is there", file.is_file(), str(file))
            return file
        path = undo.enter_context(workplace(settings.home, ".drill-backup-")) / "drill.tar"
        manifest = backups.backup(conninfo, path, now=now, pg_bin=settings.pg_bin)
        rows = sum(table.rows for table in manifest.tables.values())
        check("a backup was made", path.is_file(), f"{rows} rows in {path.stat().st_size} bytes")
    return path


def _check_roles(settings: Settings, conninfo: Conninfo) -> None:
    """On the fleet's own server a copy shares its roles, so they must be as declared before one is made."""
    report = verify.verify(conninfo, cache=settings.home / "run")
    drifted = [each.what for each in report.findings if each.kind in _OF_THE_SERVER]
    if drifted:
        raise SetupInvalid(
            f"the server's roles are not as declared ({'; '.join(drifted)}), and restoring beside them would put them right"
            " without a word: look at `fleetmem fence verify` first, or drill with --separate-server"
        )


@contextmanager
def _place(settings: Settings, conninfo: Conninfo, *, separate: bool) -> Iterator[Copy]:
    """Where copies are restored to: the fleet's own server, or a second one."""
    if not separate:
        ways = {login: deployment.as_login(settings.home, conninfo, login) for login in database.LOGINS}
        yield Copy(conninfo, ways)
        return
    with workplace(settings.home, ".drill-server-", _erase) as folder:
        server = EmbeddedPostgres(folder / "home", pg_bin=settings.pg_bin, fast=True)
        try:
            server.start()
            owner = server.conninfo("fleetmem").psycopg()
            yield Copy(owner, _logins(owner))
        finally:
            server.erase()


def _erase(folder: Path) -> None:
    """Remove a second server and its folder, also one whose drill was killed."""
    if (folder / "home").exists():
        EmbeddedPostgres(folder / "home").erase()
    forget(folder)


def _logins(owner: Conninfo) -> dict[str, Conninfo]:
    """Bring a new server's roles into being and give each login a password of its own."""
    database.prepare(owner)
    ways = {}
    with database.owner(owner) as connection:
        for login in database.LOGINS:
            password = secrets.token_urlsafe(24)
            database.set_password(connection, login, password)
            ways[login] = cast("Conninfo", {**owner, "user": login, "password": password})
    return ways


def _old_key(home: Path) -> claims.SigningKey | None:
    try:
        return claims.read_key((home / deployment.KEY_FILES[Rol.AGENT]).read_bytes())
    except (OSError, ConfigInvalid):
        return None


def _left(conninfo: Conninfo) -> list[str]:
    """The scratch databases that nobody living holds."""
    with keeper(conninfo) as connection:
        return abandoned(connection)
