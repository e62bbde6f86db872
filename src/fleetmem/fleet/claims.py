"""Signed claims: the gateway's word for whom it speaks, in the form that Postgres verifies by itself.

A claim is a JWT (RFC 7519) under HS256. The database finds the key by the token's exact header text, so there is no
algorithm to confuse and no header to parse; the two padded keys of HMAC (RFC 2104) are made here once, so that SQL
needs nothing but `sha256`. The claim's `jti` is the id of the bearer token it was minted for: revoking that bearer
ends every claim made from it at the next statement.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from dataclasses import dataclass, field
from typing import Final

import jwt

from fleetmem.errors import ConfigInvalid
from fleetmem.fleet.agent import Rol

ALGORITHM: Final = "HS256"
ISSUER: Final = "fleetmem"
LIFETIME_S: Final = 60
LONGEST_LIFETIME_S: Final = 120  # what the database accepts at most
KEY_BYTES: Final = 32
_BLOCK_BYTES: Final = 64  # of SHA-256


@dataclass(frozen=True, slots=True)
class SigningKey:
    """One key of one process: `aud` names the deployment and `rol` the only kind of holder it can vouch for."""

    kid: str
    key: bytes = field(repr=False)
    aud: str
    rol: Rol

    def must(self) -> dict[str, str]:
        """Return the members that every claim under this key has to contain, for the database's copy of the key."""
        return {"iss": ISSUER, "aud": self.aud, "rol": self.rol.value}


def read_key(content: bytes) -> SigningKey:
    """Read the content of a key.json: `{"kid", "key", "aud", "rol"}`, the key as base64url of 32 bytes.

    Raises:
        ConfigInvalid: anything else; the message never repeats the content.
    """
    try:
        fields = json.loads(content)
        kid, aud, encoded = (_text(fields[name]) for name in ("kid", "aud", "key"))
        key = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True)
        rol = Rol(fields["rol"])
    except (ValueError, TypeError, KeyError, binascii.Error) as error:
        raise ConfigInvalid("the signing key's file is damaged; make a new key with `fleetmem key rotate`") from error
    if len(key) != KEY_BYTES:
        raise ConfigInvalid(f"the signing key must have {KEY_BYTES} bytes; make a new key with `fleetmem key rotate`")
    return SigningKey(kid=kid, key=key, aud=aud, rol=rol)


def write_key(key: SigningKey) -> bytes:
    """Write a key as the content of a key.json; the inverse of `read_key`."""
    encoded = base64.urlsafe_b64encode(key.key).rstrip(b"=").decode()
    return json.dumps({"kid": key.kid, "key": encoded, "aud": key.aud, "rol": key.rol.value}, indent=1).encode() + b"\n"


def mint(key: SigningKey, subject: str, bearer_id: str, now: float, lifetime_s: int = LIFETIME_S) -> str:
    """Sign that `subject` presented the bearer token `bearer_id`; `now` is Unix time in seconds.

    Raises:
        ValueError: a lifetime outside 1..120 seconds, which no database would accept.
    """
    if not 1 <= lifetime_s <= LONGEST_LIFETIME_S:
        raise ValueError(f"a claim lives 1 to {LONGEST_LIFETIME_S} seconds")
    issued = round(now, 6)  # RFC 7519 allows the fraction; "every token from this moment on" is exact with it
    payload = {**key.must(), "sub": subject, "jti": bearer_id, "iat": issued, "exp": issued + lifetime_s}
    return jwt.encode(payload, key.key, algorithm=ALGORITHM, headers={"kid": key.kid})


def header(kid: str) -> str:
    """Return the exact base64url header that `mint` writes under a key id: the database's primary key for it."""
    return jwt.encode({}, bytes(KEY_BYTES), algorithm=ALGORITHM, headers={"kid": kid}).partition(".")[0]


def pads(key: bytes) -> tuple[bytes, bytes]:
    """Return HMAC-SHA-256's inner and outer padded key, 64 bytes each.

    With them, the MAC of a message is sha256(opad || sha256(ipad || message)). Source: RFC 2104, section 2.
    """
    block = (hashlib.sha256(key).digest() if len(key) > _BLOCK_BYTES else key).ljust(_BLOCK_BYTES, b"\0")
    return bytes(byte ^ 0x36 for byte in block), bytes(byte ^ 0x5C for byte in block)


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError("not a text")
    return value
