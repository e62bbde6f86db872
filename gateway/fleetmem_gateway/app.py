"""The composition root: two applications from one package, each with its own login, keys and port."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

from litestar import Litestar, Request, get, route
from litestar.enums import HttpMethod
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp
from structlog.typing import FilteringBoundLogger

from fleetmem import config
from fleetmem.config import Settings
from fleetmem.sql import fence_files
from fleetmem_gateway import answers, openapi, problems, servers, startup
from fleetmem_gateway.auth import Door
from fleetmem_gateway.edge import Edge
from fleetmem_gateway.gateway import Gateway
from fleetmem_gateway.keys import Keyring
from fleetmem_gateway.limits import Buckets, Places
from fleetmem_gateway.logs import make_logger
from fleetmem_gateway.metrics import Metrics
from fleetmem_gateway.orphan import ends_with_its_parent
from fleetmem_gateway.routes import beats, handoffs, health, incidents, ledger, me, messages, notes, runs, tasks, teams
from fleetmem_gateway.routes import console as console_routes
from fleetmem_gateway.service import AGENTS, CONSOLE, Service, key_paths
from fleetmem_gateway.straight import StraightWay

AGENT_HANDLERS: Final = (
    me.me,
    *beats.HANDLERS,
    *handoffs.HANDLERS,
    *teams.HANDLERS,
    *tasks.HANDLERS,
    *messages.HANDLERS,
    *runs.HANDLERS,
    *health.HANDLERS,
)
CONSOLE_HANDLERS: Final = (
    *console_routes.HANDLERS,
    *notes.HANDLERS,
    *incidents.HANDLERS,
    *ledger.HANDLERS,
    *health.HANDLERS,
)
# Of one bearer, still arriving: an agent that publishes in bulk waits for some to end.
BODIES_AT_ONCE: Final = 64
# The same of bodies that may be longer than the setting says: a batch of spans is up to sixteen times that.
WIDE_BODIES_AT_ONCE: Final = 8


def agents(settings: Settings | None = None) -> ASGIApp:
    """Make the agents' gateway; settings come from the environment where none are given.

    Raises:
        ConfigInvalid: a setting, the password or the key is unusable.
    """
    return _compose(AGENTS, AGENT_HANDLERS, settings or config.load())


def console(settings: Settings | None = None) -> ASGIApp:
    """Make the operators' console; settings come from the environment where none are given.

    Raises:
        ConfigInvalid: a setting, the password or a key is unusable.
    """
    return _compose(CONSOLE, CONSOLE_HANDLERS, settings or config.load())


async def preflight(service: Service, settings: Settings) -> None:
    """Check what `startup.check` checks, over a connection of its own, and leave nothing behind.

    Raises:
        SetupInvalid: the service must not start.
        Unavailable: the database does not answer.
    """
    async with servers.primary(service, settings, size=1) as session:
        await startup.check(session, service, Keyring(key_paths(settings, service)))


def _compose(service: Service, handlers: Sequence[HTTPRouteHandler], settings: Settings) -> ASGIApp:
    metrics = Metrics()
    log = make_logger(service=service.login, log_format=settings.log_format, level=settings.log_level)
    app = Litestar(
        # OPTIONS first: Litestar adds its own to an address that has none yet.
        route_handlers=[
            *_options_handlers(handlers),
            *handlers,
            _schema_handler(openapi.describe(service.title, handlers)),
        ],
        lifespan=[partial(_running, service=service, settings=settings, metrics=metrics, log=log)],
        exception_handlers={Exception: problems.answer},
        openapi_config=None,
        logging_config=None,
    )
    return Edge(StraightWay(app, handlers), log, metrics)


@asynccontextmanager
async def _running(
    app: Litestar, *, service: Service, settings: Settings, metrics: Metrics, log: FilteringBoundLogger
) -> AsyncIterator[None]:
    """Hold the pool open while the application runs; requests in flight end before it closes."""
    keys = Keyring(key_paths(settings, service))
    async with servers.open_session(service, settings, log) as session:
        await startup.check(session, service, keys)
        app.state.gateway = Gateway(
            session=session,
            door=Door(session, keys, Buckets(per_s=settings.rate_per_s, burst=settings.rate_burst)),
            metrics=metrics,
            bodies=Places(each=BODIES_AT_ONCE),
            wide_bodies=Places(each=WIDE_BODIES_AT_ONCE),
            body_limit_bytes=settings.body_limit_bytes,
            body_wait_s=settings.body_wait_s,
            fence_version=fence_files.version(),
        )
        with ends_with_its_parent():
            yield


def _options_handlers(handlers: Sequence[HTTPRouteHandler]) -> list[HTTPRouteHandler]:
    """Answer OPTIONS for each address; Litestar's own answer names only the methods it met first."""
    methods: dict[str, set[str]] = {}
    for handler in handlers:
        for path in handler.paths:
            methods.setdefault(path, set()).update(str(method) for method in handler.http_methods)
    return [_options_handler(path, problems.allow(of_path)) for path, of_path in methods.items()]


def _options_handler(path: str, allow: str) -> HTTPRouteHandler:
    @route(path, http_method=[HttpMethod.OPTIONS])
    async def options(request: Request[Any, Any, Any]) -> ASGIApp:
        """Say which methods the address takes."""
        del request
        return answers.Answer(204, b"", ((b"allow", allow.encode()),))

    return options


def _schema_handler(description: bytes) -> HTTPRouteHandler:
    @get(["/schema", "/schema/openapi.json"])
    async def schema(request: Request[Any, Any, Any]) -> ASGIApp:
        """Give the description of this API, OpenAPI 3.1."""
        del request
        return answers.Answer(200, description, ((b"content-type", b"application/json"),))

    return schema
