"""A hot standby of a server of the tests' own: copied by pg_basebackup, following by streaming, paused and promoted at will."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import psycopg

from fleetmem.admin.postgres import ConnInfo, EmbeddedPostgres, account, binaries, place
from fleetmem.admin.postgres.account import Account

_HBA: Final = "local all all scram-sha-256\n"
_UP_S: Final = 30


@dataclass(slots=True)
class Follower:
    """The standby's programs, folder, user and process; `database` is its superuser's way to the fleet's database."""

    programs: Path
    folder: Path
    account: Account
    database: ConnInfo
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql:///{self.database.dbname}?host={self.database.host}&port={self.database.port}"

    def start(self) -> None:
        options = {
            "hba_file": f"{self.folder}/hba.conf",
            "unix_socket_directories": self.database.host,
            "listen_addresses": "",
            "port": str(self.database.port),
            "shared_buffers": "16MB",
            "fsync": "off",
        }
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.folder / "data", *words],
                stdout=log,
                stderr=log,
                **self.account.spawning(),
            )
        deadline = time.monotonic() + _UP_S
        while not self._answers():
            assert self.process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.05)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(30)

    def ask(self, statement: str) -> Any:
        with psycopg.connect(**self.database.psycopg(), autocommit=True) as connection:
            row = connection.execute(statement).fetchone()
        return row[0] if row else None

    def _answers(self) -> bool:
        try:
            self.ask("select 1")
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def following(server: EmbeddedPostgres, folder: Path, dbname: str) -> Iterator[Follower]:
    """Copy a running server into `folder` and follow it; `folder` is one that the server's user may enter."""
    source, runs_as = server.conninfo(dbname), account.choose(None)
    programs = binaries.find(None, account=runs_as, outside=place.OUTSIDE).folder
    if runs_as.drops_root:
        os.chown(folder, runs_as.uid, runs_as.gid)
    spawning = runs_as.spawning()
    spawning["env"] |= {"PGPASSWORD": source.password}
    copying = ["-D", str(folder / "data"), "--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast"]
    subprocess.run(
        [str(programs / "pg_basebackup"), "-h", source.host, "-p", str(source.port), "-U", source.user, *copying],
        check=True,
        capture_output=True,
        timeout=120,
        **spawning,
    )
    (folder / "hba.conf").write_text(_HBA)
    follower = Follower(programs, folder, runs_as, replace(source, host=str(folder)))
    follower.start()
    try:
        yield follower
    finally:
        follower.stop()
