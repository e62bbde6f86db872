"""The proof of one deployment: set the stage, try everything, take it all away again, whatever happened."""

import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Final

from fleetmem.admin import database
from fleetmem.admin.database import Conninfo
from fleetmem.admin.prove import catalogue, drift, records, removal, scenarios, setting, shapes, wire
from fleetmem.admin.prove.case import ADMIN, GATEWAY
from fleetmem.admin.prove.client import acts, tables
from fleetmem.admin.prove.client.callers import Callers
from fleetmem.admin.prove.judge import Judge
from fleetmem.admin.prove.purse import Purse
from fleetmem.admin.prove.removal import Left
from fleetmem.admin.prove.rights import entered, held, tried
from fleetmem.admin.prove.scenarios.scenario import World
from fleetmem.admin.prove.sessions import Sessions
from fleetmem.admin.prove.shapes import Shape
from fleetmem.admin.prove.stage import Stage
from fleetmem.admin.prove.verdict import Verdict, Way
from fleetmem.admin.prove.wire.line import Line
from fleetmem.admin.prove.wire.watch import watching
from fleetmem.errors import SetupInvalid

_LOCK: Final = 0x70726F7665  # "prove": one proof of a database at a time
EVERY_WAY: Final = (Way.DATABASE, Way.CLIENT, Way.WIRE)
EVERY_SECTION: Final = "ABCDEFGHIJKLMNOQTXV"  # T is what M says, tried

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """What is proved: the owner's way to its database, each login's, and where its two services listen.

    `cache` keeps what the declared fence looks like between runs. Without a URL, that service is not tried.
    """

    admin: Conninfo
    logins: Mapping[str, Conninfo]
    gateway_url: str | None = None
    console_url: str | None = None
    cache: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What came of it. `left` is what could not be taken away again."""

    run: str
    server: str
    started_at: datetime
    took_s: float
    verdicts: tuple[Verdict, ...]
    left: Left

    @property
    def failed(self) -> tuple[Verdict, ...]:
        """Every attempt that did not come to what it must."""
        return tuple(verdict for verdict in self.verdicts if not verdict.held)

    @property
    def holds(self) -> bool:
        """Whether everything held, and what was made is gone, or as far gone as this server allows."""
        return not self.failed and self.left.is_all_that_can_be


def prove(
    deployment: Deployment, unix_s: Clock, ways: tuple[Way, ...] = EVERY_WAY, *, sections: str = EVERY_SECTION
) -> Proof:
    """Attack a running deployment in every way, and leave nothing behind.

    `sections` narrows what is tried at the database to those letters of the catalogue.

    Raises:
        SetupInvalid: another proof of this database is running.
        Unavailable: the database does not answer, or what was made could not be removed; the next run removes it.
    """
    run, started, began = secrets.token_hex(3), unix_s(), time.monotonic()
    with _alone(deployment.admin) as guard, _interruptible():
        removal.remove(guard)
        verdicts: list[Verdict] = []
        try:
            verdicts.extend(_tries(deployment, run, _in_step(guard, unix_s), ways, sections))
        finally:
            left = _removed(deployment.admin, run)
        server = str(guard.info.parameter_status("server_version")).split(" ")[0]
    return Proof(
        run=run,
        server=server,
        started_at=datetime.fromtimestamp(started, UTC),
        took_s=time.monotonic() - began,
        verdicts=tuple(verdicts),
        left=left,
    )


def _tries(deployment: Deployment, run: str, unix_s: Clock, ways: tuple[Way, ...], sections: str) -> Iterator[Verdict]:
    with ExitStack() as opened:
        sessions = Sessions(deployment.admin, deployment.logins)
        opened.callback(sessions.close)
        with database.owner(deployment.admin) as owner:
            shape = shapes.deployed(owner)
            stage = setting.set_up(owner, run, unix_s, shape.players)
        stage, controls = records.write(sessions.of(GATEWAY), stage)
        yield from controls
        if Way.DATABASE in ways:
            yield from _at_the_database(deployment, sessions, stage, sections)
        if deployment.gateway_url is not None:
            yield from _over_http(deployment, sessions, stage, shape, ways)


def _at_the_database(deployment: Deployment, sessions: Sessions, stage: Stage, sections: str) -> Iterator[Verdict]:
    admin, purse = sessions.of(ADMIN), Purse(stage)
    groups = [group for group in catalogue.GROUPS if group.letter in sections]
    is_owned = removal.is_superuser(admin)
    yield from Judge(sessions, stage, is_owned=is_owned).run(groups)
    if "M" in sections:
        yield from held.compare(admin)
        yield from entered.compare(admin, is_owned=is_owned)
    if "T" in sections:
        yield from tried.attempts(sessions, purse, admin)
    if "X" in sections:
        yield from scenarios.play(World(sessions, stage, purse), scenarios.SCENARIOS)
    if "V" in sections:
        yield from drift.checks(deployment.admin, deployment.cache)


def _over_http(
    deployment: Deployment, sessions: Sessions, stage: Stage, shape: Shape, ways: tuple[Way, ...]
) -> Iterator[Verdict]:
    url = str(deployment.gateway_url)
    with watching(sessions) as watch:
        if Way.CLIENT in ways:
            with Callers(stage, url) as callers:
                yield from tables.play(callers, stage, shape)
                yield from acts.play(callers, stage)
        if Way.WIRE in ways:
            with ExitStack() as lines:
                gateway = lines.enter_context(Line.to(url, stage, sessions))
                console_url = deployment.console_url
                console = lines.enter_context(Line.to(console_url, stage, sessions)) if console_url else None
                yield from wire.play(gateway, console)
    yield watch.verdict()


def _in_step(connection: setting.Connection, unix_s: Clock) -> Clock:
    """Read time as the database does: claims are held against its clock, and this machine's may be seconds off."""
    before = unix_s()
    row = connection.execute("select extract(epoch from clock_timestamp())::float8").fetchone()
    ahead = float(str(row[0])) - (before + unix_s()) / 2 if row else 0.0
    return lambda: unix_s() + ahead


@contextmanager
def _alone(admin: Conninfo) -> Iterator[setting.Connection]:
    """Hold this database for one proof, on a connection of its own, for as long as the block runs."""
    sessions = Sessions(admin, {})
    try:
        guard = sessions.of(ADMIN)
        if guard.execute("select pg_try_advisory_lock(%s)", [_LOCK]).fetchone() == (False,):
            raise SetupInvalid("another `fleetmem prove` is attacking this database; wait until it is done")
        yield guard
    finally:
        sessions.close()


def _removed(admin: Conninfo, run: str) -> Left:
    """Take away what the run made, on a connection of its own, while nothing may interrupt."""
    sessions = Sessions(admin, {})
    try:
        with _uninterruptible():
            return removal.remove(sessions.of(ADMIN), run)
    finally:
        sessions.close()


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let SIGTERM break a proof off as Ctrl-C does, so that what it made is taken away."""

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise KeyboardInterrupt

    with _handling(signal.SIGTERM, stop):
        yield


@contextmanager
def _uninterruptible() -> Iterator[None]:
    with _handling(signal.SIGTERM, signal.SIG_IGN), _handling(signal.SIGINT, signal.SIG_IGN):
        yield


@contextmanager
def _handling(
    number: signal.Signals, handler: Callable[[int, FrameType | None], None] | signal.Handlers
) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)
