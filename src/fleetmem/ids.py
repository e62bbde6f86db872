"""Identifiers as text: which shapes are accepted, and how each is read.

Record ids are UUIDv7, made by the database. A cursor is the last id of a page as base64url, 22 characters.
A bearer token is `fm_` and 43 base64url characters: 256 random bits, kept only as its SHA-256.
"""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Final, NewType
from uuid import UUID

BeatId = NewType("BeatId", UUID)
HandoffId = NewType("HandoffId", UUID)
TaskId = NewType("TaskId", UUID)
RunId = NewType("RunId", UUID)

BEARER_BYTES: Final = 32

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_CURSOR: Final = re.compile(r"[A-Za-z0-9_-]{22}")
_BEARER: Final = re.compile(r"fm_[A-Za-z0-9_-]{43}")
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_IDEMPOTENCY_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}")


def parse_uuid(text: str) -> UUID:
    """Read a record id in its one written form, 8-4-4-4-12 hexadecimal digits.

    Raises:
        ValueError: any other form, also those that `uuid.UUID` would take (braces, `urn:uuid:`, no hyphens).
    """
    if _UUID.fullmatch(text) is None:
        raise ValueError("not a UUID")
    return UUID(text)


def encode_cursor(last: UUID) -> str:
    """Write the id of a page's last record as an opaque cursor."""
    return base64.urlsafe_b64encode(last.bytes).rstrip(b"=").decode()


def decode_cursor(text: str) -> UUID:
    """Read a cursor back into the id it stands for.

    Raises:
        ValueError: not 22 base64url characters, or not the canonical spelling of its 16 bytes.
    """
    if _CURSOR.fullmatch(text) is None:
        raise ValueError("not a cursor")
    last = UUID(bytes=base64.urlsafe_b64decode(text + "=="))
    if encode_cursor(last) != text:
        raise ValueError("not a cursor")
    return last


def make_bearer(random_bytes: bytes) -> str:
    """Write 32 random bytes as a bearer token.

    Raises:
        ValueError: not exactly 32 bytes.
    """
    if len(random_bytes) != BEARER_BYTES:
        raise ValueError(f"a bearer token is made of {BEARER_BYTES} bytes")
    return "fm_" + base64.urlsafe_b64encode(random_bytes).rstrip(b"=").decode()


def is_bearer(text: str) -> bool:
    """Tell whether a text has the shape of a bearer token; says nothing about whose it is."""
    return _BEARER.fullmatch(text) is not None


def bearer_sha256(token: str) -> bytes:
    """Return the 32 bytes under which a bearer token is kept: SHA-256 of the whole text, prefix included."""
    return hashlib.sha256(token.encode()).digest()


def is_request_id(text: str) -> bool:
    """Tell whether a caller's X-Request-Id may be echoed: 1 to 128 of letters, digits, `.`, `_`, `:`, `-`."""
    return _REQUEST_ID.fullmatch(text) is not None


def is_idempotency_key(text: str) -> bool:
    """Tell whether a text may be an Idempotency-Key: 1 to 128 visible ASCII characters."""
    return _IDEMPOTENCY_KEY.fullmatch(text) is not None
