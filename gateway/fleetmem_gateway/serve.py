"""Run one of the two services until it is told to stop: `python -m fleetmem_gateway agents` or `console`.

On SIGTERM or SIGINT it takes no more connections, finishes what is in flight, and ends. Exit codes: 0 stopped in order;
64 called wrongly; 75 the database does not answer, try again; 78 something must be repaired first, and one sentence on
standard error says what.

Served by granian: measured against uvicorn with this application, docs/adr says how.
"""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import socket
import sys
from importlib.util import find_spec
from typing import Final

from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels

from fleetmem import config
from fleetmem.config import Settings
from fleetmem.errors import ConfigInvalid, FleetmemError, Unavailable
from fleetmem_gateway.app import preflight
from fleetmem_gateway.service import AGENTS, CONSOLE, Service

USAGE: Final = 64
TRY_AGAIN: Final = 75
REPAIR_FIRST: Final = 78
_BACKLOG: Final = 1024
# A connection that sends no request ends after this: it holds one of so many places.
_HEADERS_WITHIN_MS: Final = 10_000
_MOST_CONNECTIONS: Final = 8192
_FILES_BESIDES: Final = 256
_DRAIN_S: Final = 15
_SERVICES: Final = {"agents": AGENTS, "console": CONSOLE}


def main(arguments: list[str]) -> int:
    """Run the service named by the one argument; return the exit code."""
    service = _SERVICES.get(arguments[0]) if len(arguments) == 1 else None
    if service is None:
        sys.stderr.write("usage: python -m fleetmem_gateway agents|console\n")
        return USAGE
    try:
        settings = config.load()
        _require_free_port(service, settings)
        asyncio.run(preflight(service, settings))
    except FleetmemError as error:
        sys.stderr.write(f"{service.login}: {error.detail}\n")
        return TRY_AGAIN if isinstance(error, Unavailable) else REPAIR_FIRST
    _serve(service, settings)
    return 0


def _serve(service: Service, settings: Settings) -> None:
    host, port = _listens_at(service, settings)
    server = Granian(
        "fleetmem_gateway.app:console" if service is CONSOLE else "fleetmem_gateway.app:agents",
        factory=True,
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        workers=1 if service is CONSOLE else settings.gateway_workers,
        workers_kill_timeout=_DRAIN_S,
        loop=Loops.uvloop if find_spec("uvloop") else Loops.asyncio,
        http=HTTPModes.http1,
        websockets=False,
        backlog=_BACKLOG,
        backpressure=_connections(),
        http1_settings=HTTP1Settings(header_read_timeout=_HEADERS_WITHIN_MS),
        log_level=LogLevels.error,
    )
    server.serve()


def _connections() -> int:
    """Return how many connections a worker may hold, after raising the limit on open files to what the system allows."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_CONNECTIONS + _FILES_BESIDES
    if allowed < wanted:
        allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    return min(_MOST_CONNECTIONS, allowed - _FILES_BESIDES)


def _listens_at(service: Service, settings: Settings) -> tuple[str, int]:
    if service is CONSOLE:
        return settings.console_host, settings.console_port
    return settings.gateway_host, settings.gateway_port


def _require_free_port(service: Service, settings: Settings) -> None:
    """Refuse a port that is taken: granian shares ports, so two fleets would answer each other's agents in turn."""
    host, port = _listens_at(service, settings)
    variable = "FLEETMEM_CONSOLE_PORT" if service is CONSOLE else "FLEETMEM_GATEWAY_PORT"
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
    except OSError as error:
        reason = "something else listens there" if error.errno == errno.EADDRINUSE else os.strerror(error.errno or 0)
        raise ConfigInvalid(f"cannot listen on {host}:{port}: {reason}; set {variable}", field=variable) from error
