"""Run a whole fleet on this machine: Postgres, the agents' gateway, the operators' console and a worker, under one supervisor.

The supervisor's children live in sessions of their own, so a Ctrl-C at the terminal reaches it alone: it stops the
services, which finish what is in flight, and the database last. A child that dies is started again. A supervisor that was
killed leaves children behind; the next `up` ends them before it starts its own.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Final

from fleetmem.admin import database, deployment, roster_in_force, welcome, workspaces
from fleetmem.admin.child import Child, end_leftovers
from fleetmem.admin.database import Conninfo
from fleetmem.admin.deployment import Say, silent
from fleetmem.admin.postgres import EmbeddedPostgres
from fleetmem.admin.postgres.place import own_directory
from fleetmem.admin.services import Service, Worker, services
from fleetmem.config import Settings
from fleetmem.errors import SetupInvalid

_WATCH_S: Final = 0.5
_STEADY_S: Final = 60.0  # a child that lived this long is no longer counted as failing
_MOST_RESTARTS: Final = 5


@dataclass(slots=True)
class Fleet:
    """A fleet that runs."""

    settings: Settings
    owner: Conninfo
    agents: Service
    console: Service
    worker: Worker | None
    server: EmbeddedPostgres | None
    _undo: ExitStack = field(repr=False)

    def stop(self) -> None:
        """Stop everything, services first; may be repeated."""
        self._undo.close()

    def token(self, name: str) -> str:
        """The first token of somebody in the roster."""
        return (self.settings.home / "tokens" / f"{name}.token").read_text(encoding="ascii").strip()

    def watch(self, stopping: threading.Event, say: Say) -> None:
        """Keep every part running until told to stop.

        Raises:
            SetupInvalid: a part keeps dying.
        """
        started = time.monotonic()
        while not stopping.wait(_WATCH_S):
            if self.server is not None and not self.server.is_running:
                say("Postgres ended unexpectedly; starting it again")
                self.server.start()
            for child in self.children():
                if child.has_ended:
                    child.refuse_broken()
                    child.restarts = 1 if time.monotonic() - started > _STEADY_S else child.restarts + 1
                    started = time.monotonic()
                    if child.restarts > _MOST_RESTARTS:
                        raise SetupInvalid(f"the {child.what} process keeps ending; its log is {child.log}")
                    say(f"the {child.what} process ended unexpectedly; starting it again")
                    stopping.wait(0.2 * 2**child.restarts)
                    self._start_again(child, say)

    def children(self) -> tuple[Child, ...]:
        """Every process of it but Postgres."""
        return (self.agents, self.console, *([] if self.worker is None else [self.worker]))

    @staticmethod
    def _start_again(child: Child, say: Say) -> None:
        """Start a process that died; where its orphans still hold the port, the next look tries again."""
        try:
            child.start()
        except SetupInvalid as error:
            say(error.detail)


def bring_up(settings: Settings, say: Say = silent, *, fast: bool = False, with_worker: bool = False) -> Fleet:
    """Start the fleet and return once both services are ready; whatever was started is stopped again on failure.

    `fast` gives up surviving a crash of the machine, for a fleet whose data is thrown away. A worker starts last and is not
    waited for: it loads its models while the services answer already. `watch` tells of one that refuses its settings.
    """
    with ExitStack() as undo:
        settings.home.parent.mkdir(parents=True, exist_ok=True)
        home = own_directory(settings.home)
        own_directory(home / "run")
        undo.enter_context(_only_supervisor(home))
        if end_leftovers(home):
            say("ended services that an earlier run left behind")
        agents, console = services(settings)
        for service in (agents, console):
            service.check_port()
        declared = deployment.declared_roster(settings)  # whose errors are told before anything is made
        server = None
        owner = deployment.external(settings)
        if owner is None:
            server = deployment.embedded(settings, fast=fast)
            say("starting Postgres …")
            undo.callback(server.stop)
            server.start()
            owner = server.conninfo(deployment.DBNAME).psycopg()
        deployment.equip(settings, owner, say)
        worker = Worker("worker", settings) if with_worker else None
        if with_worker:
            workspaces.prepare_all(workspaces.root(settings), declared.members(), say)
        fleet = Fleet(settings, owner, agents, console, worker, server, undo)
        for service in (agents, console):
            undo.callback(service.stop)
            service.start()
        for service in (agents, console):
            service.wait_until_ready()
        if worker is not None:
            undo.callback(worker.stop)
            worker.start()
        return replace(fleet, _undo=undo.pop_all())


def run(settings: Settings, say: Say = print) -> None:
    """`fleetmem up`: bring the fleet up, say where it is, stay until Ctrl-C or SIGTERM, stop it cleanly."""
    stopping = threading.Event()
    with _signals(stopping):
        fleet = bring_up(settings, say, with_worker=True)
        try:
            say(_welcome(fleet))
            fleet.watch(stopping, say)
        finally:
            say("stopping …")
            fleet.stop()
    say("stopped; the data stays in " + str(settings.home))


@contextmanager
def throw_away(
    settings: Settings, say: Say = silent, *, fast: bool = True, with_worker: bool = False
) -> Iterator[Fleet]:
    """A fleet on its own data directory and ports, gone without a trace when the block ends.

    A worker, with the models it loads, only for those who ask for it; its workspaces are thrown away too.
    """
    home = Path(tempfile.mkdtemp(prefix="fleetmem-fleet-"))
    gateway_port, console_port = _free_ports(2)
    mine = replace(
        settings,
        home=home,
        workspaces=home / "workspaces",
        database_url=None,
        gateway_host="127.0.0.1",
        gateway_port=gateway_port,
        console_host="127.0.0.1",
        console_port=console_port,
    )
    try:
        fleet = bring_up(mine, say, fast=fast, with_worker=with_worker)
        try:
            yield fleet
        finally:
            fleet.stop()
    finally:
        deployment.embedded(mine).erase()
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _only_supervisor(home: Path) -> Iterator[None]:
    """Hold the data directory for this process, for as long as it lives."""
    with os.fdopen(os.open(home / "run" / "up.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "r+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SetupInvalid(
                f"this fleet is already up, under process {lock.read().strip() or 'unknown'}; stop that first, or set "
                "FLEETMEM_HOME to another data directory",
                field="FLEETMEM_HOME",
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


@contextmanager
def _signals(stopping: threading.Event) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM ask for a clean stop, at any moment from here on; a second one insists."""

    def ask(number: int, frame: FrameType | None) -> None:
        del frame
        if stopping.is_set():
            raise KeyboardInterrupt
        stopping.set()
        if number == signal.SIGINT:
            with contextlib.suppress(OSError):
                os.write(2, b"\n")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()


