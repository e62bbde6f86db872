"""What a stored text may hold: the rules that topics, bodies, replies and the roster's descriptions share.

Each fault is a stable word that an API answer can carry as its `rule`: `empty`, `too-long`, `nul`, `surrogate`,
`control-character`, `invisible-character`. Bodies keep any script, emoji and joiners; one-line texts (topics, names'
descriptions) also refuse what could make two of them look alike or render backwards.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# C0 and C1 controls but tab and line feed, lone surrogates, and the two overrides that print a text backwards
# (Boucher and Anderson, "Trojan Source", 2021). One class, searched once: a body is checked on every write.
_UNFIT_FOR_BODY: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202d\u202e]")
# Format characters (Cf: bidi controls, zero-width, tags), line and paragraph separators, private use, unassigned.
_INVISIBLE: Final = frozenset({"Cf", "Zl", "Zp", "Co", "Cn"})
# Blank to the eye and yet neither space nor format: Hangul fillers, the Braille blank, the grapheme joiner, selectors.
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")

# Letters of Cyrillic and Greek that imitate Latin ones, folded for comparison and never for storage.
# Source: Unicode Technical Standard 39, confusables.txt.
LOOKALIKES: Final = str.maketrans(
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u03bf\u03b1\u03bd\u03c1\u03b9\u0131"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0391\u0392\u0395\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7",
    "aceopxyijshdqwoavpiiABEKMHOPCTXIABEIKMNOPTX",
)


def line_fault(text: str, *, longest: int) -> str | None:
    """Return the rule that a one-line text breaks, or None; measure it after `tidy_line`."""
    if len(text) > longest:
        return "too-long"
    fault = next((fault for fault in map(_character_fault, text) if fault), None)
    return fault or (None if _is_visible(text) else "empty")


def body_fault(text: str, *, longest: int) -> str | None:
    """Return the rule that a text of many lines breaks, or None; line feeds and tabs are its only controls."""
    if len(text) > longest:
        return "too-long"
    found = _UNFIT_FOR_BODY.search(text)
    if found:
        return _character_fault(found[0])
    return None if _is_visible(text) else "empty"


def tidy_line(text: str) -> str:
    """Compose a one-line text (NFC) and strip the white space around it."""
    return unicodedata.normalize("NFC", text).strip()


def _is_visible(text: str) -> bool:
    # Letters, numbers, punctuation, symbols: white space, combining marks and fillers alone render as nothing.
    return any(unicodedata.category(each)[0] in "LNPS" and each not in _BLANK for each in text)


def _character_fault(character: str) -> str | None:
    if character == "\0":
        return "nul"
    category = unicodedata.category(character)
    if category == "Cs":
        return "surrogate"
    if category == "Cc":
        return "control-character"
    selector = "\ufe00" <= character <= "\ufe0f"
    return "invisible-character" if selector or category in _INVISIBLE or character in _BLANK else None
