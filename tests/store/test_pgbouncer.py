"""The product behind PgBouncer in transaction mode: one connection of the server for all agents of a real gateway."""

import asyncio
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import psycopg
import pytest

from tests.clusters import Cluster
from tests.databases import Databases
from tests.http.fleet import Fleet, bearer, make_fleet
from tests.http.processes import free_port, run, serving
from tests.measured import Measured

_ROUNDS: Final = 12
_READY_S: Final = 10


@dataclass(frozen=True, slots=True)
class Bouncer:
    """A running PgBouncer with one connection to the server, and where it listens."""

    port: int
    version: str
    dbname: str

    @property
    def url(self) -> str:
        return f"postgresql://127.0.0.1:{self.port}/{self.dbname}?sslmode=disable"


@pytest.fixture(scope="module")
def fleet(postgres_cluster: Cluster, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    return make_fleet(postgres_cluster, databases.fresh(postgres_cluster), tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def bouncer(fleet: Fleet) -> Iterator[Bouncer]:
    with bouncing(fleet, program()) as running:
        yield running


def program() -> Path:
    """Find PgBouncer, or install Debian's.

    It is put into the system only where the test is root on a Debian: a container, most likely.
    """
    found = _found()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        # A fresh container has no package lists yet.
        if not _apt("install", "-y", "--no-install-recommends", "pgbouncer"):
            _apt("update")
            _apt("install", "-y", "--no-install-recommends", "pgbouncer")
        found = _found()
    if found is None:
        pytest.skip("no pgbouncer here, and none could be installed: apt-get needs root on a Debian with a network")
    return found


def _found() -> Path | None:
    path = shutil.which("pgbouncer", path=f"{os.defpath}:/usr/sbin:/usr/local/bin:/usr/local/sbin")
    return Path(path) if path else None


def _apt(*words: str) -> bool:
    patience = ("-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10", "-o", "DPkg::Lock::Timeout=20")
    try:
        return not subprocess.run(
            ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *patience, *words],
            capture_output=True,
            timeout=90,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        return False


@contextmanager
def bouncing(fleet: Fleet, binary: Path) -> Iterator[Bouncer]:
    """Run PgBouncer before the fleet's database; it knows SCRAM verifiers and no password."""
    with psycopg.connect(**fleet.database.psycopg()) as owner:
        logins = owner.execute(
            "select rolname, rolpassword from pg_authid where rolname in ('fleetmem_gateway', 'fleetmem_console')"
        ).fetchall()
    folder, port = Path(tempfile.mkdtemp(prefix="fleetmem-pgbouncer-")), free_port()
    account = _account(fleet)
    (folder / "users.txt").write_text("".join(f'"{name}" "{verifier}"\n' for name, verifier in logins))
    (folder / "pgbouncer.ini").write_text(
        "\n".join(
            (
                "[databases]",
                f"{fleet.database.dbname} = host={fleet.database.host} port={fleet.database.port}",
                "[pgbouncer]",
                f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =",
                f"auth_type = scram-sha-256\nauth_file = {folder}/users.txt",
                "pool_mode = transaction\ndefault_pool_size = 1\nmax_db_connections = 1",
            )
        )
    )
    for path in (folder, *folder.iterdir()):
        if account is not None:
            os.chown(path, account, -1)
    process = subprocess.Popen(
        [binary, "-q", folder / "pgbouncer.ini"], user=account, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        _wait(process, port)
        yield Bouncer(port, _version(binary), fleet.database.dbname)
    finally:
        process.terminate()
        process.communicate(timeout=20)
        shutil.rmtree(folder)


def _account(fleet: Fleet) -> int | None:
    """PgBouncer refuses to be root: whoever may enter the server's socket folder is it instead."""
    if os.geteuid() != 0:
        return None
    host = fleet.database.host
    return Path(host).stat().st_uid if host.startswith("/") else 65_534


def _version(binary: Path) -> str:
    said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout
    return said.split()[1]


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + _READY_S
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.05)


async def test_three_agents_share_one_connection_and_each_is_itself(
    fleet: Fleet, bouncer: Bouncer, measured: Measured
) -> None:
    settings = {"FLEETMEM_SERVICE_DATABASE_URL": bouncer.url, "FLEETMEM_POOLER": "transaction"}
    with serving(fleet, **settings) as (_, url), psycopg.connect(**fleet.database.psycopg(), autocommit=True) as owner:
        names = ("facilities", "finance", "health")
        since_s = time.monotonic()
        await asyncio.gather(*(_live(url, name, fleet.tokens[name]) for name in names for _ in range(3)))
        took_s = time.monotonic() - since_s
        pids = owner.execute(
            "select count(distinct pid) from pg_stat_activity where usename = 'fleetmem_gateway' and datname = %s",
            [bouncer.dbname],
        ).fetchone()
    assert pids == (1,)
    measured(
        f"PgBouncer {bouncer.version}: nine callers of three agents over one server connection,"
        f" {9 * _ROUNDS * 4} requests in {took_s:.1f} s, each answered as its sender's own"
    )


async def _live(url: str, name: str, token: str) -> None:
    """Be one agent: whatever comes back is its own, or open to it."""
    reads = {"facilities": {"open"}, "finance": {"open", "finance"}, "health": {"open", "health"}}[name]
    audience = min(reads)
    async with httpx.AsyncClient(base_url=url, headers=bearer(token), timeout=30) as client:
        for number in range(_ROUNDS):
            assert (await client.get("/v1/me")).json()["name"] == name
            draft = {"topic": f"{name} {number % 3}", "body": f"by {name}", "audience": audience}
            made = await client.post("/v1/beats", json=draft)
            assert (made.status_code, made.json().get("author")) == (201, name), made.text
            seen = (await client.get("/v1/beats", params={"limit": 20})).json()["items"]
            assert {each["audience"] for each in seen} <= reads
            assert all(each["body"] == f"by {each['author']}" for each in seen)
            # A refusal in between must not be the next one's.
            assert (await client.get("/v1/beats/01900000-0000-7000-8000-000000000000")).status_code == 404


async def test_a_caller_who_leaves_half_way_leaves_nothing_to_the_next(fleet: Fleet, bouncer: Bouncer) -> None:
    settings = {"FLEETMEM_SERVICE_DATABASE_URL": bouncer.url, "FLEETMEM_POOLER": "transaction"}
    with serving(fleet, **settings) as (_, url):
        async with (
            httpx.AsyncClient(base_url=url, headers=bearer(fleet.tokens["health"]), timeout=30) as hasty,
            httpx.AsyncClient(base_url=url, headers=bearer(fleet.tokens["facilities"]), timeout=30) as patient,
        ):
            for number in range(20):
                draft = {"topic": f"hasty {number}", "body": "by health", "audience": "health"}
                asking = asyncio.create_task(hasty.post("/v1/beats", json=draft))
                await asyncio.sleep(0.001 * (number % 7))
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)
                assert (await patient.get("/v1/me")).json()["name"] == "facilities"


def test_a_gateway_that_was_not_told_of_the_pooler_does_not_start(fleet: Fleet, bouncer: Bouncer) -> None:
    ended = run(fleet, "agents", FLEETMEM_SERVICE_DATABASE_URL=bouncer.url)
    assert ended.returncode == 78, ended.stderr
    assert "FLEETMEM_POOLER" in ended.stderr
