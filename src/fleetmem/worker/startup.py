"""What must hold before a worker takes its first job. Each refusal is one sentence and exit code 78."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fleetmem.errors import SetupInvalid
from fleetmem.sql import fence_files
from fleetmem.worker.place import LOGIN
from fleetmem.worker.session import Session

_NEVER: Final = ("superuser", "bypassrls", "createrole", "createdb", "replication", "owner")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Powers:
    login: str
    superuser: bool
    bypassrls: bool
    createrole: bool
    createdb: bool
    replication: bool
    owner: bool
    memberships: list[str]


def check(session: Session) -> None:
    """Refuse a login that could do more than the pipeline needs, and a database under another fence.

    Raises:
        SetupInvalid: one of these is so.
    """
    with session.snapshot() as snapshot:
        powers = snapshot.one(_Powers, "login_powers")
        version = snapshot.value("worker_fence_version")
    if powers is None or powers.login != LOGIN:
        raise SetupInvalid(f"the worker must log in as {LOGIN}, not as {powers.login if powers else 'nobody'}")
    granted = [power for power in _NEVER if getattr(powers, power)]
    if granted:
        raise SetupInvalid(
            f"the login {LOGIN} has powers that no service may have ({', '.join(granted)});"
            " `fleetmem policies apply` takes them away"
        )
    if powers.memberships:
        raise SetupInvalid(
            f"the login {LOGIN} must be a member of nothing, and is one of {', '.join(powers.memberships)}"
        )
    if version != fence_files.version():
        raise SetupInvalid("the database is under other policies than this version's; run `fleetmem policies apply`")
