"""The servers that tests run against: which are to be had, and how each is started and ended."""

import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from fleetmem.admin.postgres import ConnInfo, EmbeddedPostgres, server_major
from fleetmem.errors import SetupInvalid

URL_VARIABLE: Final = "FLEETMEM_TEST_DATABASE_URL"
_IMAGE_MAJOR: Final = 18
_IMAGE: Final = f"postgres:{_IMAGE_MAJOR}"
_WHEEL_MAJOR: Final = 18
_OLDEST_MAJOR: Final = 15
_HOMES: Final = "fleetmem-tests-"
_ABANDONED_S: Final = 600


@dataclass(frozen=True, slots=True)
class Cluster:
    """One server: its superuser at the maintenance database, its major version, and a name for this run of the tests."""

    admin: ConnInfo
    major: int
    run: str

    @property
    def label(self) -> str:
        """Such as pg18."""
        return f"pg{self.major}"

    @property
    def prefix(self) -> str:
        """How the name of every database that this run makes begins."""
        return f"fleetmem_test_{self.run}_"

    def at(self, dbname: str) -> ConnInfo:
        """Return the superuser's way into another database of this server."""
        return replace(self.admin, dbname=dbname)

    def login(self, login: str, dbname: str) -> ConnInfo:
        """Return the way into a database as one of the product's logins."""
        return replace(self.admin, dbname=dbname, user=login, password=self.password_of(login))

    def password_of(self, login: str) -> str:
        """Return the password a login gets: the same in every worker, for logins belong to the server."""
        return f"{self.run}-{login}"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a server comes from: a few words for the report, its major version, and what starts it."""

    name: str
    major: int
    start: Callable[[ExitStack], ConnInfo]


class Provision:
    """Starts each server when it is first asked for, and ends it with the session. Lives in pytest's controller."""

    def __init__(self) -> None:
        main = _main()
        second = _installed(other_than=main.major)
        self.sources = {"main": main} | ({} if second is None else {"second": second})
        self._run = secrets.token_hex(3)
        self._stack = ExitStack()
        self._started: dict[str, Cluster] = {}

    def cluster(self, which: str) -> Cluster:
        """Return the "main" or the "second" server, starting it now where it does not run yet."""
        if which not in self._started:
            source = self.sources[which]
            cluster = Cluster(admin=source.start(self._stack), major=source.major, run=self._run)
            self._stack.callback(_drop_databases, cluster)
            self._started[which] = cluster
        return self._started[which]

    def close(self) -> None:
        """Remove this run's databases, then end the servers that it started."""
        self._stack.close()


def _main() -> Source:
    url = os.environ.get(URL_VARIABLE)
    if url:
        admin = _from_url(url)
        with psycopg.connect(**admin.psycopg(), connect_timeout=10) as connection:
            major = connection.info.server_version // 10_000
        return Source(f"the server of {URL_VARIABLE}", major, lambda _: admin)
    if _container_is_to_be_had():
        return Source(f"a container of {_IMAGE}", _IMAGE_MAJOR, _container)
    return Source("the embedded server", _WHEEL_MAJOR, _embedded(None))


def _installed(*, other_than: int) -> Source | None:
    """Return the newest PostgreSQL that the system's packages installed, of 15 or later and not the main one's version."""
    found = [(server_major(folder), folder) for folder in Path("/usr/lib/postgresql").glob("*/bin")]
    usable = [(major, folder) for major, folder in found if major and major >= _OLDEST_MAJOR and major != other_than]
    if not usable:
        return None
    major, folder = max(usable)
    return Source(f"PostgreSQL {major} of {folder}", major, _embedded(folder))


def _from_url(url: str) -> ConnInfo:
    told = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    return ConnInfo(
        host=told.get("host", "localhost"),
        port=int(told.get("port", "5432")),
        user=told.get("user", "postgres"),
        password=told.get("password", ""),
        dbname=told.get("dbname", "postgres"),
    )


def _container_is_to_be_had() -> bool:
    """Whether a Docker engine answers and has, or can fetch, the image."""
    return _docker("info", timeout_s=10) and (
        _docker("image", "inspect", _IMAGE, timeout_s=10) or _docker("pull", "--quiet", _IMAGE, timeout_s=180)
    )


def _docker(*words: str, timeout_s: float) -> bool:
    try:
        asked = subprocess.run(["docker", *words], check=False, capture_output=True, timeout=timeout_s)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def _container(stack: ExitStack) -> ConnInfo:
    from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415 -- slow to import, and rarely needed

    made = PostgresContainer(_IMAGE, username="postgres", password=secrets.token_hex(8), dbname="postgres")
    running = stack.enter_context(made.with_command("-c fsync=off -c full_page_writes=off"))
    return ConnInfo(
        host=running.get_container_host_ip(),
        port=int(running.get_exposed_port(5432)),
        user="postgres",
        password=running.password,
        dbname="postgres",
    )


def _embedded(pg_bin: Path | None) -> Callable[[ExitStack], ConnInfo]:
    def start(stack: ExitStack) -> ConnInfo:
        _erase_abandoned()
        home = Path(tempfile.mkdtemp(prefix=_HOMES))
        stack.callback(shutil.rmtree, home, ignore_errors=True)
        server = EmbeddedPostgres(home, pg_bin=pg_bin, fast=True)
        server.start()
        stack.callback(server.erase)
        return server.conninfo()

    return start


def _erase_abandoned() -> None:
    """End the servers of runs that were killed; one whose run lives is locked, and a very new one may be starting."""
    for home in Path(tempfile.gettempdir()).glob(f"{_HOMES}*"):
        with suppress(SetupInvalid, OSError):
            if time.time() - home.stat().st_mtime > _ABANDONED_S:
                EmbeddedPostgres(home).erase()
                shutil.rmtree(home, ignore_errors=True)


def _drop_databases(cluster: Cluster) -> None:
    with psycopg.connect(**cluster.admin.psycopg(), autocommit=True) as connection:
        made = connection.execute("select datname from pg_database where starts_with(datname, %s)", [cluster.prefix])
        for (dbname,) in made.fetchall():
            connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(dbname)))
