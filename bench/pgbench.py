"""pgbench, the yardstick: the same fenced work with nothing between its clients and the database."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from bench.sample import Sample
from fleetmem.admin.database import Conninfo
from fleetmem.errors import SetupInvalid

_THREADS: Final = 2
_DONE: Final = re.compile(r"number of transactions actually processed: (\d+)")
_RATE: Final = re.compile(r"^tps = ([\d.]+)", re.MULTILINE)
_LATENCY: Final = re.compile(r"latency average = ([\d.]+) ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pgbench:
    """One script, run by `clients` connections as the gateway's login with prepared statements."""

    program: Path
    way: Conninfo
    script: Path
    clients: int

    def run(self, seconds: float, **values: str) -> Sample:
        """Run the script for a while; `:name` in it is bound to the value of that name.

        Raises:
            SetupInvalid: pgbench failed, or one transaction did.
        """
        return self._send(f"--time={max(1, round(seconds))}", values)

    def connect(self, **values: str) -> None:
        """Open every client's connection and run the script once in each: what a run costs before it begins."""
        self._send("--transactions=1", values)

    def _send(self, how_much: str, values: dict[str, str]) -> Sample:
        command: list[str | Path] = [self.program, "--no-vacuum", "--protocol=prepared", f"--file={self.script}"]
        command += [f"--client={self.clients}", f"--jobs={_THREADS}", how_much]
        command += [f"--define={name}={value}" for name, value in values.items()]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=self._environment())
        said = done.stdout + done.stderr
        rate, count, latency = (pattern.search(said) for pattern in (_RATE, _DONE, _LATENCY))
        if done.returncode or "aborted" in said or not (rate and count and latency):
            raise SetupInvalid(f"pgbench failed: {said.strip()[-800:]}")
        return Sample(per_s=float(rate[1]), requests=int(count[1]), mean_ms=float(latency[1]))

    def _environment(self) -> dict[str, str]:
        return {
            "PGHOST": self.way["host"],
            "PGPORT": str(self.way["port"]),
            "PGUSER": self.way["user"],
            "PGPASSWORD": self.way["password"],
            "PGDATABASE": self.way["dbname"],
        }


def beside(server_pid: int) -> Path:
    """The pgbench that came with a running server.

    Raises:
        SetupInvalid: it came without.
    """
    program = Path(psutil.Process(server_pid).exe()).with_name("pgbench")
    if not program.exists():
        raise SetupInvalid(f"there is no pgbench next to {program.with_name('postgres')}; set FLEETMEM_PG_BIN")
    return program
