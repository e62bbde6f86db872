"""What the policy suite proves: databases of its own, and a server of its own for what belongs to a whole server."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from fleetmem.admin import database
from fleetmem.admin.postgres import ConnInfo, EmbeddedPostgres
from fleetmem.admin.prove import Deployment
from tests.clusters import Cluster
from tests.databases import Databases


def deployment(cluster: Cluster, place: ConnInfo, cache: Path) -> Deployment:
    """Return what there is to prove of one database: no services."""
    logins = {login: cluster.login(login, place.dbname).psycopg() for login in database.LOGINS}
    return Deployment(admin=place.psycopg(), logins=logins, cache=cache)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep what the declared fence looks like: building it takes seconds."""
    return tmp_path_factory.mktemp("declared")


@pytest.fixture(scope="session")
def sound(pg_server: Cluster, databases: Databases, cache: Path) -> Deployment:
    """A database as the product prepares it, on each server in turn."""
    return deployment(pg_server, databases.fresh(pg_server), cache)


@pytest.fixture(scope="session")
def lone_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A server that nobody else uses, to change roles on."""
    home = tmp_path_factory.mktemp("lone")
    server = EmbeddedPostgres(home, fast=True)
    server.start()
    try:
        yield Cluster(admin=server.conninfo(), major=18, run=secrets.token_hex(3))
    finally:
        server.erase()
