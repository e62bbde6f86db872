"""What a text gives away: a secret it holds, or an approval it claims. Rule ids only; the text is never repeated.

A first rule set, for accidents: an agent that pastes a key into a beat. Someone who wants to smuggle one can encode it
(the rules see through compatibility forms, invisible characters, look-alike letters, HTML and percent escapes, and
nothing else). Placeholders, public keys, digests and references to a vault are let through.
"""

from __future__ import annotations

import html
import unicodedata
import urllib.parse
from collections.abc import Iterator
from typing import Any, Final

import re2

from fleetmem.board.claim_shapes import PHRASES
from fleetmem.board.secret_shapes import SHAPES, compile_shapes
from fleetmem.fleet.text import LOOKALIKES

_COMPILED: Final = compile_shapes(SHAPES)
_PLACEHOLDER: Final = re2.compile(r"(?i)x{6,}|\*{3,}|\.{3,}|0{10,}")
# Long and random and meant to be seen; blanked before anything is judged by its randomness.
_PUBLIC: Final = re2.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}(?:PUBLIC KEY|CERTIFICATE)(?: BLOCK)?-----[A-Za-z0-9+/=\s]*-----END [A-Z0-9 ]{1,60}-----"
    r"|\bpk_(?:live|test)_[A-Za-z0-9]+|\bpk\.eyJ[A-Za-z0-9_.-]+|(?:SHA256:|sha(?:256|384|512)-)[A-Za-z0-9+/=]+"
    r"|ssh-(?:rsa|ed25519) [A-Za-z0-9+/=]+|data:[a-z]+/[a-z+.-]+;base64,[A-Za-z0-9+/=]+"
)


def find_secret(text: str) -> str | None:
    """Return the id of the first rule whose secret the text holds, or None."""
    return next((rule for view in _views(text) for rule in _secrets(view)), None)


def claims(text: str) -> tuple[str, ...]:
    """Return the flags a handoff's text earns, in a fixed order: `claims-approval`, `skips-checks`."""
    seen = " ".join(normalise(text).translate(_TYPOGRAPHY).casefold().split())
    views = {seen, " ".join(seen.translate(_JOINERS).split())}
    return tuple(
        flag for flag, phrases in PHRASES.items() if any(_says(phrase, view) for phrase in phrases for view in views)
    )


def _says(phrase: Any, seen: str) -> bool:
    return any(found["guard"] is None for found in phrase.finditer(seen))


def _secrets(view: str) -> Iterator[str]:
    for index in sorted(_COMPILED.any_of.Match(view) or ()):
        shape, pattern = _COMPILED.each[index]
        for found in pattern.finditer(view):
            if not _PLACEHOLDER.search(found[0]) and (shape.judge is None or shape.judge(found["value"])):
                yield shape.rule


def _views(text: str) -> Iterator[str]:
    """Yield the text as a reader sees it, and once more with each escape undone that it uses."""
    seen = _PUBLIC.sub(" ", normalise(text))
    yield seen.replace("\\n", "\n").replace("\\r", "")
    if "&" in seen:
        yield normalise(html.unescape(seen))
    if "%" in seen:
        yield normalise(urllib.parse.unquote(seen))


def normalise(text: str) -> str:
    """Fold compatibility forms (NFKC) and Cyrillic and Greek look-alikes; drop characters that print as nothing."""
    if text.isascii():
        return text.translate(_ASCII_CONTROLS)
    folded = unicodedata.normalize("NFKC", text)
    unseen = {
        ord(each): None
        for each in set(folded)
        if unicodedata.category(each) in {"Cc", "Cf", "Cs"} and each not in "\n\t"
    }
    return folded.translate(unseen).translate(LOOKALIKES)


_TYPOGRAPHY: Final = str.maketrans("\u2018\u2019\u02bc\u2010\u2011\u2012\u2013\u2014", "'''-----")
_JOINERS: Final = str.maketrans("-_*.", "    ")
_ASCII_CONTROLS: Final = dict.fromkeys(code for code in [*range(32), 127] if code not in (9, 10))
