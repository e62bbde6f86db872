"""What commands share: how examples are told, how moments are written, and the one look at the clock."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

import typer

from fleetmem.board import limits
from fleetmem.errors import RequestInvalid

Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for scripts.")]
Most = Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")]
Team = Annotated[str, typer.Argument(help="The team.")]

_SPAN: Final = re.compile(r"(?P<count>[1-9][0-9]{0,5})(?P<unit>s|min|h|d|w)")
_UNITS: Final = {"s": "seconds", "min": "minutes", "h": "hours", "d": "days", "w": "weeks"}
WHEN: Final = "30min, 12h, 3d, 2w, or 2027-03-01T12:00:00Z."


def examples(*lines: str) -> str:
    r"""Write a command's examples for its help; \b keeps each on its own line."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def group(help_text: str) -> typer.Typer:
    """Make a group of commands with plain help: without rich, a short command starts in half the time."""
    return typer.Typer(help=help_text, no_args_is_help=True, rich_markup_mode=None, add_completion=False)


def now() -> datetime:
    """Read the clock; the only place of the command line that does."""
    return datetime.now(UTC)  # noqa: TID251 -- this is the place


def later(text: str | None, *, field: str) -> datetime | None:
    """Read a moment to come: a span from now, or RFC 3339.

    Raises:
        RequestInvalid: it is neither.
    """
    if text is None:
        return None
    span = _span(text)
    return now() + span if span is not None else limits.instant(text, field=field)


def earlier(text: str | None, *, field: str) -> datetime | None:
    """Read a moment gone by: a span before now, or RFC 3339.

    Raises:
        RequestInvalid: it is neither.
    """
    if text is None:
        return None
    span = _span(text)
    return now() - span if span is not None else limits.instant(text, field=field)


def span(text: str | None, *, field: str) -> timedelta | None:
    """Read a length of time.

    Raises:
        RequestInvalid: it is none.
    """
    if text is None:
        return None
    found = _span(text)
    if found is None:
        raise RequestInvalid(f"`{field}` is a length of time such as 30s, 10min, 12h or 3d", field=field, rule="format")
    return found


def text_or_stdin(text: str) -> str:
    """Return an argument, or standard input for `-`, without the line break that a pipe leaves at its end."""
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode().rstrip("\n")
    except UnicodeDecodeError as error:
        raise RequestInvalid("standard input is not UTF-8", field="body", rule="encoding") from error


def _span(text: str) -> timedelta | None:
    found = _SPAN.fullmatch(text)
    return timedelta(**{_UNITS[found["unit"]]: int(found["count"])}) if found else None
