"""What credentials of before are worth in a restored copy, asked as the gateway would ask.

The copy is the drill's own and the login is taken by SET SESSION AUTHORIZATION, so no password is needed.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg

from fleetmem.admin import keys
from fleetmem.fleet.agent import Rol
from fleetmem.fleet.claims import SigningKey, mint

_Connection = psycopg.Connection[Any]
Clock = Callable[[], float]  # Unix time in seconds


@dataclass(frozen=True, slots=True)
class Bearer:
    """A bearer token as the vault knows it."""

    id: str
    sha256: bytes
    principal: str
    rol: str


def live(connection: _Connection) -> list[Bearer]:
    """The tokens that open something now."""
    rows = connection.execute(
        "select b.id, b.sha256, b.principal, p.rol from vault.bearer b join fleet.principal p on p.name = b.principal"
        " where b.revoked_at is null and b.expires_at > clock_timestamp() and p.active and p.suspended_at is null"
        "   and (not isfinite(p.tokens_from) or b.created_at >= p.tokens_from)"
    ).fetchall()
    return [Bearer(*row) for row in rows]


def resolving(connection: _Connection, bearers: list[Bearer]) -> int:
    """How many of these tokens the services' own lookup still finds."""
    found = 0
    for bearer in bearers:
        login = keys.LOGIN[Rol(bearer.rol)]
        with connection.transaction(force_rollback=True):
            connection.execute(f"set local session authorization {login}".encode())
            row = connection.execute("select from api.resolve_bearer(%s, %s)", [bearer.sha256, bearer.rol]).fetchone()
            found += row is not None
    return found


def answer(connection: _Connection, claim: str) -> str:
    """What `api.me` answers the gateway that presents this claim: "answered", or the SQLSTATE of its refusal."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute("set local session authorization fleetmem_gateway")
            connection.execute("select api.me(%s)", [claim])
    except psycopg.Error as error:
        return error.sqlstate or "lost"
    return "answered"


def agent(connection: _Connection, *, active: bool) -> str:
    """An agent of the copy that is active, or that was deactivated or suspended; made now where the fleet has none."""
    row = connection.execute(
        "select name from fleet.principal where rol = 'agent' and (active and suspended_at is null) = %s order by name limit 1",
        [active],
    ).fetchone()
    if row is not None:
        return str(row[0])
    name = f"drill-{secrets.token_hex(4)}"
    connection.execute("insert into fleet.principal (name, rol, active) values (%s, 'agent', %s)", [name, active])
    return name


def fresh_claim(connection: _Connection, key: SigningKey, name: str, clock: Clock) -> str:
    """A claim that is right in every respect: a new key, a new token; only the principal may not be let in."""
    token_id, digest = secrets.token_hex(8), secrets.token_bytes(32)
    connection.execute(
        "insert into vault.bearer (id, sha256, principal, created_at) values (%s, %s, %s, clock_timestamp())",
        [token_id, digest, name],
    )
    return mint(key, name, token_id, clock())


def new_key(connection: _Connection) -> SigningKey:
    """The copy's own new signing key of the agents' gateway."""
    return keys.register(connection, Rol.AGENT)
