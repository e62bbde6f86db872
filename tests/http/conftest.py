"""A fleet for each module of tests; its gateway and console run in the tests' own loop."""

from collections.abc import AsyncIterator

import httpx
import pytest

from fleetmem_gateway import app
from tests.clusters import Cluster
from tests.databases import Databases
from tests.http.fleet import Fleet, Voice, make_fleet, running


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


@pytest.fixture
def facilities(fleet: Fleet, gateway: httpx.AsyncClient) -> Voice:
    """Reads and writes open."""
    return Voice(gateway, fleet.tokens["facilities"])


@pytest.fixture
def finance(fleet: Fleet, gateway: httpx.AsyncClient) -> Voice:
    """Reads and writes open and finance."""
    return Voice(gateway, fleet.tokens["finance"])


@pytest.fixture
def health(fleet: Fleet, gateway: httpx.AsyncClient) -> Voice:
    """Reads and writes open and health."""
    return Voice(gateway, fleet.tokens["health"])


@pytest.fixture
def maintenance(fleet: Fleet, gateway: httpx.AsyncClient) -> Voice:
    """Reads nothing, writes open."""
    return Voice(gateway, fleet.tokens["maintenance"])


@pytest.fixture
def olga(fleet: Fleet, console: httpx.AsyncClient) -> Voice:
    """An operator."""
    return Voice(console, fleet.tokens["olga"])


@pytest.fixture
def arthur(fleet: Fleet, console: httpx.AsyncClient) -> Voice:
    """An auditor."""
    return Voice(console, fleet.tokens["arthur"])
