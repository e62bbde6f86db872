"""A small fleet with a gateway and a console over a real database, and a way to speak as each of its members."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import psycopg
from litestar.types import ASGIApp

from fleetmem.admin import keys, roster_sync, tokens
from fleetmem.admin.deployment import KEY_FILES, write_key
from fleetmem.admin.postgres import ConnInfo
from fleetmem.config import Settings
from fleetmem.fleet.agent import Agent, Person, Rol
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.roster import Roster
from tests.clusters import Cluster

SERVICE_LOGINS = ("fleetmem_gateway", "fleetmem_console")


def _agent(name: str, *, reads: str, writes: str) -> Agent:
    return Agent(
        name=name,
        description=f"Looks after {name}.",
        instructions="",
        reads=frozenset(reads.split()),
        writes=frozenset(writes.split()),
        workspace=name,
    )


ROSTER = Roster(
    audiences=(Audience("open", "Everyone"), Audience("health"), Audience("finance")),
    agents=(
        _agent("facilities", reads="open", writes="open"),
        _agent("finance", reads="open finance", writes="open finance"),
        _agent("health", reads="open health", writes="open health"),
        _agent("maintenance", reads="", writes="open"),
    ),
    operators=(Person("olga", "Runs the fleet"),),
    auditors=(Person("arthur", "Looks on"),),
)


@dataclass(frozen=True, slots=True)
class Fleet:
    """A prepared database with its data directory, and everyone's token."""

    cluster: Cluster
    database: ConnInfo
    settings: Settings
    tokens: Mapping[str, str] = field(repr=False)
    token_ids: Mapping[str, str]

    def owner(self) -> psycopg.Connection[Any]:
        """Open a superuser's connection, to arrange what a test needs."""
        return psycopg.connect(**self.database.psycopg(), autocommit=True)

    async def as_login(self, login: str) -> asyncpg.Connection:
        """Open a connection as one of the product's logins."""
        way = self.cluster.login(login, self.database.dbname)
        return await asyncpg.connect(
            host=way.host, port=way.port, user=way.user, password=way.password, database=way.dbname
        )

    def told(self, **changes: Any) -> Settings:
        """Return the fleet's settings with some changed."""
        return replace(self.settings, **changes)


def make_fleet(cluster: Cluster, database: ConnInfo, home: Path) -> Fleet:
    """Sync the roster, make keys and tokens, and lay out the data directory."""
    for login in SERVICE_LOGINS:
        _write(home / "secrets" / login / "password", cluster.password_of(login))
    where = {"host": database.host, "port": database.port, "dbname": database.dbname}
    _write(home / "run" / "database.json", json.dumps(where))
    with psycopg.connect(**database.psycopg(), autocommit=True) as owner:
        roster_sync.sync(owner, ROSTER)
        for rol in KEY_FILES:
            write_key(home, keys.register(owner, rol))
        issued = {name: tokens.issue(owner, name) for name in ROSTER.roles()}
    return Fleet(
        cluster=cluster,
        database=database,
        settings=Settings(home=home, pool_size=4, rate_per_s=0, log_level="error"),
        tokens={name: token for name, (_, token) in issued.items()},
        token_ids={name: token_id for name, (token_id, _) in issued.items()},
    )


@asynccontextmanager
async def running(app: ASGIApp) -> AsyncIterator[httpx.AsyncClient]:
    """Run an application's life cycle in this loop, and speak to it without a socket."""
    async with _lifespan(app), httpx.AsyncClient(transport=_transport(app), base_url="http://fleet.test") as client:
        yield client


def bearer(token: str) -> dict[str, str]:
    """Return the header that carries a token."""
    return {"Authorization": f"Bearer {token}"}


def _transport(app: ASGIApp) -> httpx.ASGITransport:
    return httpx.ASGITransport(app=app, raise_app_exceptions=True, client=("192.0.2.7", 4711))  # type: ignore[arg-type]


@asynccontextmanager
async def _lifespan(app: ASGIApp) -> AsyncIterator[None]:
    import asyncio  # noqa: PLC0415

    heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    task = asyncio.create_task(app({"type": "lifespan", "asgi": {"version": "3.0"}}, heard.get, said.put))  # type: ignore[arg-type]
    await heard.put({"type": "lifespan.startup"})
    started = await said.get()
    if started["type"] != "lifespan.startup.complete":
        await task
        raise AssertionError(started)
    try:
        yield
    finally:
        await heard.put({"type": "lifespan.shutdown"})
        await said.get()
        await task


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
