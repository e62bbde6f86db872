"""What a request says, as structs: every part of it is read strictly, and a refusal names the field and the rule.

Only what was declared is taken: an unknown or repeated query parameter, an unknown body field, another media type, a
compressed or oversized body are refused before anything is done.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from typing import Any, Final, TypeVar
from urllib.parse import unquote_to_bytes
from uuid import UUID

import msgspec
from litestar import Request
from litestar.types import HTTPScope, Receive

from fleetmem.errors import BodyTooLarge, MediaUnsupported, RequestInvalid
from fleetmem.ids import decode_cursor, is_idempotency_key, parse_uuid
from fleetmem.store.session import Place, Retry

T = TypeVar("T", bound=msgspec.Struct)

_MOST_PARAMETERS: Final = 20
_AT: Final = re.compile(r" - at `\$\.?(?P<field>[^`]*)`$")
_UNKNOWN: Final = re.compile(r"^Object contains unknown field `(?P<field>[^`]*)`")
_MISSING: Final = re.compile(r"^Object missing required field `(?P<field>[^`]*)`")
# What msgspec's messages say, and the rule it stands for; the first that is found counts.
_RULES: Final = (
    ("of length >= 1", "empty"),
    ("of length >=", "too-short"),
    ("of length <=", "too-long"),
    ("matching regex", "format"),
    ("Invalid enum value", "choice"),
    (">=", "too-small"),
    ("<=", "too-large"),
)
_PLAIN: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
_LONGEST_NAME_SHOWN: Final = 60
_JSON: Final = re.compile(rb'application/json(\s*;\s*charset="?utf-8"?)?\s*', re.IGNORECASE)


def query(scope: HTTPScope, shape: type[T]) -> T:
    """Read the query string.

    Raises:
        RequestInvalid: it breaks a rule of `shape`, repeats a parameter, or is not UTF-8.
    """
    given = scope["query_string"]
    pairs: dict[str, str] = {}
    for part in given.split(b"&", _MOST_PARAMETERS) if given else ():
        name, value = (_unquoted(half) for half in part.partition(b"=")[::2])
        if name in pairs:
            raise RequestInvalid(f"`{_shown(name)}` is given twice", field=_shown(name), rule="duplicate")
        pairs[name] = value
    try:
        asked = msgspec.convert(pairs, shape, strict=False)
    except msgspec.ValidationError as error:
        raise _invalid(error, "query") from error
    for name in pairs:
        # msgspec reads the word `null` as no value at all, which would make a filter vanish.
        if getattr(asked, name) is None:
            raise RequestInvalid(f"`{name}` breaks the rule `choice`", field=name, rule="choice")
    return asked


async def body(request: Request[Any, Any, Any], shape: type[T], *, limit_bytes: int, wait_s: float) -> T:
    """Read a JSON body; nothing at all counts as an empty object.

    Raises:
        BodyTooLarge: more than `limit_bytes`.
        MediaUnsupported: it is not declared as application/json, or is compressed.
        RequestInvalid: it is not JSON, breaks a rule of `shape`, or is not whole within `wait_s` seconds.
    """
    try:
        async with asyncio.timeout(wait_s):
            content = await _content(request.scope, request.receive, limit_bytes)
    except TimeoutError as error:
        raise RequestInvalid("The body did not arrive in time", field="body", rule="incomplete") from error
    if content:
        _require_json(request.scope)
    try:
        return msgspec.json.decode(content or b"{}", type=shape)
    except msgspec.ValidationError as error:
        raise _invalid(error, "body") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _malformed(content) from error


def retry(scope: HTTPScope, given: msgspec.Struct) -> Retry:
    """Read the Idempotency-Key, and hash what it stands for: method, path and body as understood.

    Raises:
        RequestInvalid: the key is repeated, or not 1 to 128 visible ASCII characters.
    """
    keys = [value.decode("latin-1") for name, value in scope["headers"] if name == b"idempotency-key"]
    field = "Idempotency-Key"
    if len(keys) > 1:
        raise RequestInvalid(f"Send one {field}", field=field, rule="duplicate")
    if keys and not is_idempotency_key(keys[0]):
        raise RequestInvalid(f"{field} must be 1 to 128 visible ASCII characters", field=field, rule="format")
    meaning = b"\n".join((scope["method"].encode(), scope["path"].encode(), msgspec.json.encode(given)))
    return Retry(key=keys[0] if keys else None, sha256=hashlib.sha256(meaning).digest())


def place(cursor: str | None, limit: int) -> Place:
    """Read where a page starts.

    Raises:
        RequestInvalid: the cursor is none that a page ever gave.
    """
    return Place(before=_cursor(cursor), size=limit)


def place_after(after: UUID | None, cursor: str | None, limit: int) -> Place:
    """Read where a page of a list that runs forward starts: after a record, or where the page before ended.

    Raises:
        RequestInvalid: the cursor is none that a page ever gave.
    """
    return Place(before=_cursor(cursor) or after, size=limit)


def _cursor(cursor: str | None) -> UUID | None:
    try:
        return decode_cursor(cursor) if cursor is not None else None
    except ValueError as error:
        raise RequestInvalid("`cursor` is not one of a page", field="cursor", rule="format") from error


def record_id(scope: HTTPScope) -> UUID:
    """Read the id in the address.

    Raises:
        RequestInvalid: it is not a UUID as we write them.
    """
    try:
        return parse_uuid(scope["path_params"]["id"])
    except ValueError as error:
        raise RequestInvalid("`id` is not a UUID", field="id", rule="format") from error


def plain_name(scope: HTTPScope, parameter: str) -> str:
    """Read a name or an id of our own making in the address: letters, digits and hyphens.

    Raises:
        RequestInvalid: it holds anything else.
    """
    given: str = scope["path_params"][parameter]
    if _PLAIN.fullmatch(given) is None:
        raise RequestInvalid(f"`{parameter}` is not one of ours", field=parameter, rule="format")
    return given


async def _content(scope: HTTPScope, receive: Receive, limit_bytes: int) -> bytes:
    declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    if declared.isdigit() and int(declared) > limit_bytes:
        raise BodyTooLarge(field="body", rule="too-long")
    content = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise RequestInvalid("The body broke off", field="body", rule="incomplete")
        content += message.get("body", b"")
        if len(content) > limit_bytes:
            raise BodyTooLarge(field="body", rule="too-long")
        if not message.get("more_body"):
            return content


def _require_json(scope: HTTPScope) -> None:
    types = [value for name, value in scope["headers"] if name == b"content-type"]
    if len(types) != 1 or _JSON.fullmatch(types[0]) is None:
        raise MediaUnsupported(field="Content-Type", rule="media-type")
    if any(name == b"content-encoding" and value.lower() != b"identity" for name, value in scope["headers"]):
        raise MediaUnsupported("The body must not be compressed", field="Content-Encoding", rule="media-type")


def _invalid(error: msgspec.ValidationError, whole: str) -> RequestInvalid:
    message = str(error)
    if found := _UNKNOWN.search(message):
        name = _shown(found["field"])
        return RequestInvalid(f"`{name}` is not a field of this request", field=name, rule="unknown")
    if found := _MISSING.search(message):
        return RequestInvalid(f"`{found['field']}` is required", field=found["field"], rule="required")
    found = _AT.search(message)
    field = found["field"].replace("...", "") if found and found["field"] else whole
    rule = next((rule for said, rule in _RULES if said in message), "type")
    return RequestInvalid(f"`{field}` breaks the rule `{rule}`", field=field, rule=rule)


def _malformed(content: bytes) -> RequestInvalid:
    field, rule = _surrogate(content) or ("body", "json")
    return RequestInvalid(f"`{field}` breaks the rule `{rule}`", field=field, rule=rule)


def _surrogate(content: bytes) -> tuple[str, str] | None:
    """Find the field with half a surrogate pair: what msgspec refuses without saying where."""
    try:
        fields = json.loads(content)
    except (ValueError, RecursionError):
        return None
    for name, value in fields.items() if isinstance(fields, dict) else ():
        if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
            return _shown(name), "surrogate"
    return None


def _unquoted(half: bytes) -> str:
    try:
        return unquote_to_bytes(half.replace(b"+", b" ")).decode()
    except UnicodeDecodeError as error:
        raise RequestInvalid("The query is not UTF-8", field="query", rule="encoding") from error


def _shown(name: str) -> str:
    """Make a caller's own name for a field fit to be repeated to it."""
    return name.encode("ascii", "backslashreplace").decode()[:_LONGEST_NAME_SHOWN]
