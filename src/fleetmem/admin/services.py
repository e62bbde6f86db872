"""The gateway and the console as child processes: started, waited for, watched, stopped, and cleaned up after a crash."""

import contextlib
import http.client
import json
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import psutil

from fleetmem.admin.postgres.place import private_file
from fleetmem.config import Settings, child_environment
from fleetmem.errors import ConfigInvalid, SetupInvalid

READY_S: Final = 30.0
GRACE_S: Final = 20.0
_POLL_S: Final = 0.05
_MODULE: Final = "fleetmem_gateway"


@dataclass(slots=True)
class Service:
    """One child process that listens on one port; `what` is what `python -m fleetmem_gateway` is asked to be."""

    what: str
    host: str
    port: int
    settings: Settings
    restarts: int = 0
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """Where it is reached."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def log(self) -> Path:
        """The file its standard output and error go to."""
        return self.settings.home / "log" / f"{self.what}.log"

    def start(self) -> None:
        """Start the process.

        Raises:
            SetupInvalid: something else listens on its port.
        """
        self.check_port()
        with self.log.open("ab") as log:
            self.log.chmod(0o600)
            self.process = subprocess.Popen(
                [sys.executable, "-m", _MODULE, self.what],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=child_environment(self.settings),
                start_new_session=True,
            )
        _remember(self)

    def check_port(self) -> None:
        """See that its port is free.

        Raises:
            SetupInvalid: something else listens there; names the setting to change.
        """
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, self.port))
            except OSError as error:
                variable = "FLEETMEM_GATEWAY_PORT" if self.what == "agents" else "FLEETMEM_CONSOLE_PORT"
                raise SetupInvalid(
                    f"{self.host}:{self.port} cannot be listened on ({error.strerror}); set {variable} to a free port",
                    field=variable,
                ) from error

    def wait_until_ready(self) -> None:
        """Return once /readyz says that it serves.

        Raises:
            SetupInvalid: it ended, or did not answer in time; the message ends with its last words.
        """
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline:
            if self.has_ended:
                raise SetupInvalid(f"the {self.what} process ended at once:\n{self._last_words()}")
            if self.is_ready():
                return
            time.sleep(_POLL_S)
        raise SetupInvalid(f"the {self.what} process was not ready within {READY_S:g} s:\n{self._last_words()}")

    def is_ready(self) -> bool:
        """Whether it answers and its database answers it."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    @property
    def has_ended(self) -> bool:
        """Whether the process was started and is no more."""
        return self.process is not None and self.process.poll() is not None

    def stop(self) -> None:
        """End it: what is in flight is finished first, for as long as the grace lasts."""
        if self.process is None:
            return
        for number, patience_s in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, None)):
            if self.process.poll() is not None:
                break
            self.process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience_s)
        self.process = None

    def _last_words(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-8:])


def services(settings: Settings) -> tuple[Service, Service]:
    """The two services of a fleet: the agents' gateway and the operators' console.

    Raises:
        ConfigInvalid: both would listen on one port, and share its connections at random.
    """
    if settings.gateway_port == settings.console_port:
        raise ConfigInvalid(
            f"gateway and console cannot share the port {settings.console_port}; set FLEETMEM_CONSOLE_PORT to another",
            field="FLEETMEM_CONSOLE_PORT",
        )
    return (
        Service("agents", settings.gateway_host, settings.gateway_port, settings),
        Service("console", settings.console_host, settings.console_port, settings),
    )


def as_running(settings: Settings) -> Settings:
    """The settings with the addresses that this data directory's services listen on, where they run on this machine.

    A terminal other than the one that started them need not be told the ports again, and cannot mistake another fleet's
    services for these.
    """
    found: dict[str, str | int] = {}
    for what, host, port in (
        ("agents", "gateway_host", "gateway_port"),
        ("console", "console_host", "console_port"),
    ):
        path = settings.home / "run" / f"{what}.pid"
        if _recalled(path) is not None:
            _, _, found[host], found[port] = json.loads(path.read_text(encoding="ascii"))
    return replace(settings, **found)  # type: ignore[arg-type]


def end_leftovers(home: Path) -> int:
    """End the services that a killed supervisor left behind; how many there were."""
    ended = 0
    for path in sorted((home / "run").glob("*.pid")):
        process = _recalled(path)
        if process is not None:
            with contextlib.suppress(psutil.NoSuchProcess):
                family = [process, *process.children(recursive=True)]
                for each in family:
                    each.terminate()
                _, stubborn = psutil.wait_procs(family, timeout=5)
                for each in stubborn:
                    each.kill()
                ended += 1
        path.unlink(missing_ok=True)
    return ended


def _remember(service: Service) -> None:
    assert service.process is not None  # noqa: S101 -- called by what started it
    pid = service.process.pid
    with contextlib.suppress(psutil.NoSuchProcess):
        told = [pid, psutil.Process(pid).create_time(), service.host, service.port]
        private_file(service.settings.home / "run" / f"{service.what}.pid", json.dumps(told) + "\n")


def _recalled(path: Path) -> psutil.Process | None:
    """The process a pid file speaks of; None when it is gone, or its number is another process's by now."""
    try:
        pid, created, _, _ = json.loads(path.read_text(encoding="ascii"))
        process = psutil.Process(pid)
        ours = process.create_time() == created and _MODULE in process.cmdline()
    except (OSError, ValueError, TypeError, psutil.Error):
        return None
    return process if ours else None
