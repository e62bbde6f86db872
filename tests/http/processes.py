"""The two services as real processes, listening on loopback."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from tests.http.fleet import Fleet

MODULE = (sys.executable, "-m", "fleetmem_gateway")


def free_port() -> int:
    """Find a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(fleet: Fleet, **settings: str) -> dict[str, str]:
    """Return the environment of a service of this fleet."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FLEETMEM_")}  # noqa: TID251
    return inherited | {
        "FLEETMEM_HOME": str(fleet.settings.home),
        "FLEETMEM_LOG_LEVEL": "error",
        "FLEETMEM_RATE_PER_S": "0",
        "FLEETMEM_GATEWAY_PORT": str(free_port()),
        **settings,
    }


def run(fleet: Fleet, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a service that is expected to end at once."""
    return subprocess.run(
        [*MODULE, *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(fleet, **settings),
    )


@contextmanager
def serving(fleet: Fleet, what: str = "agents", **settings: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run a service until the block ends; yields the process and its URL."""
    port = free_port()
    variable = "FLEETMEM_CONSOLE_PORT" if what == "console" else "FLEETMEM_GATEWAY_PORT"
    process = subprocess.Popen([*MODULE, what], env=environment(fleet, **{variable: str(port)}, **settings))
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_ready(process, url)
        yield process, url
    finally:
        process.kill()
        process.wait()


def _wait_until_ready(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        assert process.poll() is None, "the service ended at once"
        try:
            if httpx.get(f"{url}/readyz").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    pytest.fail("the service was not ready in time")
