"""How a caller's text or time is held to its limits; each refusal names the field and the rule it broke."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from fleetmem.errors import RequestInvalid
from fleetmem.fleet import text

# RFC 3339, section 5.6: what `fromisoformat` takes beyond it (week dates, no seconds, a comma) is refused.
_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(?P<offset>[Zz]|[+-][0-9]{2}:[0-9]{2})?"
)
_EXAMPLE: Final = "2027-03-01T12:00:00Z"
_SENTENCES: Final = {
    "empty": "must hold something visible",
    "too-long": "must have at most {longest} characters",
    "nul": "must not hold NUL",
    "surrogate": "must not hold a lone surrogate",
    "control-character": "must not hold control characters",
    "invisible-character": "must not hold invisible or direction-changing characters",
}


def line(given: str, *, field: str, longest: int) -> str:
    """Return a one-line text composed and stripped.

    Raises:
        RequestInvalid: a rule of `fleet.text` is broken.
    """
    tidy = text.tidy_line(given)
    _refuse(text.line_fault(tidy, longest=longest), field=field, longest=longest)
    return tidy


def prose(given: str, *, field: str, longest: int) -> str:
    """Return a text of many lines unchanged.

    Raises:
        RequestInvalid: a rule of `fleet.text` is broken.
    """
    _refuse(text.body_fault(given, longest=longest), field=field, longest=longest)
    return given


def moment(given: str, *, field: str, now: datetime, at_most: timedelta) -> datetime:
    """Read an RFC 3339 moment after `now` and at most `at_most` ahead, in UTC; the database's clock judges it again.

    Raises:
        RequestInvalid: rule `time-format`, `time-zone` (no offset), `in-the-past` or `too-far`.
    """
    read = instant(given, field=field)
    if read <= now:
        raise RequestInvalid(f"`{field}` must lie in the future", field=field, rule="in-the-past")
    if read - now > at_most:
        raise RequestInvalid(f"`{field}` must lie at most {at_most.days} days ahead", field=field, rule="too-far")
    return read


def gone_by(given: str, *, field: str, now: datetime) -> datetime:
    """Read an RFC 3339 moment that is no later than `now`, in UTC.

    Raises:
        RequestInvalid: rule `time-format`, `time-zone` (no offset) or `in-the-future`.
    """
    read = instant(given, field=field)
    if read > now:
        raise RequestInvalid(f"`{field}` must not lie in the future", field=field, rule="in-the-future")
    return read


def instant(given: str, *, field: str) -> datetime:
    """Read an RFC 3339 moment, in UTC.

    Raises:
        RequestInvalid: rule `time-format`, or `time-zone` where the offset is missing.
    """
    shape = _INSTANT.fullmatch(given)
    if shape is None:
        raise RequestInvalid(f"`{field}` must be written as {_EXAMPLE}", field=field, rule="time-format")
    if shape["offset"] is None:
        raise RequestInvalid(f"`{field}` must carry a time zone, as in {_EXAMPLE}", field=field, rule="time-zone")
    try:
        return datetime.fromisoformat(given.upper()).astimezone(UTC)
    except (ValueError, OverflowError) as error:  # the 31st of February, the 60th second, an offset past year 1 or 9999
        raise RequestInvalid(f"`{field}` is no moment of the calendar", field=field, rule="time-format") from error


def _refuse(fault: str | None, *, field: str, longest: int) -> None:
    if fault:
        raise RequestInvalid(f"`{field}` {_SENTENCES[fault].format(longest=longest)}", field=field, rule=fault)
