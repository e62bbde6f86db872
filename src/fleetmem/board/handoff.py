"""A handoff: one agent asks another to do something. Its life is a small table, and nothing of it is ever deleted.

The database decides by the same table (`policies/fence/40_handoffs.sql`); a test tries every cell of this one there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from fleetmem.board import limits

LONGEST_REQUEST: Final = 8_000
LONGEST_REPLY: Final = 8_000
DUE_AT_LATEST: Final = timedelta(days=366)


class Status(StrEnum):
    """Where a handoff stands; the last four are final."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DONE = "done"
    FAILED = "failed"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


class Party(StrEnum):
    """Which side of a handoff an agent is on."""

    SENDER = "sender"
    RECIPIENT = "recipient"


@dataclass(frozen=True, slots=True)
class Transition:
    """One allowed move, and the only party that may make it."""

    before: Status
    after: Status
    by: Party


TRANSITIONS: Final = (
    Transition(Status.OPEN, Status.ACCEPTED, Party.RECIPIENT),
    Transition(Status.OPEN, Status.DECLINED, Party.RECIPIENT),
    Transition(Status.OPEN, Status.WITHDRAWN, Party.SENDER),
    Transition(Status.ACCEPTED, Status.DONE, Party.RECIPIENT),
    Transition(Status.ACCEPTED, Status.FAILED, Party.RECIPIENT),
)


def may_move(before: Status, after: Status, by: Party) -> bool:
    """Tell whether a party may move a handoff from one status to another."""
    return Transition(before, after, by) in TRANSITIONS


def request(text: str) -> str:
    """Return a request unchanged, if it may be kept.

    Raises:
        RequestInvalid: field `request`.
    """
    return limits.prose(text, field="request", longest=LONGEST_REQUEST)


def reply(text: str) -> str:
    """Return a reply unchanged, if it may be kept.

    Raises:
        RequestInvalid: field `reply`.
    """
    return limits.prose(text, field="reply", longest=LONGEST_REPLY)


def due_at(given: str, *, now: datetime) -> datetime:
    """Return when an answer is due, in UTC.

    Raises:
        RequestInvalid: field `due_at`; rule `time-format`, `time-zone`, `in-the-past` or `too-far`.
    """
    return limits.moment(given, field="due_at", now=now, at_most=DUE_AT_LATEST)
