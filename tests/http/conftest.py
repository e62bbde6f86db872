"""A fleet for each module of tests; its gateway and console run in the tests' own loop."""

from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from fleetmem_gateway import app
from tests.clusters import Cluster
from tests.databases import Databases
from tests.http.fleet import Fleet, bearer, make_fleet, running

Speak = Callable[[str], httpx.AsyncClient]


@pytest.fixture(scope="module")
def fleet(postgres_cluster: Cluster, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    return make_fleet(postgres_cluster, databases.fresh(postgres_cluster), tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
async def gateway(fleet: Fleet) -> AsyncIterator[httpx.AsyncClient]:
    async with running(app.agents(fleet.settings)) as client:
        yield client


@pytest.fixture(scope="module")
async def console(fleet: Fleet) -> AsyncIterator[httpx.AsyncClient]:
    async with running(app.console(fleet.settings)) as client:
        yield client


class Voice:
    """One member of the fleet, speaking to one service."""

    def __init__(self, client: httpx.AsyncClient, token: str) -> None:
        self._client = client
        self._headers = bearer(token)

    async def get(self, url: str, **more: object) -> httpx.Response:
        return await self._client.get(url, headers=self._headers, **more)  # type: ignore[arg-type]

    async def post(self, url: str, json: object = None, *, key: str | None = None) -> httpx.Response:
        headers = self._headers | ({"Idempotency-Key": key} if key else {})
        return await self._client.post(url, headers=headers, json=json)


def _voice(name: str, service: str) -> object:
    @pytest.fixture(scope="module", name=name)
    def voice(fleet: Fleet, request: pytest.FixtureRequest) -> Voice:
        return Voice(request.getfixturevalue(service), fleet.tokens[name])

    return voice


facilities = _voice("facilities", "gateway")
finance = _voice("finance", "gateway")
health = _voice("health", "gateway")
maintenance = _voice("maintenance", "gateway")
olga = _voice("olga", "console")
arthur = _voice("arthur", "console")
