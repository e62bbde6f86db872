"""A real Postgres for the tests, as a pytest plugin.

The first that is to be had: the server of `FLEETMEM_TEST_DATABASE_URL` (a superuser's URL), a container where a Docker
engine answers, the embedded server. pytest's controller starts it once, and every xdist worker gets its address. The newest
PostgreSQL from 15 that the system has installed, of another major version, is a second one for tests that ask for `pg_server`.

What a test takes:

- `database`: this worker's own database on the main server, migrated, policies applied, as a superuser's `ConnInfo`.
- `databases.of(cluster)`: the same on another `Cluster`; `databases.fresh(cluster)`: one more, for this test alone.
- `postgres_cluster`: the main server. `pg_server`: each server in turn, with ids such as pg18 and pg15.
- `cluster.login("fleetmem_gateway", dbname)`: one of the product's logins, with the password it has in tests.
"""

from dataclasses import asdict
from typing import Any, Final

import pytest

from fleetmem.admin.postgres import ConnInfo
from tests.clusters import Cluster, Provision
from tests.databases import Databases

_PROVISION: Final = pytest.StashKey[Provision]()
_KEY: Final = "postgres"


def pytest_configure(config: pytest.Config) -> None:
    if _workerinput(config) is None:
        config.stash[_PROVISION] = Provision()


def pytest_unconfigure(config: pytest.Config) -> None:
    if _PROVISION in config.stash:
        config.stash[_PROVISION].close()


def pytest_report_header(config: pytest.Config) -> list[str]:
    if _workerinput(config) is not None:
        return []
    return [f"postgres ({which}): {source.name}" for which, source in config.stash[_PROVISION].sources.items()]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Hand the servers' addresses to an xdist worker that is about to start."""
    provision = node.config.stash[_PROVISION]
    node.workerinput[_KEY] = {which: asdict(provision.cluster(which)) for which in provision.sources}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "pg_server" in metafunc.fixturenames:
        servers = _servers(metafunc.config)
        metafunc.parametrize("pg_server", list(servers), ids=list(servers.values()), indirect=True, scope="session")


@pytest.fixture(scope="session")
def postgres_cluster(pytestconfig: pytest.Config) -> Cluster:
    return _cluster(pytestconfig, "main")


@pytest.fixture(scope="session")
def pg_server(pytestconfig: pytest.Config, request: pytest.FixtureRequest) -> Cluster:
    return _cluster(pytestconfig, request.param)


@pytest.fixture(scope="session")
def databases(pytestconfig: pytest.Config) -> Databases:
    told = _workerinput(pytestconfig)
    return Databases("main" if told is None else told["workerid"])


@pytest.fixture(scope="session")
def database(postgres_cluster: Cluster, databases: Databases) -> ConnInfo:
    return databases.of(postgres_cluster)


def _workerinput(config: pytest.Config) -> dict[str, Any] | None:
    """Return what the controller told this xdist worker; None in the controller, and where there are no workers."""
    told: dict[str, Any] | None = getattr(config, "workerinput", None)
    return told


def _servers(config: pytest.Config) -> dict[str, str]:
    """Return the label of each server: {"main": "pg18", "second": "pg15"}."""
    told = _workerinput(config)
    if told is None:
        return {which: f"pg{source.major}" for which, source in config.stash[_PROVISION].sources.items()}
    return {which: f"pg{cluster['major']}" for which, cluster in told[_KEY].items()}


def _cluster(config: pytest.Config, which: str) -> Cluster:
    told = _workerinput(config)
    if told is None:
        return config.stash[_PROVISION].cluster(which)
    cluster = told[_KEY][which]
    return Cluster(admin=ConnInfo(**cluster["admin"]), major=cluster["major"], run=cluster["run"])
