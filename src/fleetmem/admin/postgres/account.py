"""As whom a server runs. PostgreSQL refuses to run as root, so root hands it to a user of its own."""

import grp
import os
import pwd
import subprocess
from dataclasses import dataclass
from typing import Final, TypedDict

from fleetmem.errors import SetupInvalid

SYSTEM_USER: Final = "fleetmem-postgres"
# In this order: our own, a distribution's, and the one that owns nothing and exists everywhere.
_CANDIDATES: Final = (SYSTEM_USER, "postgres", "nobody")
_USERADD: Final = (
    "useradd",
    "--system",
    "--user-group",
    "--no-create-home",
    "--home-dir=/nonexistent",
    "--shell=/usr/sbin/nologin",
    SYSTEM_USER,
)
# Nothing of the caller's environment reaches a server: no PG* variable, no LD_*, no locale.
_ENVIRONMENT: Final = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC", "HOME": "/"}


class Spawning(TypedDict, total=False):
    """Keyword arguments of `subprocess.Popen` that decide as whom and in what surroundings it runs."""

    user: int
    group: int
    extra_groups: list[int]
    env: dict[str, str]
    cwd: str
    umask: int


@dataclass(frozen=True, slots=True)
class Account:
    """The user a server runs as; `drops_root` where that is not the user of this process."""

    name: str
    uid: int
    gid: int
    drops_root: bool

    def spawning(self) -> Spawning:
        """Return how to start a program as this user: no supplementary groups, a bare environment."""
        surroundings = Spawning(env=dict(_ENVIRONMENT), cwd="/", umask=0o077)
        if self.drops_root:
            surroundings.update(Spawning(user=self.uid, group=self.gid, extra_groups=[]))
        return surroundings


def choose(data: os.stat_result | None) -> Account:
    """Return who runs the server; `data` is its data directory's status, None where there is none yet.

    As root, the owner of the data goes on running it, whoever was to be had when it was made.

    Raises:
        SetupInvalid: no unprivileged user is to be had, or the data is root's or another user's.
    """
    if os.geteuid() != 0:
        if data is not None and data.st_uid != os.geteuid():
            raise SetupInvalid("the server's data belongs to another user; run fleetmem as that user")
        return Account(name=_name(os.geteuid()), uid=os.geteuid(), gid=os.getegid(), drops_root=False)
    if data is None:
        return _first_of(_CANDIDATES)
    if data.st_uid == 0:
        raise SetupInvalid("the server's data belongs to root, and PostgreSQL does not run as root")
    return Account(name=_name(data.st_uid), uid=data.st_uid, gid=data.st_gid, drops_root=True)


def _first_of(names: tuple[str, ...]) -> Account:
    _create_system_user()
    for name in filter(_exists, names):
        entry = pwd.getpwnam(name)
        return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid, drops_root=True)
    raise SetupInvalid(f"PostgreSQL does not run as root, and there is no user to run it: create {SYSTEM_USER}")


def _create_system_user() -> None:
    """Create our own user where the system has `useradd` and lets root use it; otherwise leave things as they are."""
    if _exists(SYSTEM_USER):
        return
    command = list(_USERADD)
    if _group_exists(SYSTEM_USER):
        command[2] = f"--gid={SYSTEM_USER}"
    try:
        # Fails where /etc is read-only, and where another start of ours has just won the race: both are fine.
        subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True)
    except FileNotFoundError:
        return


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _group_exists(name: str) -> bool:
    try:
        grp.getgrnam(name)
    except KeyError:
        return False
    return True


def _name(uid: int) -> str:
    """Return the user's name; in a container a user may have none, and then its number does."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
