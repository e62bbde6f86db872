"""The gateway, the console and the worker as child processes of a supervisor: what each needs before it starts, and is."""

import http.client
import json
import socket
import time
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from fleetmem.admin.child import Child, end_leftovers, recalled
from fleetmem.config import Settings
from fleetmem.errors import ConfigInvalid, SetupInvalid

__all__ = ["Service", "Worker", "as_running", "end_leftovers", "services"]

READY_S: Final = 30.0
_POLL_S: Final = 0.05


@dataclass(slots=True)
class Service(Child):
    """One process that listens on one port; `what` is what `python -m fleetmem_gateway` is asked to be."""

    module: ClassVar[str] = "fleetmem_gateway"

    host: str
    port: int

    @property
    def arguments(self) -> tuple[str, ...]:
        """Which of the two services it is."""
        return (self.what,)

    @property
    def listens_at(self) -> tuple[str | None, int | None]:
        """The host and port it listens on."""
        return self.host, self.port

    @property
    def url(self) -> str:
        """Where it is reached."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def start(self) -> None:
        """Start the process.

        Raises:
            SetupInvalid: something else listens on its port.
        """
        self.check_port()
        Child.start(self)

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
                raise SetupInvalid(f"the {self.what} process ended at once:\n{self.last_words()}")
            if self.is_ready():
                return
            time.sleep(_POLL_S)
        raise SetupInvalid(f"the {self.what} process was not ready within {READY_S:g} s:\n{self.last_words()}")

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


@dataclass(slots=True)
class Worker(Child):
    """The process that carries what teams say into memory."""

    module: ClassVar[str] = "fleetmem.worker"


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
        Service("agents", settings, settings.gateway_host, settings.gateway_port),
        Service("console", settings, settings.console_host, settings.console_port),
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
        if recalled(path) is not None:
            _, _, found[host], found[port] = json.loads(path.read_text(encoding="ascii"))
    return replace(settings, **found)  # type: ignore[arg-type]
