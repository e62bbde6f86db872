"""Every call of an agent as a value: which address, what it carries, what comes back. No I/O."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from fleetmem import wire
from fleetmem.client.call import Call, moment, page, record, write


def me() -> Call[wire.Me]:
    """Ask who the bearer is."""
    return Call("GET", "v1/me", wire.Me)


def publish(
    topic: str, body: str, *, audience: str, expires_at: datetime | None, idempotency_key: str | None
) -> Call[wire.Beat]:
    """Publish a beat."""
    draft = wire.BeatDraft(topic=topic, body=body, audience=audience, expires_at=moment(expires_at, "expires_at"))
    return write("v1/beats", wire.Beat, draft, idempotency_key)


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
    asked = {"topic": topic, "author": author, "audience": audience, "since": moment(since, "since")}
    return page("v1/beats", wire.BeatPage, {**asked, "live": None if live else "false"}, page_size, cursor)


def beat(beat_id: UUID | str) -> Call[wire.Beat]:
    """Read one beat."""
    return Call("GET", f"v1/beats/{record(beat_id)}", wire.Beat)


def history(beat_id: UUID | str, *, page_size: int, cursor: str | None) -> Call[wire.BeatPage]:
    """List a page of what a beat's author said on its topic."""
    return page(f"v1/beats/{record(beat_id)}/history", wire.BeatPage, {}, page_size, cursor)


def retract(beat_id: UUID | str, *, idempotency_key: str | None) -> Call[wire.Beat]:
    """End one's own beat."""
    return write(f"v1/beats/{record(beat_id)}/retract", wire.Beat, None, idempotency_key)


def send(
    recipient: str, request: str, *, audience: str, due_at: datetime | None, idempotency_key: str | None
) -> Call[wire.Handoff]:
    """Ask a colleague for something."""
    draft = wire.HandoffDraft(recipient=recipient, request=request, audience=audience, due_at=moment(due_at, "due_at"))
    return write("v1/handoffs", wire.Handoff, draft, idempotency_key)


def handoffs(
    box: wire.Box, *, status: wire.HandoffStatus | None, overdue: bool, page_size: int, cursor: str | None
) -> Call[wire.HandoffPage]:
    """List a page of a box."""
    asked = {"box": box, "status": status, "overdue": "true" if overdue else None}
    return page("v1/handoffs", wire.HandoffPage, asked, page_size, cursor)


def handoff(handoff_id: UUID | str) -> Call[wire.HandoffDetail]:
    """Read one handoff with its history."""
    return Call("GET", f"v1/handoffs/{record(handoff_id)}", wire.HandoffDetail)


def move(handoff_id: UUID | str, verb: str, *, reply: str | None, idempotency_key: str | None) -> Call[wire.Handoff]:
    """Accept, decline or withdraw: `verb` is the address's last word."""
    return write(
        f"v1/handoffs/{record(handoff_id)}/{verb}", wire.Handoff, wire.HandoffReply(reply=reply), idempotency_key
    )


def answer(
    handoff_id: UUID | str, outcome: wire.Outcome, reply: str, *, idempotency_key: str | None
) -> Call[wire.Handoff]:
    """Say how an accepted handoff ended."""
    given = wire.HandoffAnswer(outcome=outcome, reply=reply)
    return write(f"v1/handoffs/{record(handoff_id)}/answer", wire.Handoff, given, idempotency_key)
