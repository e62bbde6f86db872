"""Runs the usual way to build it (`separate_statements.py`) in an environment that is made for it once."""

import json
import socket
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench import ground, scripts
from bench.ground import free_port
from fleetmem.admin.up import Fleet
from fleetmem.errors import SetupInvalid
from fleetmem.fleet.claims import SigningKey

_PACKAGES: Final = ("fastapi~=0.115", "uvicorn[standard]~=0.34", "asyncpg", "pyjwt~=2.10")
_PROGRAM: Final = Path(__file__).with_name("separate_statements.py")
_READY_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class Peer:
    """The running peer."""

    host: str
    port: int
    process: subprocess.Popen[str]


@contextmanager
def running(fleet: Fleet, key: SigningKey, *, may_install: bool, say: Callable[[str], None]) -> Iterator[Peer | None]:
    """The peer on the fleet's database while the block lasts; None where it cannot be installed."""
    python = _environment(say) if may_install else None
    if python is None:
        yield None
        return
    port = free_port()
    database = ground.as_login(fleet)
    config = {
        "database": {
            **{name: database[name] for name in ("host", "port", "user", "password")},
            "database": database["dbname"],
        },
        "pool": fleet.settings.pool_size,
        "key": key.key.hex(),
        "audience": key.aud,
        "newest": scripts.NEWEST,
        "port": port,
    }
    with subprocess.Popen([python, _PROGRAM], stdin=subprocess.PIPE, text=True) as process:
        try:
            if process.stdin is not None:
                process.stdin.write(json.dumps(config))
                process.stdin.close()
            _wait(process, port)
            yield Peer("127.0.0.1", port, process)
        finally:
            process.terminate()


def _environment(say: Callable[[str], None]) -> Path | None:
    """The peers' Python, in an environment inside the product's own; None where its packages cannot be had."""
    folder = Path(sys.prefix) / "peers"
    python, made = folder / "bin" / "python", folder / ".made"
    if not made.exists():
        say("setting up FastAPI and uvicorn, to compare with (once) …")
        venv.create(folder, with_pip=True, clear=True)
        install: list[str | Path] = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            *_PACKAGES,
        ]
        done = subprocess.run(install, check=False, capture_output=True, text=True)
        if done.returncode:
            say(f"they cannot be installed here, so they are left out: {done.stderr.strip().splitlines()[-1:]}")
            return None
        made.touch()
    return python


def _wait(process: subprocess.Popen[str], port: int) -> None:
    deadline = time.monotonic() + _READY_S
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SetupInvalid("the peer built on FastAPI did not start")
