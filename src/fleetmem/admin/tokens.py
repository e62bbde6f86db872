"""Bearer tokens: 256 random bits, told once, kept as their SHA-256."""

import os
import secrets
from dataclasses import dataclass
from datetime import datetime

import psycopg

from fleetmem.errors import Absent
from fleetmem.ids import BEARER_BYTES, bearer_sha256, make_bearer


@dataclass(frozen=True, slots=True)
class Token:
    """One token as the vault knows it; the token itself is known to its holder alone."""

    id: str
    principal: str
    label: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


def issue(
    connection: psycopg.Connection[tuple[object, ...]],
    principal: str,
    *,
    label: str = "",
    expires_at: datetime | None = None,
) -> tuple[str, str]:
    """Mint a token for an agent, operator or auditor; returns (token id, token).

    Raises:
        Absent: the roster in the database has no active principal of that name.
    """
    if connection.execute("select from fleet.principal where name = %s and active", [principal]).fetchone() is None:
        raise Absent(f"the roster has no active {principal!r}; run `fleetmem roster sync`", field="principal")
    token, token_id = make_bearer(os.urandom(BEARER_BYTES)), secrets.token_hex(8)
    connection.execute(
        "insert into vault.bearer (id, sha256, principal, label, created_at, expires_at)"
        " values (%s, %s, %s, %s, clock_timestamp(), coalesce(%s::timestamptz, 'infinity'))",
        [token_id, bearer_sha256(token), principal, label, expires_at],
    )
    return token_id, token


def listed(connection: psycopg.Connection[tuple[object, ...]], principal: str | None = None) -> list[Token]:
    """Every token, or one principal's, oldest first."""
    rows = connection.execute(
        "select id, principal, label, created_at, nullif(expires_at, 'infinity'), revoked_at from vault.bearer"
        " where %(principal)s::text is null or principal = %(principal)s order by created_at, id",
        {"principal": principal},
    ).fetchall()
    return [Token(*row) for row in rows]  # type: ignore[arg-type]


def revoke(connection: psycopg.Connection[tuple[object, ...]], token_id: str) -> Token:
    """End one token now: the database refuses every claim minted from it at the next statement.

    Revoking it again keeps the first moment.

    Raises:
        Absent: no token has this id.
    """
    row = connection.execute(
        "update vault.bearer set revoked_at = coalesce(revoked_at, clock_timestamp()) where id = %s"
        " returning id, principal, label, created_at, nullif(expires_at, 'infinity'), revoked_at",
        [token_id],
    ).fetchone()
    if row is None:
        raise Absent(f"no token has the id {token_id!r}; `fleetmem token list` shows them", field="id")
    return Token(*row)  # type: ignore[arg-type]