def _recognition(settings: Settings) -> str:
    """Say plainly what becomes of what teams say."""
    if settings.recognizer == "off":
        return "recognition is off: what teams say is kept in segments, and no memory is made of it until it is on"
    if settings.extractor == "off":
        return "extraction is off: what teams say is kept in segments, and no memory is made of it until it is on"
    return f"distilled by `{settings.extractor}`, routed by `{settings.recognizer}`, into {workspaces.root(settings)}"


def _welcome(fleet: Fleet) -> str:
    home = fleet.settings.home
    names = sorted(path.stem for path in (home / "tokens").glob("*.token"))
    with database.owner(fleet.owner) as connection:
        connection.execute("set local role fleetmem_owner")  # on a managed server the login itself sees no row
        roster, _ = roster_in_force.read(connection)
    to_try = welcome.suggestions(
        roster, home / "tokens", gateway=fleet.agents.url, console=fleet.console.url, settings=fleet.settings
    )
    return "\n".join(
        (
            "",
            f"  agents' gateway     {fleet.agents.url}  (API description: {fleet.agents.url}/schema)",
            f"  operators' console  {fleet.console.url}",
            f"  tokens              {home / 'tokens'}/<name>.token for {', '.join(names)}",
            f"  memory              {_recognition(fleet.settings)}",
            f"  logs                {home / 'log'}",
            "",
            "  try, in another terminal:",
            *(f"    {line}" for line in to_try),
            "",
            "  Ctrl-C stops everything; the data stays.",
        )
    )
