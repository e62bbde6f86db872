"""The life of one embedded server: made once, started, watched, stopped, and recovered after whatever happened.

The server is a child of the process that calls `start`, in a session of its own, so that a Ctrl-C at the terminal reaches
the supervisor alone and the server goes last. Stopping is SIGINT (disconnect everyone, checkpoint), then SIGQUIT.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

import psycopg

from fleetmem.admin.postgres import binaries, data, leftovers, place, settings
from fleetmem.admin.postgres.binaries import Binaries
from fleetmem.admin.postgres.conninfo import ConnInfo
from fleetmem.admin.postgres.data import SUPERUSER
from fleetmem.admin.postgres.place import Place
from fleetmem.errors import SetupInvalid

_DEFAULT_PORT: Final = 5432
_POLL_S: Final = 0.05
_LOG_BYTES: Final = 10_000_000
_LOG_TAIL_LINES: Final = 15


class EmbeddedPostgres:
    """A PostgreSQL server of our own below `home`, reached through a Unix socket.

    `pg_bin` is a folder of programs to run instead of the wheel's. `tcp_port` also opens that port on 127.0.0.1.
    `fast` gives up surviving a crash of the machine. `outside` is where a root's server lives, and is made by root.
    """

    def __init__(
        self,
        home: Path,
        *,
        pg_bin: Path | None = None,
        tcp_port: int | None = None,
        fast: bool = False,
        outside: Path = place.OUTSIDE,
    ) -> None:
        self._home = home
        self._pg_bin = pg_bin
        self._listening = settings.Listening(port=tcp_port or _DEFAULT_PORT, tcp=tcp_port is not None)
        self._fast = fast
        self._outside = outside
        self._place: Place | None = None
        self._lock: IO[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *, timeout_s: float = 120) -> None:
        """Bring the server up, making its data on the first run, and return once it answers; no-op while it runs.

        Also the way back after a crash: a server or its orphans left by an earlier run are ended first.

        Raises:
            SetupInvalid: it cannot be started; the message says what to do and ends with the server's own last words.
        """
        if self.is_running:
            return
        try:
            self._place = place.settle(self._home, outside=self._outside)
            self._take_lock(self._place)
            programs = binaries.find(self._pg_bin, account=self._place.account, outside=self._outside)
            leftovers.stop(self._place.data)
            data.ensure(self._place, programs, fast=self._fast)
            leftovers.clear_lock_files(self._place.data, self._place.sockets)
            self._process = self._spawn(self._place, programs)
            self._wait_until_it_answers(self._place, self._process, timeout_s)
        except BaseException:
            self.stop()
            raise

    def stop(self, *, grace_s: float = 30) -> None:
        """Stop the server: a clean shutdown, and a hard one when that takes longer than `grace_s`. May be repeated."""
        if self._process is not None:
            self._end(self._process, grace_s)
            self._process = None
        if self._place is not None and self._lock is not None:
            leftovers.stop(self._place.data)
            place.vacate(self._place)
            self._lock.close()
            self._lock = None

    def erase(self) -> None:
        """Stop the server and remove its data and its superuser's password: for throw-away fleets.

        Also the end of one whose supervisor was killed.

        Raises:
            SetupInvalid: another process supervises the server.
        """
        if self._lock is None:
            self._place = place.settle(self._home, outside=self._outside)
            self._take_lock(self._place)
        here = self._settled()
        self.stop()
        shutil.rmtree(here.folder, ignore_errors=True)
        here.password.unlink(missing_ok=True)
        if here.account.drops_root:
            (self._home.resolve() / "postgres").unlink(missing_ok=True)
        self._place = None

    @property
    def is_running(self) -> bool:
        """Whether the server's process lives; it may still be recovering."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """The server's process id; None while it does not run."""
        return self._process.pid if self._process is not None and self.is_running else None

    @property
    def runs_as(self) -> str:
        """The name of the user the server runs as."""
        return self._settled().account.name

    @property
    def folder(self) -> Path:
        """Where data and configuration are: HOME/postgres, or what it points to."""
        return self._settled().folder

    def answers(self) -> bool:
        """Whether the server takes a connection right now."""
        try:
            self._connect()
        except psycopg.OperationalError:
            return False
        return True

    def conninfo(self, dbname: str = "postgres", user: str = SUPERUSER, password: str | None = None) -> ConnInfo:
        """Return how to reach `dbname` as `user`; the superuser's password is known, every other is the caller's."""
        here = self._settled()
        if password is None:
            password = here.password.read_text(encoding="utf-8").strip() if user == SUPERUSER else ""
        return ConnInfo(host=str(here.sockets), port=self._listening.port, user=user, password=password, dbname=dbname)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _settled(self) -> Place:
        if self._place is None:
            self._place = place.settle(self._home, outside=self._outside)
        return self._place

    def _connect(self) -> None:
        psycopg.connect(**self.conninfo().psycopg(), connect_timeout=5).close()

    def _take_lock(self, here: Place) -> None:
        """Make this process the only one that may start, stop or clean up after this server."""
        if self._lock is not None:
            return
        lock = os.fdopen(os.open(here.lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "r+", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = lock.read().strip() or "unknown"
            lock.close()
            raise SetupInvalid(
                f"the server of {self._home} already runs, under process {holder}; stop that first, or set another "
                "FLEETMEM_HOME",
                field="FLEETMEM_HOME",
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        self._lock = lock

    def _spawn(self, here: Place, programs: Binaries) -> subprocess.Popen[bytes]:
        readable = 0o644 if here.account.drops_root else 0o600
        config = settings.configuration(here, self._listening, fast=self._fast)
        place.private_file(here.config, config, mode=readable)
        place.private_file(here.hba, settings.access(self._listening), mode=readable)
        with _open_log(here.log) as log:
            return subprocess.Popen(
                [programs.folder / "postgres", f"--config-file={here.config}", "-D", here.data],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **here.account.spawning(),
            )

    def _wait_until_it_answers(self, here: Place, process: subprocess.Popen[bytes], timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while process.poll() is None:
            try:
                self._connect()
            except psycopg.OperationalError as error:
                if "authentication failed" in str(error):
                    raise SetupInvalid(f"the password in {here.password} is not the server's own") from error
                if time.monotonic() > deadline:
                    raise SetupInvalid(
                        f"the server did not answer within {timeout_s:g} s:\n{_tail(here.log)}"
                    ) from error
            else:
                return
            time.sleep(_POLL_S)
        raise SetupInvalid(f"the server ended with status {process.returncode}:\n{_tail(here.log)}")

    @staticmethod
    def _end(process: subprocess.Popen[bytes], grace_s: float) -> None:
        for number, patience_s in ((signal.SIGINT, grace_s), (signal.SIGQUIT, 10.0), (signal.SIGKILL, None)):
            process.send_signal(number)
            try:
                process.wait(patience_s)
            except subprocess.TimeoutExpired:
                continue
            return


def _open_log(path: Path) -> IO[bytes]:
    """Open the log for appending, beginning a new one where the last has grown past its limit."""
    if path.exists() and path.stat().st_size > _LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600), "ab")


def _tail(path: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_TAIL_LINES:])
