"""A beat: a short-lived conclusion about a topic. One is live per author and topic; a new one supersedes it."""

from __future__ import annotations

import unicodedata
from datetime import datetime, timedelta
from typing import Final

from fleetmem.board import limits

LONGEST_TOPIC: Final = 200
LONGEST_BODY: Final = 8_000
EXPIRES_AFTER: Final = timedelta(days=7)
EXPIRES_AT_LATEST: Final = timedelta(days=90)


def topic(text: str) -> str:
    """Return a topic as it is kept: composed (NFC), without white space around it, one visible line.

    Raises:
        RequestInvalid: field `topic`; the rule is one of `fleet.text`'s.
    """
    return limits.line(text, field="topic", longest=LONGEST_TOPIC)


def topic_key(text: str) -> str:
    """Return what two spellings of one topic share: NFC, case folded, composed again (folding can decompose)."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text.strip()).casefold())


def body(text: str) -> str:
    """Return a body unchanged, if it may be kept.

    Raises:
        RequestInvalid: field `body`.
    """
    return limits.prose(text, field="body", longest=LONGEST_BODY)


def expires_at(given: str | None, *, now: datetime) -> datetime:
    """Return when a beat ends, in UTC: as given in RFC 3339, else after seven days.

    Raises:
        RequestInvalid: field `expires_at`; rule `time-format`, `time-zone`, `in-the-past` or `too-far`.
    """
    if given is None:
        return now + EXPIRES_AFTER
    return limits.moment(given, field="expires_at", now=now, at_most=EXPIRES_AT_LATEST)
