"""Reads from a hot standby: never older than the limit, never a refusal of its own, and back to the primary by themselves."""

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from fleetmem.admin import tokens
from fleetmem.admin.postgres import EmbeddedPostgres
from fleetmem_gateway import app
from fleetmem_gateway.auth import LOOKUP_KEPT_S
from tests.clusters import Cluster
from tests.databases import prepare
from tests.http.fleet import Fleet, Voice, make_fleet, running
from tests.measured import Measured
from tests.store.standby import Follower, following

_LAG_S: Final = 1.5
_DBNAME: Final = "fleetmem"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="fleetmem-standby-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="module")
def primary(folder: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(folder / "home", fast=True, outside=folder / "outside")
    server.start()
    yield server
    server.erase()


@pytest.fixture(scope="module")
def fleet(primary: EmbeddedPostgres, folder: Path) -> Fleet:
    cluster = Cluster(admin=primary.conninfo(), major=18, run="standby")
    prepare(cluster, _DBNAME)
    return make_fleet(cluster, cluster.at(_DBNAME), folder / "fleet")


@pytest.fixture(scope="module")
def follower(fleet: Fleet, primary: EmbeddedPostgres, folder: Path) -> Iterator[Follower]:
    assert fleet.database.dbname == _DBNAME
    (folder / "follower").mkdir()
    with following(primary, folder / "follower", _DBNAME) as started:
        yield started


@pytest.fixture
async def gateway(fleet: Fleet, follower: Follower) -> AsyncIterator[httpx.AsyncClient]:
    """A gateway that has just begun to read from the standby."""
    follower.ask("select pg_wal_replay_resume()")
    async with running(app.agents(fleet.told(read_url=follower.url, read_lag_s=_LAG_S))) as client:
        voice = Voice(client, fleet.tokens["facilities"])
        await until(lambda: reads_from(follower, voice))
        yield client


async def reads_from(follower: Follower, voice: Voice) -> bool:
    """Whether a read reaches the standby: the second of two leaves its mark in the standby's list of connections."""
    since = follower.ask("select clock_timestamp()")
    await voice.get("/v1/me")
    return bool(
        follower.ask(
            "select count(*) from pg_stat_activity where usename = 'fleetmem_gateway' and query like '%api.me%'"
            f" and query_start > '{since}'"
        )
    )


async def until(true: Callable[[], Any], *, within_s: float = 15) -> None:
    async with asyncio.timeout(within_s):
        while not await true():  # noqa: ASYNC110 -- what is waited for happens in another process
            await asyncio.sleep(0.02)


@asynccontextmanager
async def behind(follower: Follower) -> AsyncIterator[None]:
    """Hold replay still for the length of the block."""
    follower.ask("select pg_wal_replay_pause()")
    while follower.ask("select pg_get_wal_replay_pause_state()") != "paused":  # noqa: ASYNC110 -- in another process
        await asyncio.sleep(0.01)
    try:
        yield
    finally:
        follower.ask("select pg_wal_replay_resume()")


async def test_reads_are_the_standbys_and_writes_the_primarys(
    fleet: Fleet, follower: Follower, gateway: httpx.AsyncClient
) -> None:
    voice = Voice(gateway, fleet.tokens["facilities"])
    made = await voice.publish("Where from")
    while not follower.ask(f"select exists (select from fleet.beat where id = '{made}')"):  # noqa: ASYNC110 -- in another process
        await asyncio.sleep(0.01)
    async with behind(follower):
        later = await voice.publish("Where from", body="Later.")
        assert await reads_from(follower, voice)
        [shown] = (await voice.get("/v1/beats", topic="Where from")).json()["items"]
        assert shown["id"] == made  # not the newest: this is the standby speaking
        # One that the standby has not got yet is there all the same for who knows its id.
        assert (await voice.get(f"/v1/beats/{later}")).status_code == 200


async def test_a_token_that_the_standby_does_not_know_yet_is_good(
    fleet: Fleet, follower: Follower, gateway: httpx.AsyncClient
) -> None:
    async with behind(follower):
        with fleet.owner() as owner:
            _, fresh = tokens.issue(owner, "finance")
        assert (await Voice(gateway, fresh).get("/v1/me")).json()["name"] == "finance"


async def test_past_the_limit_reads_go_back_to_the_primary(
    fleet: Fleet, follower: Follower, gateway: httpx.AsyncClient, measured: Measured
) -> None:
    voice = Voice(gateway, fleet.tokens["facilities"])
    await voice.publish("Lag", body="Before.")
    await asyncio.sleep(0.5)
    async with behind(follower):
        now = await voice.publish("Lag", body="After.")
        since_s = time.monotonic()
        seen = [time.monotonic() - since_s]
        while (await voice.get("/v1/beats", topic="Lag")).json()["items"][0]["id"] != now:
            seen.append(time.monotonic() - since_s)
            await asyncio.sleep(0.02)
        assert seen[-1] <= _LAG_S
        assert not await reads_from(follower, voice)
        measured(f"standby, replay stopped: last old answer asked for after {seen[-1]:.2f} s, limit {_LAG_S} s")
    await until(lambda: reads_from(follower, voice))


async def test_a_revoked_token_is_refused_within_replay_or_the_limit(
    fleet: Fleet, follower: Follower, gateway: httpx.AsyncClient, measured: Measured
) -> None:
    async def refused_after(name: str) -> float:
        with fleet.owner() as owner:
            token_id, token = tokens.issue(owner, name)
            voice = Voice(gateway, token)
            assert (await voice.get("/v1/me")).status_code == 200
            tokens.revoke(owner, token_id)
        since_s = last_s = time.monotonic()
        while True:
            asked_s = time.monotonic()
            if (await voice.get("/v1/beats")).status_code == 401:
                return last_s - since_s
            last_s = asked_s

    measured(f"standby, replaying: last answer to a revoked token {1000 * await refused_after('health'):.0f} ms after")
    async with behind(follower):
        # Known to the standby, so that only its own age can refuse it there.
        pass
    with fleet.owner() as owner:
        token_id, token = tokens.issue(owner, "health")
    voice = Voice(gateway, token)
    await asyncio.sleep(0.5)
    async with behind(follower):
        assert (await voice.get("/v1/me")).status_code == 200
        with fleet.owner() as owner:
            tokens.revoke(owner, token_id)
        since_s = last_s = time.monotonic()
        while (await voice.get("/v1/beats")).status_code == 200:
            last_s = time.monotonic()
            await asyncio.sleep(0.01)
    assert last_s - since_s <= _LAG_S + 0.5
    measured(
        f"standby, replay stopped: last answer to a revoked token {last_s - since_s:.2f} s after, limit {_LAG_S} s"
    )


async def test_a_revoked_token_is_refused_by_the_look_up_on_the_primary_whatever_the_limit_is(
    fleet: Fleet, follower: Follower, measured: Measured
) -> None:
    with fleet.owner() as owner:
        token_id, token = tokens.issue(owner, "finance")
    async with running(app.agents(fleet.told(read_url=follower.url, read_lag_s=60))) as client:
        voice = Voice(client, token)
        await until(lambda: reads_from(follower, voice))
        async with behind(follower):
            with fleet.owner() as owner:
                tokens.revoke(owner, token_id)
            since_s = last_s = time.monotonic()
            while (await voice.get("/v1/me")).status_code == 200:
                last_s = time.monotonic()
                await asyncio.sleep(0.02)
    assert last_s - since_s <= LOOKUP_KEPT_S + 0.5
    measured(f"standby, replay stopped, limit 60 s: last answer to a revoked token {last_s - since_s:.2f} s after")


async def test_a_standby_that_dies_fails_no_request_and_is_read_again_when_it_is_back(
    fleet: Fleet, follower: Follower, gateway: httpx.AsyncClient, measured: Measured
) -> None:
    voices = [Voice(gateway, fleet.tokens[name]) for name in ("facilities", "finance", "health")]
    statuses: list[int] = []
    stopping = asyncio.Event()

    async def ask(voice: Voice) -> None:
        while not stopping.is_set():
            statuses.append((await voice.get("/v1/beats")).status_code)
            await asyncio.sleep(0.005)

    asking = [asyncio.create_task(ask(voice)) for voice in voices]
    await asyncio.sleep(0.3)
    follower.kill()
    await asyncio.sleep(1)
    await asyncio.to_thread(follower.start)
    since_s = time.monotonic()
    await until(lambda: reads_from(follower, voices[0]))
    stopping.set()
    await asyncio.gather(*asking)
    assert set(statuses) == {200}
    measured(
        f"standby, killed: {len(statuses)} reads meanwhile, none failed; read again {time.monotonic() - since_s:.1f} s after"
        " it was back"
    )


async def test_a_standby_that_is_away_at_the_start_is_no_obstacle(fleet: Fleet) -> None:
    nowhere = "postgresql:///fleetmem?host=/nonexistent"
    async with running(app.agents(fleet.told(read_url=nowhere, read_lag_s=_LAG_S))) as client:
        assert (await Voice(client, fleet.tokens["facilities"]).get("/v1/me")).status_code == 200


async def test_a_standby_that_was_promoted_is_read_no_more(
    fleet: Fleet, follower: Follower, gateway: httpx.AsyncClient
) -> None:
    voice = Voice(gateway, fleet.tokens["facilities"])
    follower.ask("select pg_promote()")
    await asyncio.sleep(_LAG_S)
    assert not await reads_from(follower, voice)
    newest = await voice.publish("After the promotion")
    assert (await voice.get("/v1/beats")).json()["items"][0]["id"] == newest
