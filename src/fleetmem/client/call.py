"""One request as a value: which address, what it carries, what comes back. No I/O."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Protocol, TypeVar
from uuid import UUID

import msgspec

from fleetmem.errors import RequestInvalid

T_co = TypeVar("T_co", covariant=True)


class Page(Protocol[T_co]):
    """What every page of a list has."""

    @property
    def items(self) -> Sequence[T_co]:
        """The records of this page."""

    @property
    def next(self) -> str | None:
        """The cursor of the page after it; None on the last."""


@dataclass(frozen=True, slots=True)
class Call(Generic[T_co]):
    """One request; sent again, it is the same request: a write carries its idempotency key."""

    method: str
    path: str
    shape: type[T_co]
    query: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def page(
    path: str, shape: type[T_co], asked: Mapping[str, str | None], page_size: int, cursor: str | None
) -> Call[T_co]:
    """Ask for a page of a list; what is None is not asked."""
    query = {**asked, "limit": str(page_size), "cursor": cursor}
    return Call("GET", path, shape, {name: value for name, value in query.items() if value is not None})


def write(path: str, shape: type[T_co], draft: msgspec.Struct | None, idempotency_key: str | None) -> Call[T_co]:
    """Do something, once: a write that is sent again carries the same key.

    Raises:
        RequestInvalid: a text holds half a surrogate pair.
    """
    try:
        content = None if draft is None else msgspec.json.encode(draft)
    except UnicodeEncodeError as error:
        raise RequestInvalid("a text holds half a surrogate pair", field="body", rule="surrogate") from error
    headers = {"idempotency-key": idempotency_key or uuid.uuid4().hex}
    if content is not None:
        headers["content-type"] = "application/json"
    return Call("POST", path, shape, content=content, headers=headers)


def record(given: UUID | str) -> str:
    """Write an id for an address; what is no UUID could be another address.

    Raises:
        RequestInvalid: it is none.
    """
    try:
        return str(UUID(str(given)))
    except ValueError as error:
        raise RequestInvalid("`id` is not a UUID", field="id", rule="format") from error


def moment(given: datetime | None, field_name: str) -> str | None:
    """Write a moment.

    Raises:
        RequestInvalid: it carries no time zone.
    """
    if given is None:
        return None
    if given.tzinfo is None:
        raise RequestInvalid(f"`{field_name}` must carry a time zone", field=field_name, rule="time-zone")
    return given.isoformat()
