"""Bearer tokens: 256 random bits, told once, kept as their SHA-256."""

import os
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

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
    is_accepted: bool = True  # false where its holder left, is suspended, or came back or was told to begin anew since


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
        "select b.id, b.principal, b.label, b.created_at, nullif(b.expires_at, 'infinity'), b.revoked_at,"
        " coalesce(p.active and p.suspended_at is null and b.created_at >= p.tokens_from, false)"
        " from vault.bearer b left join fleet.principal p on p.name = b.principal"
        " where %(principal)s::text is null or b.principal = %(principal)s order by b.created_at, b.id",
        {"principal": principal},
    ).fetchall()
    return [_token(row) for row in rows]


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
    return _token(row)


def end_others(
    connection: psycopg.Connection[tuple[object, ...]], kept_id: str, *, overlap: timedelta, only: str | None = None
) -> list[Token]:
    """End the other live tokens of a token's holder, or the one that `only` names, `overlap` from now; return those.

    None that ends sooner by itself is made to last longer.
    """
    return [
        _token(row)
        for row in connection.execute(
            "update vault.bearer b set expires_at = least(b.expires_at, clock_timestamp() + %(overlap)s),"
            " revoked_at = case when %(overlap)s = interval '0' then clock_timestamp() end"
            " from vault.bearer kept where kept.id = %(kept)s and b.principal = kept.principal and b.id <> kept.id"
            " and b.revoked_at is null and b.expires_at > clock_timestamp() and b.id = coalesce(%(only)s, b.id)"
            " returning b.id, b.principal, b.label, b.created_at, nullif(b.expires_at, 'infinity'), b.revoked_at",
            {"kept": kept_id, "overlap": overlap, "only": only},
        )
    ]


def require_live(connection: psycopg.Connection[tuple[object, ...]], token_id: str, principal: str) -> None:
    """See that a token is a live one of this principal.

    Raises:
        Absent: it is not.
    """
    found = connection.execute(
        "select from vault.bearer where id = %s and principal = %s and revoked_at is null"
        " and expires_at > clock_timestamp()",
        [token_id, principal],
    ).fetchone()
    if found is None:
        raise Absent(
            f"{principal} has no live token of the id {token_id!r}; `fleetmem token list` shows them", field="id"
        )


def revoke_all(connection: psycopg.Connection[tuple[object, ...]], principal: str) -> list[Token]:
    """End every token a principal ever got, also one whose minting is not committed yet; return those that were live.

    Raises:
        Absent: the roster in the database has no principal of that name.
    """
    found = connection.execute(
        "update fleet.principal set tokens_from = clock_timestamp() where name = %s returning name", [principal]
    ).fetchone()
    if found is None:
        raise Absent(f"there is no {principal!r} in the roster; `fleetmem roster plan` shows it", field="principal")
    # `tokens_from` alone ends them; each is marked too, so that a list of tokens says the same.
    return [
        _token(row)
        for row in connection.execute(
            "update vault.bearer set revoked_at = clock_timestamp() where principal = %s and revoked_at is null"
            " and expires_at > clock_timestamp()"
            " returning id, principal, label, created_at, nullif(expires_at, 'infinity'), revoked_at",
            [principal],
        )
    ]


def _token(row: tuple[object, ...]) -> Token:
    return Token(*row)  # type: ignore[arg-type]
