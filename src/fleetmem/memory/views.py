"""A text as its readers see it: folded, unwrapped and decoded once, each view with the way back to the original.

A scanner that only reads the raw characters is blind to full-width letters, to a zero-width character inside a token, to `&#103;`.
So rules read views. Offsets found in a view are mapped to the original by `View.origin`, whatever the chain of steps.
Everything here is bounded: a text with more escapes than `MOST_REWRITES` raises `Overload`, which callers quarantine.
"""

from __future__ import annotations

import base64
import binascii
import html
import unicodedata
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import re2

from fleetmem.fleet.text import LOOKALIKES

MOST_REWRITES: Final = 3_000
MOST_CHARACTERS: Final = 5_000
LONGEST_TEXT: Final = 262_144


class Overload(Exception):  # noqa: N818 -- a state of the input, named as such
    """A text holds more than a scan may spend on it; the message never quotes it."""


class View:
    """One reading of a text. Offsets of `text` are characters; of `octets`, UTF-8 bytes, which is what RE2 counts."""

    __slots__ = ("_characters", "_ends", "_parent", "_starts", "octets", "text")

    def __init__(
        self,
        text: str,
        *,
        parent: View | None = None,
        starts: Sequence[int] | None = None,
        ends: Sequence[int] | None = None,
    ) -> None:
        """Make a view; `starts` and `ends` say, character by character, what of the parent (or the original) it reads."""
        self.text = text
        self.octets = text.encode("utf-8", "replace")
        self._parent, self._starts, self._ends = parent, starts, ends
        self._characters: array[int] | None = None

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of this view, in characters, to the span of the original text that it was made of."""
        if self._starts is not None and self._ends is not None and end > start:
            start, end = self._starts[start], self._ends[end - 1]
        return self._parent.origin(start, end) if self._parent is not None else (start, end)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Turn a span in octets into one in characters."""
        if len(self.octets) == len(self.text):
            return start, end
        if self._characters is None:
            widths = (len(each.encode("utf-8", "replace")) for each in self.text)
            self._characters = array("I", (at for at, width in enumerate(widths) for _ in range(width)))
            self._characters.append(len(self.text))
        return self._characters[start], self._characters[end]


def raw(text: str) -> View:
    """Return a text as it is; a lone surrogate becomes a question mark for the scanner alone."""
    return View(text)


def folded(text: str) -> View:
    """Fold compatibility forms, accents and look-alikes; drop what prints as nothing. The base of every other view."""
    if text.isascii() and (text.isprintable() or text.translate(_LINES).isprintable()):
        return raw(text)
    if len(set(text)) > MOST_CHARACTERS:
        raise Overload("too many different characters")
    return _pieced(text, list(map(_FOLDS.__getitem__, text)))


def fold_letters(pattern: str) -> str:
    """Fold the letters of a pattern as texts are folded, so that it meets them; its ASCII stays as it is."""
    return "".join(each if each.isascii() else _FOLDS[each] for each in pattern)


def unescaped(view: View) -> Iterator[View]:
    r"""Yield the view with the escapes undone that it uses: `\n`, HTML entities, percent; nothing where it uses none."""
    for sign, pattern, replace in _ESCAPES:
        if sign in view.text:
            undone = rewritten(view, pattern, replace)
            if undone is not view:
                yield undone


def rewritten(view: View, pattern: Any, replace: Callable[[str], str]) -> View:
    """Replace each match of an RE2 pattern by what `replace` makes of it; the same view when there is none.

    Raises:
        Overload: there are more than `MOST_REWRITES` matches.
    """
    edits: list[tuple[int, int, str]] = []
    for found in pattern.finditer(view.octets):
        if len(edits) >= MOST_REWRITES:
            raise Overload("too many escapes")
        start, end = view.span(*found.span())
        edits.append((start, end, replace(view.text[start:end])))
    return focused(view, edits) if edits else view


def edited(view: View, edits: Sequence[tuple[int, int, str]]) -> View:
    """Return the view with spans replaced: ordered, disjoint, in characters."""
    parts: list[str] = []
    starts, ends, at = array("I"), array("I"), 0
    for start, end, new in edits:
        parts += (view.text[at:start], new)
        starts.extend(range(at, start))
        ends.extend(range(at + 1, start + 1))
        starts.extend([start] * len(new))
        ends.extend([end] * len(new))
        at = end
    parts.append(view.text[at:])
    starts.extend(range(at, len(view.text)))
    ends.extend(range(at + 1, len(view.text) + 1))
    return View("".join(parts), parent=view, starts=starts, ends=ends)


