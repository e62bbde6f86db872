"""Signing keys: made by the owner, held as a file by one service, known to the database as padded bytes nobody can read.

Rotation has no gap: the new key is valid from the moment it is registered, the old one for a while longer, and a running
service picks the new file up when it next mints.
"""

import os
import secrets
from datetime import datetime, timedelta
from typing import Final
from uuid import uuid4

import psycopg
from psycopg.types.json import Jsonb

from fleetmem.fleet.agent import Rol
from fleetmem.fleet.claims import KEY_BYTES, SigningKey, header, pads

LOGIN: Final = {Rol.AGENT: "fleetmem_gateway", Rol.OPERATOR: "fleetmem_console", Rol.AUDITOR: "fleetmem_console"}
OVERLAP: Final = timedelta(seconds=150)  # a claim's longest life, the leeway, and time to read the new file

# A server that logs what is bound to statements must not log this one; only a superuser may tell it so.
_UNLOGGED: Final = """
select set_config(name, '0', true) from pg_settings
 where name in ('log_parameter_max_length', 'log_parameter_max_length_on_error')
   and (select rolsuper from pg_roles where rolname = current_user)
"""
_REGISTER: Final = """
insert into vault.signing_key (header, kid, ipad, opad, pepper, login, rol, must, not_before)
values (%s, %s, %s, %s, %s, %s, %s, %s, clock_timestamp() - interval '5 seconds')
"""


def audience(connection: psycopg.Connection[tuple[object, ...]]) -> str:
    """The `aud` of this deployment's claims: kept from its first key, so that no other fleet's claim fits."""
    row = connection.execute("select must ->> 'aud' from vault.signing_key order by created_at limit 1").fetchone()
    return str(row[0]) if row else f"fleetmem:{uuid4()}"


def register(connection: psycopg.Connection[tuple[object, ...]], rol: Rol) -> SigningKey:
    """Make a key and register it; both keys are valid until `retire_others`."""
    key = SigningKey(
        kid=f"{rol.value}-{secrets.token_hex(4)}", key=os.urandom(KEY_BYTES), aud=audience(connection), rol=rol
    )
    ipad, opad = pads(key.key)
    connection.execute(_UNLOGGED)
    connection.execute(
        _REGISTER,
        [header(key.kid), key.kid, ipad, opad, os.urandom(32), LOGIN[rol], rol.value, Jsonb(key.must())],
    )
    return key


def retire_others(
    connection: psycopg.Connection[tuple[object, ...]], key: SigningKey, *, overlap: timedelta = OVERLAP
) -> datetime | None:
    """Let every other key of this kind end after the overlap; the moment it does, or None if there was no other.

    A service takes the new file up within half a second. One that has not got it when the old key ends stands still until
    it has.
    """
    row = connection.execute(
        "with ended as (update vault.signing_key set not_after = least(not_after, clock_timestamp() + %s)"
        " where rol = %s and kid <> %s and not revoked and not_after > clock_timestamp() returning not_after)"
        " select max(not_after) from ended",
        [overlap, key.rol.value, key.kid],
    ).fetchone()
    return row[0] if row and isinstance(row[0], datetime) else None


def is_registered(connection: psycopg.Connection[tuple[object, ...]], key: SigningKey) -> bool:
    """Whether the database takes claims under exactly this key now."""
    ipad, _ = pads(key.key)
    row = connection.execute(
        "select from vault.signing_key where kid = %s and ipad = %s and must @> %s and not revoked"
        " and clock_timestamp() >= not_before and clock_timestamp() < not_after",
        [key.kid, ipad, Jsonb(key.must())],
    ).fetchone()
    return row is not None
