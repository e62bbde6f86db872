"""A whole fleet under its supervisor, with a breakable path before the gateway and another one behind it.

::

    agents ──▶ `front` ──▶ gateway ──▶ `back` ──▶ Postgres
               a relay     real        a relay    real, embedded
"""

import asyncio
import json
import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psutil
import psycopg

from fleetmem.admin import deployment, up
from fleetmem.admin.up import Fleet
from fleetmem.config import Settings
from tests.faults.relay import Relay

ROSTER: Final = Path(__file__).parents[2] / "roster.yaml"


@dataclass(slots=True)
class Rig:
    """One fleet that runs, and what may be done to it; `said` is what its supervisor told."""

    settings: Settings
    front: Relay
    back: Relay
    said: list[str] = field(default_factory=list)
    _fleet: Fleet | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.front.port}"

    @property
    def fleet(self) -> Fleet:
        assert self._fleet is not None
        return self._fleet

    def owner(self) -> psycopg.Connection[Any]:
        """Look past the gateway, the relays and the fence: straight at the rows."""
        return psycopg.connect(**self.fleet.owner, autocommit=True)

    def kill_postgres(self) -> None:
        """End the postmaster as the kernel's out-of-memory killer would; its children find out by themselves."""
        server = self.fleet.server
        assert server is not None
        if server.pid is not None:
            os.kill(server.pid, signal.SIGKILL)

    def kill_a_backend(self) -> None:
        """End one of the server's processes that serves the gateway: Postgres then drops everyone and recovers."""
        server = self.fleet.server
        assert server is not None
        if server.pid is None:
            return
        for child in psutil.Process(server.pid).children():
            if "fleetmem_gateway" in " ".join(child.cmdline()):
                child.kill()
                return

    def kill_gateway(self) -> None:
        """End the gateway with all its workers."""
        main = self._gateway()
        if main is not None:
            for each in (main, *main.children(recursive=True)):
                each.kill()

    def kill_a_worker(self) -> None:
        """End one worker of the gateway, and leave the rest to find out."""
        main = self._gateway()
        if main is not None:
            for worker in main.children(recursive=True)[-1:]:
                worker.kill()

    def kill_gateway_main(self) -> None:
        """End the gateway's parent alone: its workers must not live on."""
        main = self._gateway()
        if main is not None:
            main.kill()

    def symptoms(self) -> list[str]:
        """Say what can be seen of a fleet that did not recover."""
        lines = self.fleet.agents.log.read_text(encoding="utf-8", errors="replace").splitlines()[-12:]
        try:
            with self.owner() as owner:
                busy = owner.execute(
                    "select pid, state, wait_event, now() - state_change, left(query, 60) from pg_stat_activity"
                    " where usename in ('fleetmem_gateway', 'fleetmem_console')"
                ).fetchall()
        except psycopg.OperationalError as error:
            busy = [("Postgres does not answer", str(error))]
        paths = [f"{name}: {path.passed} connections, {path.broken} broken" for name, path in self.paths.items()]
        return [*self.said[-8:], *paths, *map(str, busy), *lines]

    @property
    def paths(self) -> dict[str, Relay]:
        return {"front": self.front, "back": self.back}

    def _gateway(self) -> psutil.Process | None:
        process = self.fleet.agents.process
        return psutil.Process(process.pid) if process is not None and process.poll() is None else None


@asynccontextmanager
async def rig(*, fast: bool = True, workers: int = 2) -> AsyncIterator[Rig]:
    """Bring a fleet up behind the relays, keep it up as `fleetmem up` does, and remove everything afterwards."""
    home = Path(tempfile.mkdtemp(prefix="fleetmem-faults-"))
    gateway_port, console_port = _free_ports(2)
    front = Relay(lambda: asyncio.open_connection("127.0.0.1", gateway_port))
    back = Relay(_to_database(home))
    await front.start()
    await back.start()
    settings = Settings(
        home=home,
        roster=ROSTER,
        gateway_port=gateway_port,
        console_port=console_port,
        gateway_workers=workers,
        pool_size=4,
        rate_per_s=0,
        service_database_url=f"postgresql://127.0.0.1:{back.port}/{deployment.DBNAME}?sslmode=disable",
    )
    made = Rig(settings, front, back)
    try:
        made._fleet = await asyncio.to_thread(up.bring_up, settings, made.said.append, fast=fast)  # noqa: SLF001 -- its maker
        async with _watched(made):
            yield made
    finally:
        await front.stop()
        if made._fleet is not None:  # noqa: SLF001
            await asyncio.to_thread(made.fleet.stop)
        await back.stop()
        await asyncio.to_thread(deployment.embedded(settings).erase)
        shutil.rmtree(home, ignore_errors=True)


@asynccontextmanager
async def _watched(made: Rig) -> AsyncIterator[None]:
    stopping = threading.Event()
    watching = asyncio.create_task(asyncio.to_thread(made.fleet.watch, stopping, made.said.append))
    try:
        yield
    finally:
        stopping.set()
        await watching


def _to_database(home: Path) -> Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]:
    """Connect to wherever the fleet's server is by now; its socket is known once it is up."""

    def connect() -> Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        where = json.loads((home / "run" / "database.json").read_bytes())
        return asyncio.open_unix_connection(f"{where['host']}/.s.PGSQL.{where['port']}")

    return connect


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()
