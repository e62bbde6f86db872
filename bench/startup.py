"""How long `up` takes on this machine once everything is installed: with nothing there yet, and with its data there."""

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

from bench.ground import free_port
from bench.report import Goal, Row
from fleetmem.admin.postgres import EmbeddedPostgres
from fleetmem.admin.services import services
from fleetmem.config import Settings, child_environment
from fleetmem.errors import SetupInvalid

_PATIENCE_S: Final = 120.0
_UP: Final = "from fleetmem import config; from fleetmem.admin import up; up.run(config.load())"


def measure(given: Settings) -> tuple[list[Row], list[Goal]]:
    """Start a fleet in a process of its own, stop it, start it again."""
    home = Path(tempfile.mkdtemp(prefix="fleetmem-bench-up-"))
    settings = replace(given, home=home, database_url=None, gateway_port=free_port(), console_port=free_port())
    try:
        first_s, second_s = _up_and_down(settings), _up_and_down(settings)
    finally:
        EmbeddedPostgres(home, pg_bin=settings.pg_bin).erase()
        shutil.rmtree(home)
    section = "start-up, both services ready (seconds, warm cache)"
    rows = [Row(section, "first up", {"seconds": first_s}), Row(section, "second up", {"seconds": second_s})]
    goals = [
        Goal(number="11", says=f"seconds of the {which} up", bound=bound, at_least=False, measured=measured)
        for which, bound, measured in (("first", 60, first_s), ("second", 5, second_s))
    ]
    return rows, goals


def _up_and_down(settings: Settings) -> float:
    """Seconds from the start of the process until both services are ready."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", _UP], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=child_environment(settings)
    )
    try:
        _wait(process, settings)
        return time.perf_counter() - started
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


def _wait(process: subprocess.Popen[bytes], settings: Settings) -> None:
    both = services(settings)
    deadline = time.perf_counter() + _PATIENCE_S
    while not all(service.is_ready() for service in both):
        if process.poll() is not None or time.perf_counter() > deadline:
            process.kill()
            raise SetupInvalid(f"the fleet did not come up:\n{process.communicate()[1].decode()[-800:]}")
        time.sleep(0.02)