def focused(view: View, edits: Sequence[tuple[int, int, str]]) -> View:
    """Make the edits, and leave out what lies far from all of them: the view itself is read as well."""
    kept: list[tuple[int, int, str]] = []
    at = 0
    for start, end, new in edits:
        if start - at > _NEAR_BEFORE + _NEAR_AFTER:
            kept.append((at + _NEAR_AFTER if kept else 0, start - _NEAR_BEFORE, "\n"))
        kept.append((start, end, new))
        at = end
    if len(view.text) - at > _NEAR_AFTER:
        kept.append((at + _NEAR_AFTER, len(view.text), "\n"))
    return edited(view, kept)


def decoded(token: str) -> str | None:
    """Undo base64 or hexadecimal once; None where the octets are no printable text."""
    for octets in (_from_hex(token), _from_base64(token)):
        if octets is not None and len(octets) >= _SHORTEST_DECODED:
            try:
                text = octets.decode("utf-8")
            except UnicodeDecodeError:
                continue
            if sum(each.isprintable() or each in "\n\r\t" for each in text) == len(text):
                return text
    return None


def _from_hex(token: str) -> bytes | None:
    try:
        return bytes.fromhex(token)
    except ValueError:
        return None


def _from_base64(token: str) -> bytes | None:
    body = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _pieced(text: str, pieces: list[str]) -> View:
    """Make a view of one piece a character; no index where every piece is one character long."""
    joined = "".join(pieces)
    if len(joined) == len(text) and all(map(len, pieces)):
        return View(joined)
    starts = array("I", [at for at, piece in enumerate(pieces) for _ in piece])
    ends = array("I", [at + 1 for at in starts])
    return View(joined, starts=starts, ends=ends)


class _Folds(dict[str, str]):
    """What each character is read as, found once and kept."""

    def __missing__(self, character: str) -> str:
        if len(self) > _MOST_FOLDS:
            self.clear()
        self[character] = seen = _fold(character)
        return seen


def _fold(character: str) -> str:
    if character in "\n\t":
        return character
    category = unicodedata.category(character)
    if category in {"Zl", "Zp"}:
        return "\n"
    if category in _DROPPED or character in _BLANK:
        return ""
    if category == "Zs":
        return " "
    if unicodedata.is_normalized("NFKD", character):
        return character.translate(_LOOKALIKES) if character < _LAST_LOOKALIKE else character
    apart = unicodedata.normalize("NFKD", character)
    base = "".join(each for each in apart if unicodedata.category(each) not in _DROPPED)
    return base.translate(_LOOKALIKES)


def _character(entity: str) -> str:
    return "".join(map(_FOLDS.__getitem__, html.unescape(entity)))


def _percent(escapes: str) -> str:
    octets = bytes.fromhex(escapes.replace("%", ""))
    return "".join(map(_FOLDS.__getitem__, octets.decode("utf-8", "replace")))


_FOLDS: Final = _Folds()
_LINES: Final = {ord("\n"): None, ord("\t"): None}
_NEAR_BEFORE: Final = 240
_NEAR_AFTER: Final = 480
_SHORTEST_DECODED: Final = 8
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f")
_DROPPED: Final = frozenset({"Cc", "Cf", "Cs", "Mn", "Me"})
_LOOKALIKES: Final = LOOKALIKES | str.maketrans(
    "\u2018\u2019\u201a\u201b\u2032\u02bc\u201c\u201d\u201e\u2033\u00ab\u00bb\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2044\u2215",
    "''''''\"\"\"\"\"\"-------//",
)
_LAST_LOOKALIKE: Final = "\u2300"
_MOST_FOLDS: Final = 20_000
_BACKSLASH: Final = re2.compile(r'\\(?:r\\n|[nrt"/])')
_BACKSLASHED: Final = {"\\n": "\n", "\\r\\n": "\n", "\\t": "\t", '\\"': '"', "\\/": "/"}
_ENTITY: Final = re2.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,10});")
_PERCENT: Final = re2.compile(r"(?:%[0-9A-Fa-f]{2})+")
_ESCAPES: Final[tuple[tuple[str, Any, Callable[[str], str]], ...]] = (
    ("\\", _BACKSLASH, lambda found: _BACKSLASHED.get(found, "")),
    ("&", _ENTITY, _character),
    ("%", _PERCENT, _percent),
)
