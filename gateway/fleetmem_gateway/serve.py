"""Run one of the two services until it is told to stop: `python -m fleetmem_gateway agents` or `console`.

Exit codes: 0 stopped in order; 64 called wrongly; 75 the database does not answer, try again; 78 something must be
repaired first, and one sentence on standard error says what.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import Final

from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server.embed import Server

from fleetmem import config
from fleetmem.config import Settings
from fleetmem.errors import FleetmemError, Unavailable
from fleetmem_gateway.app import agents, console, preflight
from fleetmem_gateway.service import AGENTS, CONSOLE

USAGE: Final = 64
TRY_AGAIN: Final = 75
REPAIR_FIRST: Final = 78
_BACKLOG: Final = 1024


def main(arguments: list[str]) -> int:
    """Run the service named by the one argument; return the exit code."""
    if arguments not in (["agents"], ["console"]):
        sys.stderr.write("usage: python -m fleetmem_gateway agents|console\n")
        return USAGE
    service = AGENTS if arguments == ["agents"] else CONSOLE
    try:
        settings = config.load()
        asyncio.run(preflight(service, settings))
    except FleetmemError as error:
        sys.stderr.write(f"{service.login}: {error.detail}\n")
        return TRY_AGAIN if isinstance(error, Unavailable) else REPAIR_FIRST
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(_server(settings, is_console=service is CONSOLE)))
    return 0


def _loop_factory():
    try:
        import uvloop
        return uvloop.new_event_loop
    except ImportError:
        return None


def _server(settings: Settings, *, is_console: bool) -> Server:
    make, host, port = (
        (console, settings.console_host, settings.console_port)
        if is_console
        else (agents, settings.gateway_host, settings.gateway_port)
    )
    return Server(
        make(settings),
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        websockets=False,
        backlog=_BACKLOG,
        log_level=LogLevels.error,
    )


async def _serve(server: Server) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.stop)
    await server.serve()
