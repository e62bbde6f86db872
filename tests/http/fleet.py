"""A small fleet with a gateway and a console over a real database, and a way to speak as each of its members."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import asyncpg
import httpx
import msgspec
import psycopg
from litestar.types import ASGIApp

from fleetmem.admin import keys, roster_sync, tokens
from fleetmem.admin.deployment import KEY_FILES, write_key
from fleetmem.admin.postgres import ConnInfo
from fleetmem.config import Settings
from fleetmem.fleet.agent import Agent, Person
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.roster import Roster
from fleetmem.wire import Problem
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
    # httpx and Litestar each write ASGI's callable in their own types.
    return httpx.ASGITransport(app=cast("Any", app), client=("192.0.2.7", 4711))


@asynccontextmanager
async def _lifespan(app: ASGIApp) -> AsyncIterator[None]:
    heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def live() -> None:
        await cast("Any", app)({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, heard.get, said.put)

    task = asyncio.create_task(live())
    await heard.put({"type": "lifespan.startup"})
    if (await said.get())["type"] != "lifespan.startup.complete":
        await task
    try:
        yield
    finally:
        await heard.put({"type": "lifespan.shutdown"})
        await said.get()
        await task


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


class Voice:
    """One member of the fleet, speaking to one service."""

    def __init__(self, client: httpx.AsyncClient, token: str) -> None:
        self.client = client
        self.token = token

    async def get(self, url: str, **parameters: str | int) -> httpx.Response:
        return await self.client.get(url, headers=bearer(self.token), params=parameters or None)

    async def post(self, url: str, json: object = None, *, key: str | None = None) -> httpx.Response:
        headers = bearer(self.token) | ({"Idempotency-Key": key} if key is not None else {})
        return await self.client.post(url, headers=headers, json=json)

    async def publish(self, topic: str, *, body: str = "It is so.", audience: str = "open") -> str:
        """Publish a beat that nothing speaks against, and return its id."""
        answer = await self.post("/v1/beats", {"topic": topic, "body": body, "audience": audience})
        assert answer.status_code == 201, answer.text
        beat_id: str = answer.json()["id"]
        return beat_id

    async def send(self, recipient: str, *, request: str = "Please look at it.", audience: str = "open") -> str:
        """Send a handoff that nothing speaks against, and return its id."""
        answer = await self.post("/v1/handoffs", {"recipient": recipient, "request": request, "audience": audience})
        assert answer.status_code == 201, answer.text
        handoff_id: str = answer.json()["id"]
        return handoff_id


def refused(answer: httpx.Response) -> tuple[int, str, str | None, str | None]:
    """Return what a refusal says: status, code, field and rule; and see that it is a whole problem document."""
    assert answer.headers["content-type"] == "application/problem+json"
    problem = msgspec.json.decode(answer.content, type=Problem)
    assert problem.status == answer.status_code
    assert problem.type == f"urn:fleetmem:error:{problem.code}"
    assert problem.request_id == answer.headers["x-request-id"]
    return answer.status_code, problem.code, problem.field, problem.rule
