"""What a stored text may hold: the rules that topics, bodies, replies and the roster's descriptions share.

Each fault is a stable word that an API answer can carry as its `rule`: `empty`, `too-long`, `nul`, `surrogate`,
`control-character`, `invisible-character`. Bodies keep any script, emoji and joiners; one-line texts (topics, names'
descriptions) also refuse what could make two of them look alike or render backwards.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_BODY_CONTROLS: Final = frozenset("\n\t")
# Format characters (Cf: bidi controls, zero-width, tags), line and paragraph separators, private use, unassigned.
_INVISIBLE: Final = frozenset({"Cf", "Zl", "Zp", "Co", "Cn"})
# Blank to the eye and yet neither space nor format: Hangul fillers, the Braille blank, the grapheme joiner, selectors.
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")


def line_fault(text: str, *, longest: int) -> str | None:
    """Return the rule that a one-line text breaks, or None; measure it after `tidy_line`."""
    return _length_fault(text, longest) or next(
        (fault for fault in (_character_fault(each, frozenset()) or _hidden_fault(each) for each in text) if fault),
        None,
    )


def body_fault(text: str, *, longest: int) -> str | None:
    """Return the rule that a text of many lines breaks, or None; line feeds and tabs are its only controls."""
    return _length_fault(text, longest) or next(
        (fault for fault in (_character_fault(each, _BODY_CONTROLS) for each in text) if fault),
        None,
    )


def tidy_line(text: str) -> str:
    """Compose a one-line text (NFC) and strip the white space around it."""
    return unicodedata.normalize("NFC", text).strip()


def _length_fault(text: str, longest: int) -> str | None:
    if not text.strip():
        return "empty"
    return "too-long" if len(text) > longest else None


def _character_fault(character: str, allowed: frozenset[str]) -> str | None:
    if character == "\0":
        return "nul"
    category = unicodedata.category(character)
    if category == "Cs":
        return "surrogate"
    return "control-character" if category == "Cc" and character not in allowed else None


def _hidden_fault(character: str) -> str | None:
    if character in _BLANK or unicodedata.category(character) in _INVISIBLE or "\ufe00" <= character <= "\ufe0f":
        return "invisible-character"
    return None
