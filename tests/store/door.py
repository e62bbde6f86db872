"""A database with a few agents and keys, and the asyncpg door to it."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import psycopg

from fleetmem.admin import keys, roster_sync, tokens
from fleetmem.admin.postgres import ConnInfo
from fleetmem.fleet import claims
from fleetmem.fleet.agent import Agent, Person, Rol
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.claims import SigningKey
from fleetmem.fleet.roster import Roster
from fleetmem.store.pool import Address, Pool, open_pool
from fleetmem.store.session import Session
from tests.clusters import Cluster

ROSTER = Roster(
    audiences=(Audience("open"), Audience("health"), Audience("finance")),
    agents=tuple(
        Agent(
            name=name,
            description="",
            instructions="",
            reads=frozenset({"open", name}),
            writes=frozenset({"open", name}),
            workspace=name,
        )
        for name in ("finance", "health")
    ),
    operators=(Person("olga"),),
)


@dataclass(frozen=True, slots=True)
class Door:
    """One database, and claims for its agents."""

    cluster: Cluster
    database: ConnInfo
    key: SigningKey = field(repr=False)
    bearers: dict[str, str]

    def claim(self, name: str) -> str:
        return claims.mint(self.key, name, self.bearers[name], time.time())  # noqa: TID251 -- a claim is minted now

    @asynccontextmanager
    async def pool(self, *, size: int = 1) -> AsyncIterator[Pool]:
        login = "fleetmem_gateway"
        address = Address(host=self.database.host, port=self.database.port, dbname=self.database.dbname)
        async with await open_pool(address, login=login, password=self.cluster.password_of(login), size=size) as opened:
            yield opened

    @asynccontextmanager
    async def session(self, *, size: int = 1, wait_s: float = 5) -> AsyncIterator[Session]:
        async with self.pool(size=size) as opened:
            yield Session(opened, wait_s=wait_s)


def make_door(cluster: Cluster, database: ConnInfo) -> Door:
    with psycopg.connect(**database.psycopg(), autocommit=True) as owner:
        roster_sync.sync(owner, ROSTER)
        key = keys.register(owner, Rol.AGENT)
        bearers = {agent.name: tokens.issue(owner, agent.name)[0] for agent in ROSTER.agents}
    return Door(cluster, database, key, bearers)
