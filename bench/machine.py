"""What a run was measured on: without it no figure can be compared with another."""

import platform
from importlib import metadata
from pathlib import Path
from typing import Final

import psutil
import psycopg

from fleetmem.admin.database import Conninfo

_PACKAGES: Final = ("fleetmem", "litestar", "granian", "uvloop", "asyncpg", "msgspec")
_SETTINGS: Final = ("fsync", "synchronous_commit", "shared_buffers")


def facts(owner: Conninfo, *, load_by: str) -> dict[str, str]:
    """Cores, processor, versions and the settings that decide what a durable write means."""
    with psycopg.connect(**owner) as connection:
        server = str(connection.info.parameter_status("server_version"))
        shown = {name: _shown(connection, name) for name in _SETTINGS}
    one, five, fifteen = psutil.getloadavg()
    return {
        "cores": str(psutil.cpu_count() or 1),
        "processor": _processor(),
        "memory": f"{psutil.virtual_memory().total / 2**30:.1f} GiB",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "load before": f"{one:.2f} {five:.2f} {fifteen:.2f}",
        "python": platform.python_version(),
        "postgres": server,
        **shown,
        **{name: version for name in _PACKAGES if (version := _version(name))},
        "load by": load_by,
    }


def _shown(connection: psycopg.Connection[tuple[object, ...]], setting: str) -> str:
    row = connection.execute("select current_setting(%s)", [setting]).fetchone()
    return str(row[0]) if row else ""


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
