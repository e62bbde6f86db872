"""What a team was asked, said and did, as it may be kept: limits, and how a machine's output becomes plain text.

Unlike a beat, none of this is composed for the board: a tool's output holds carriage returns, colours, NUL. Such a text is
tidied, never refused for it; what is too long is refused, because only its sender knows which part of it matters.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from fleetmem.board import limits
from fleetmem.errors import RequestInvalid

LONGEST_PROMPT: Final = 32_000
LONGEST_MESSAGE: Final = 32_000
LONGEST_INSTRUCTION: Final = 32_000
LONGEST_OUTPUT: Final = 64_000
LONGEST_FAILURE: Final = 2_000
LONGEST_NODE: Final = 200
LONGEST_SPAN_NAME: Final = 200
LONGEST_SPAN: Final = 16_000
MOST_SPANS: Final = 500
HIGHEST_SPAN: Final = 1_000_000
MOST_TOKENS: Final = 10**12
MOST_SHOWN: Final = 1_000
MOST_DEPENDENCIES: Final = 100

# Colours, cursor moves and window titles of a terminal (ECMA-48), then every control but tab and line feed.
_TERMINAL: Final = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]{0,200}(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_SHOWN: Final = "\ufffd"


def tidy(text: str) -> str:
    """Return a text as it is kept: line feeds alone end lines, terminal codes are gone, other controls become U+FFFD."""
    if _CONTROL.search(text) is None:
        return text
    return _CONTROL.sub(_SHOWN, _TERMINAL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def words(given: str, *, field: str, longest: int) -> str:
    """Return what somebody said, tidied.

    Raises:
        RequestInvalid: rule `too-long`, or `empty` where nothing is left.
    """
    kept = printed(given, field=field, longest=longest)
    if not kept.strip():
        raise RequestInvalid(f"`{field}` must hold something visible", field=field, rule="empty")
    return kept


def printed(given: str, *, field: str, longest: int) -> str:
    """Return what a machine printed, tidied; it may be empty.

    Raises:
        RequestInvalid: rule `too-long`.
    """
    kept = tidy(given)
    if len(kept) > longest:
        raise RequestInvalid(f"`{field}` must have at most {longest} characters", field=field, rule="too-long")
    return kept


def name(given: str, *, field: str, longest: int) -> str:
    """Return a name of a tool, a model or a step on one line: any white space or control becomes a space.

    Raises:
        RequestInvalid: rule `too-long` or `empty`.
    """
    return words(" ".join(tidy(given).split()), field=field, longest=longest)


def moment(given: str | None, *, field: str) -> datetime | None:
    """Return a moment of the caller's own clock, in UTC.

    Raises:
        RequestInvalid: rule `time-format` or `time-zone`.
    """
    return None if given is None else limits.instant(given, field=field)
