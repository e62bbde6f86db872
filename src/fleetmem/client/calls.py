"""Every call of the API as a value: which address, what it carries, what comes back. No I/O."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Protocol, TypeVar
from uuid import UUID

import msgspec

from fleetmem import wire
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


def me() -> Call[wire.Me]:
    """Ask who the bearer is."""
    return Call("GET", "v1/me", wire.Me)


def publish(
    topic: str, body: str, *, audience: str, expires_at: datetime | None, idempotency_key: str | None
) -> Call[wire.Beat]:
    """Publish a beat."""
    draft = wire.BeatDraft(topic=topic, body=body, audience=audience, expires_at=_moment(expires_at, "expires_at"))
    return _write("v1/beats", wire.Beat, draft, idempotency_key)


def beats(
    *,
    topic: str | None,
    author: str | None,
    audience: str | None,
    since: datetime | None,
    live: bool,
    page_size: int,
    cursor: str | None,
) -> Call[wire.BeatPage]:
    """List a page of beats."""
    asked = {"topic": topic, "author": author, "audience": audience, "since": _moment(since, "since")}
    return _page("v1/beats", wire.BeatPage, {**asked, "live": None if live else "false"}, page_size, cursor)


def beat(beat_id: UUID | str) -> Call[wire.Beat]:
    """Read one beat."""
    return Call("GET", f"v1/beats/{_id(beat_id)}", wire.Beat)


def history(beat_id: UUID | str, *, page_size: int, cursor: str | None) -> Call[wire.BeatPage]:
    """List a page of what a beat's author said on its topic."""
    return _page(f"v1/beats/{_id(beat_id)}/history", wire.BeatPage, {}, page_size, cursor)


def retract(beat_id: UUID | str, *, idempotency_key: str | None) -> Call[wire.Beat]:
    """End one's own beat."""
    return _write(f"v1/beats/{_id(beat_id)}/retract", wire.Beat, None, idempotency_key)


def send(
    recipient: str, request: str, *, audience: str, due_at: datetime | None, idempotency_key: str | None
) -> Call[wire.Handoff]:
    """Ask a colleague for something."""
    draft = wire.HandoffDraft(recipient=recipient, request=request, audience=audience, due_at=_moment(due_at, "due_at"))
    return _write("v1/handoffs", wire.Handoff, draft, idempotency_key)


def handoffs(
    box: wire.Box, *, status: wire.HandoffStatus | None, overdue: bool, page_size: int, cursor: str | None
) -> Call[wire.HandoffPage]:
    """List a page of a box."""
    asked = {"box": box, "status": status, "overdue": "true" if overdue else None}
    return _page("v1/handoffs", wire.HandoffPage, asked, page_size, cursor)


def handoff(handoff_id: UUID | str) -> Call[wire.HandoffDetail]:
    """Read one handoff with its history."""
    return Call("GET", f"v1/handoffs/{_id(handoff_id)}", wire.HandoffDetail)


def move(handoff_id: UUID | str, verb: str, *, reply: str | None, idempotency_key: str | None) -> Call[wire.Handoff]:
    """Accept, decline or withdraw: `verb` is the address's last word."""
    return _write(
        f"v1/handoffs/{_id(handoff_id)}/{verb}", wire.Handoff, wire.HandoffReply(reply=reply), idempotency_key
    )


def answer(
    handoff_id: UUID | str, outcome: wire.Outcome, reply: str, *, idempotency_key: str | None
) -> Call[wire.Handoff]:
    """Say how an accepted handoff ended."""
    given = wire.HandoffAnswer(outcome=outcome, reply=reply)
    return _write(f"v1/handoffs/{_id(handoff_id)}/answer", wire.Handoff, given, idempotency_key)


def _page(
    path: str, shape: type[T_co], asked: Mapping[str, str | None], page_size: int, cursor: str | None
) -> Call[T_co]:
    query = {**asked, "limit": str(page_size), "cursor": cursor}
    return Call("GET", path, shape, {name: value for name, value in query.items() if value is not None})


def _write(path: str, shape: type[T_co], draft: msgspec.Struct | None, idempotency_key: str | None) -> Call[T_co]:
    try:
        content = None if draft is None else msgspec.json.encode(draft)
    except UnicodeEncodeError as error:
        raise RequestInvalid("a text holds half a surrogate pair", field="body", rule="surrogate") from error
    headers = {"idempotency-key": idempotency_key or uuid.uuid4().hex}
    if content is not None:
        headers["content-type"] = "application/json"
    return Call("POST", path, shape, content=content, headers=headers)


def _id(given: UUID | str) -> str:
    """Write an id for an address; what is no UUID could be another address."""
    try:
        return str(UUID(str(given)))
    except ValueError as error:
        raise RequestInvalid("`id` is not a UUID", field="id", rule="format") from error


def _moment(given: datetime | None, field_name: str) -> str | None:
    if given is None:
        return None
    if given.tzinfo is None:
        raise RequestInvalid(f"`{field_name}` must carry a time zone", field=field_name, rule="time-zone")
    return given.isoformat()
