"""What must hold before a service answers its first request. Each refusal is one sentence and exit code 78."""

from __future__ import annotations

from fleetmem.errors import SetupInvalid
from fleetmem.sql import fence_files
from fleetmem.store import fence
from fleetmem.store.session import Session
from fleetmem_gateway import screened
from fleetmem_gateway.keys import Keyring
from fleetmem_gateway.service import Service


async def check(session: Session, service: Service, keys: Keyring) -> None:
    """Refuse a login that could do more than its role, another fence, an unknown key, and rules that cannot be read.

    Raises:
        SetupInvalid: one of these is so.
        Unavailable: the database does not answer.
    """
    screened.ready()
    await _login_is_harmless(session, service)
    await _fence_is_ours(session)
    await _keys_are_known(session, service, keys)


async def _login_is_harmless(session: Session, service: Service) -> None:
    powers = await fence.powers(session)
    if powers.login != service.login:
        raise SetupInvalid(f"the service must log in as {service.login}, not as {powers.login}")
    if powers.granted:
        raise SetupInvalid(
            f"the login {powers.login} has powers that no service may have ({', '.join(powers.granted)});"
            " `fleetmem policies apply` takes them away"
        )
    if powers.memberships != (service.role,):
        found = ", ".join(powers.memberships) or "nothing"
        raise SetupInvalid(f"the login {powers.login} must be a member of {service.role} alone, and is one of {found}")


async def _fence_is_ours(session: Session) -> None:
    if await fence.version(session) != fence_files.version():
        raise SetupInvalid("the database is under other policies than this version's; run `fleetmem policies apply`")


async def _keys_are_known(session: Session, service: Service, keys: Keyring) -> None:
    for rol in service.keys:
        if not await fence.key_known(session, keys.header(rol)):
            raise SetupInvalid(
                f"the database does not take claims signed with this process's key for {rol.value}s;"
                " run `fleetmem key rotate`"
            )
