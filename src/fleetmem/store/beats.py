"""Beats: published, listed, read, retracted. Each function is one statement under the signed `claim`.

Answers are JSON documents as Postgres renders them; `wire.Beat` and `wire.BeatPage` are their shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fleetmem.ids import BeatId
from fleetmem.store.session import Place, Retry, Session, Written


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which beats a list holds; None leaves that dimension open, within what the reader may see."""

    topic: str | None = None
    author: str | None = None
    audience: str | None = None
    since: datetime | None = None
    live_only: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBeat:
    """A beat to publish, checked; `expires_at` None lets the database choose seven days."""

    topic: str
    body: str
    audience: str
    expires_at: datetime | None


async def publish(session: Session, claim: str, beat: NewBeat, retry: Retry) -> Written:
    """Write a beat; the live one of its author and topic, if any, is superseded in the same transaction."""
    return await session.write(
        "beat_publish", claim, retry.key, retry.sha256, beat.topic, beat.body, beat.audience, beat.expires_at
    )


async def page(session: Session, claim: str, wanted: Filter, place: Place) -> bytes:
    """Read the newest beats that the claim's bearer may see."""
    return await session.read(
        "beat_list",
        claim,
        wanted.topic,
        wanted.author,
        wanted.audience,
        wanted.since,
        wanted.live_only,
        place.before,
        place.size,
    )


async def get(session: Session, claim: str, beat_id: BeatId) -> bytes:
    """Read one beat, whatever its status.

    Raises:
        Absent: there is none, or none the bearer may see.
    """
    return await session.read("beat_get", claim, beat_id)


async def history(session: Session, claim: str, beat_id: BeatId, place: Place) -> bytes:
    """Read every beat of the same author and topic that the bearer may see, newest first.

    Raises:
        Absent: the beat itself is absent or hidden.
    """
    return await session.read("beat_history", claim, beat_id, place.before, place.size)


async def retract(session: Session, claim: str, beat_id: BeatId, retry: Retry) -> Written:
    """End one's own live beat.

    Raises:
        Absent: there is none, or none the bearer may see.
        Forbidden: it is somebody else's.
        BeatEnded: it is no longer live.
    """
    return await session.write("beat_retract", claim, retry.key, retry.sha256, beat_id)
