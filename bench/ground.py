"""The ground everything over HTTP is measured on: a throw-away fleet with beats in it, and a second gateway without a fence.

The second one is the same program on a copy of the database in which row security is off and no claim is verified: what
it is faster by is what the fence costs a caller.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final
from urllib.parse import urlencode

import psycopg
from psycopg import sql

from bench import seed
from fleetmem.admin import database, deployment
from fleetmem.admin.database import Conninfo
from fleetmem.admin.services import Service
from fleetmem.admin.up import Fleet
from fleetmem.config import Settings

READER: Final = "administration"
_READS: Final = ("open", "personal")
_AUTHORS: Final = ("administration", "facilities", "finance", "health", "security")
_AUDIENCES: Final = ("open", "personal", "health", "finance", "client")
_OPEN: Final = "unfenced"

_UNFENCE: Final = """
create or replace function fence.enter(claim text, want text, writing boolean, out name text, out reads text[], out writes text[])
language plpgsql volatile security invoker as $$
begin
  name := {name};
  reads := {reads};
  writes := {reads};
end $$;
alter table fleet.beat no force row level security, disable row level security;
grant usage on schema fleet to fleetmem_gateway;
grant select on fleet.beat to fleetmem_gateway;
grant execute on all functions in schema fence, api to fleetmem_gateway;
"""


def settings_of(given: Settings) -> Settings:
    """The settings a fleet is measured under: as shipped, but that one agent may send as fast as it can."""
    return replace(given, rate_per_s=0)


def fill(fleet: Fleet, *, rows: int) -> None:
    """Put beats into the fleet's own database, as many in each of the roster's audiences."""
    with database.owner(fleet.owner) as connection:
        seed.fill(connection, rows=rows, authors=_AUTHORS, audiences=_AUDIENCES)
    seed.settle(fleet.owner)


@contextmanager
def unfenced(fleet: Fleet) -> Iterator[Service]:
    """The second gateway, while the block lasts."""
    owner = _copy(fleet)
    with psycopg.connect(**owner) as connection:
        connection.execute(sql.SQL(_UNFENCE).format(name=sql.Literal(READER), reads=sql.Literal(list(_READS))))
    seed.settle(owner)
    port = free_port()
    url = "postgresql:///" + _OPEN + "?" + urlencode({"host": owner["host"], "port": owner["port"]})
    service = Service("agents", replace(fleet.settings, gateway_port=port, service_database_url=url), "127.0.0.1", port)
    try:
        service.start()
        service.wait_until_ready()
        yield service
    finally:
        service.stop()


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def as_login(fleet: Fleet) -> Conninfo:
    """The way to the fleet's database as the gateway's login."""
    return deployment.as_login(fleet.settings.home, fleet.owner, "fleetmem_gateway")


def postgres_pid(fleet: Fleet) -> int:
    """The server's own process."""
    if fleet.server is None or fleet.server.pid is None:
        raise RuntimeError("a throw-away fleet has a server of its own")
    return fleet.server.pid


def gateway_pid(fleet: Fleet) -> int:
    """The process of the agents' gateway, whose children do its work."""
    if fleet.agents.process is None:
        raise RuntimeError("the gateway of a fleet that is up runs")
    return fleet.agents.process.pid


def _copy(fleet: Fleet) -> Conninfo:
    """Copy the fleet's database; its services let go of it meanwhile."""
    services = (fleet.agents, fleet.console)
    for service in services:
        service.stop()
    with psycopg.connect(**{**fleet.owner, "dbname": "postgres"}, autocommit=True) as connection:  # type: ignore[arg-type]
        connection.execute(
            sql.SQL("create database {} template {}").format(sql.Identifier(_OPEN), sql.Identifier(deployment.DBNAME))
        )
    for service in services:
        service.start()
        service.wait_until_ready()
    return {**fleet.owner, "dbname": _OPEN}
