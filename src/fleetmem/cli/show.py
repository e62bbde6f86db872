"""How records are written on a terminal: no stored text can move the cursor, hide itself or pose as the frame around it."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from fleetmem import wire

# Bidirectional controls: what follows one prints elsewhere than it stands. Joiners stay, scripts and emoji need them.
_BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_TAGS: Final = range(0xE0000, 0xE0080)
_UNPRINTABLE: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})


def neutral(text: str) -> str:
    """Return a text that a terminal only prints: escape sequences and direction changes become visible escapes."""
    return "".join(_visible(each) for each in text)


def line(text: str) -> str:
    """Return a text as one line."""
    return " ".join(neutral(text).split())


def quoted(text: str) -> str:
    """Return a text of many lines, each behind a bar, so that none can be taken for one of ours."""
    return "\n".join(f"  | {each}" for each in neutral(text).expandtabs(4).split("\n"))


def moment(when: datetime | None) -> str:
    """Write a moment to the minute, in UTC; a dash for none."""
    return "-" if when is None else when.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay rows out under a head; the last column is as long as it likes."""
    lines = [tuple(head), *(tuple(line(cell) or "-" for cell in row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in lines)


def beat(each: wire.Beat) -> str:
    """Write one beat."""
    ended = f", ended {moment(each.ended_at)}" if each.ended_at else ""
    return "\n".join(
        (
            f"{line(each.topic)}",
            f"  {each.id}  {each.status}, by {line(each.author)} for {line(each.audience)}",
            f"  published {moment(each.created_at)}, until {moment(each.expires_at)}{ended}",
            quoted(each.body),
        )
    )


def handoff(each: wire.Handoff) -> str:
    """Write one handoff, with what it is and what it tries always before its text."""
    due = f", due {moment(each.due_at)}" if each.due_at else ""
    parts = [
        f"{line(each.sender)} asks {line(each.recipient)}  [{each.status}{', OVERDUE' if each.overdue else ''}]",
        f"  {each.id}  for {line(each.audience)}, sent {moment(each.created_at)}{due}",
        f"  NOTICE: {line(each.notice)}",
    ]
    if each.flags:
        parts.append(f"  FLAGGED: {', '.join(map(line, each.flags))}. The text argues with an approval it cannot give.")
    parts.append(quoted(each.request))
    if each.reply is not None:
        parts += ["  reply:", quoted(each.reply)]
    if isinstance(each, wire.HandoffDetail):
        parts += ["  history:", *(_move(move) for move in each.history)]
    return "\n".join(parts)


def me(who: wire.Me) -> str:
    """Write who an agent is and whom it works with."""
    return "\n".join(
        (
            f"{line(who.name)}: {line(who.description)}",
            f"  reads   {', '.join(map(line, who.reads)) or 'nothing'}",
            f"  writes  {', '.join(map(line, who.writes)) or 'nothing'}",
            "  audiences:",
            *(f"    {line(each.name)}: {line(each.description)}" for each in who.audiences),
            "  colleagues:",
            *(f"    {line(each.name)}: {line(each.description)}" for each in who.colleagues),
        )
    )


def as_json(value: object) -> str:
    """Write a struct, or a list of them, as JSON in plain ASCII, which no terminal can misread."""
    return json.dumps(msgspec.to_builtins(value), indent=1)


def out(text: str) -> None:
    """Print to standard output; what its encoding lacks is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    sys.stdout.flush()  # a reader that left is met here, where it can be handled, and not as the process ends


def note(text: str) -> None:
    """Tell a person what goes on, on standard error, where no script reads it as an answer."""
    sys.stderr.write(text + "\n")


def _move(move: wire.Transition) -> str:
    said = f": {line(move.reply)}" if move.reply else ""
    return f"    {moment(move.at)}  {move.before or '(sent)'} -> {move.after} by {line(move.by)}{said}"


def _visible(character: str) -> str:
    if character in "\n\t":
        return character
    hidden = unicodedata.category(character) in _UNPRINTABLE or character in _BIDI or ord(character) in _TAGS
    return f"<U+{ord(character):04X}>" if hidden else character
