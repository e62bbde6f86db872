"""A server's data directory: made whole on the first start, and checked against its programs on every later one."""

import secrets
import shutil
import subprocess
from pathlib import Path
from typing import Final

from fleetmem.admin.postgres import place
from fleetmem.admin.postgres.binaries import Binaries
from fleetmem.admin.postgres.place import Place
from fleetmem.errors import SetupInvalid

SUPERUSER: Final = "postgres"
_BUILTIN_LOCALE_MAJOR: Final = 17


def ensure(here: Place, programs: Binaries, *, fast: bool) -> None:
    """Run initdb where there is no data yet; otherwise see that data, password and programs belong together.

    Raises:
        SetupInvalid: initdb failed, the data is another major version's, or its superuser's password is lost.
    """
    if not here.data.exists():
        _make(here, programs, fast=fast)
        return
    made_by = (here.data / "PG_VERSION").read_text(encoding="utf-8").strip()
    if made_by != str(programs.major):
        raise SetupInvalid(
            f"the data in {here.data} was made by PostgreSQL {made_by}, and {programs.folder} is {programs.major}: "
            f"set FLEETMEM_PG_BIN to the programs of {made_by}, or move the data with pg_upgrade or pg_dump"
        )
    if not here.password.exists():
        raise SetupInvalid(f"{here.password} is missing: restore it, or set {here.folder} aside to begin anew")


def _make(here: Place, programs: Binaries, *, fast: bool) -> None:
    """Make the directory under another name and rename it when whole, so that a start that is killed leaves none."""
    if not here.password.exists():
        place.private_file(here.password, secrets.token_urlsafe(32) + "\n")
    draft = here.folder / "data.new"
    shutil.rmtree(draft, ignore_errors=True)
    place.own_directory(draft, owner=here.account)
    # The server's user cannot read ours.
    handover = here.folder / "password.new"
    place.private_file(handover, here.password.read_text(encoding="utf-8"), owner=here.account)
    try:
        made = subprocess.run(
            _initdb(programs, draft, handover, fast=fast),
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            **here.account.spawning(),
        )
    finally:
        handover.unlink()
    if made.returncode != 0:
        raise SetupInvalid(f"initdb failed:\n{made.stdout}{made.stderr}")
    draft.rename(here.data)


def _initdb(programs: Binaries, draft: Path, handover: Path, *, fast: bool) -> list[str]:
    locale = ["--locale=C.UTF-8"]
    if programs.major >= _BUILTIN_LOCALE_MAJOR:
        # PostgreSQL's own tables instead of the operating system's: the same order and case rules everywhere.
        locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    return [
        str(programs.folder / "initdb"),
        f"--pgdata={draft}",
        f"--username={SUPERUSER}",
        f"--pwfile={handover}",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--data-checksums",
        *locale,
        *(["--no-sync"] if fast else []),
    ]
