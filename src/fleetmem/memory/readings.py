"""Ways to read a text that wants not to be recognised: sentence by sentence, with its disguises taken off.

Each reading is one string: case folded, single spaces, one sentence a line, so that `.` in a rule never crosses a
sentence. Offsets play no part here; what steers is quarantined whole.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import re2

from fleetmem.memory import views
from fleetmem.memory.views import View


def readings(text: str, vocabulary: Mapping[str, str]) -> Iterator[str]:
    """Yield every reading of a text; of each, the sentences that none before it held.

    Raises:
        views.Overload: the text has more disguises than a scan may undo.
    """
    base = views.folded(text)
    seen: set[str] = set()
    for plain in _plain(text, base):
        shown = sentences(plain).split("\n")
        for lines in (shown, *_undisguised(shown, vocabulary)):
            fresh = [line for line in dict.fromkeys(lines) if line not in seen]
            if fresh:
                seen.update(fresh)
                yield "\n".join(fresh)


def sentences(text: str) -> str:
    """Lay a text out with one sentence a line; lines that were broken within a sentence are joined."""
    lines: list[str] = []
    for line in text.casefold().split("\n"):
        words = " ".join(line.split())
        if lines and words and ((words[0].islower() and not _CLOSED.search(lines[-1])) or lines[-1].count(" ") < _FEW):
            lines[-1] = f"{lines[-1]} {words}"
        elif words:
            lines.append(words)
    parted: str = _END_OF_SENTENCE.sub("\n", "\n".join(lines))
    return parted


def _plain(text: str, base: View) -> Iterator[str]:
    yield base.text
    if not text.isascii():
        yield views.folded(text.casefold()).text
    for view in views.unescaped(base):
        yield view.text
    hidden = [views.decoded(found[0].decode()) for found in _ENCODED.finditer(base.octets)]
    if any(hidden):
        yield views.folded("\n".join(filter(None, hidden))[:_MOST_DECODED]).text
    if "rot" in base.text.lower():
        yield codecs.encode(base.text, "rot13")


def _undisguised(lines: Sequence[str], vocabulary: Mapping[str, str]) -> Iterator[list[str]]:
    yield [_spaced(line.translate(_MARKUP)) for line in lines]
    yield [_spaced(line.translate(_JOINTS)) for line in lines if _JOINED.search(line)]
    leet = [line for line in lines if len(_LEET.findall(line)) >= _FEW]
    yield [line.translate(_LETTERS) for line in leet]
    yield [line.translate(_LETTERS | {ord("1"): "l"}) for line in leet]
    yield [_SPELLED.sub(lambda found: _unspelled(found[0]), line) for line in lines if _SPELLED.search(line)]
    yield [" ".join(_restored(word, vocabulary) for word in line.split(" ")) for line in lines]


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _unspelled(run: str) -> str:
    return " " + run.replace(" ", "") + " "


def _restored(word: str, vocabulary: Mapping[str, str]) -> str:
    """Put the letters of a shuffled word right: same first, same last, the same ones between, or one of them wrong."""
    core = word.strip(".,;:!?\"'()*_`")
    if len(core) < _SHORTEST_SHUFFLED or not core.isalpha():
        return word
    meant = vocabulary.get(core[0] + "".join(sorted(core[1:-1])) + core[-1])
    return word.replace(core, meant) if meant and meant != core else word


_FEW: Final = 2
_SHORTEST_SHUFFLED: Final = 5
_MOST_DECODED: Final = 65_536
_CLOSED: Final = re2.compile(r"[.!?:;]$")
_END_OF_SENTENCE: Final = re2.compile(r"[.!?]+[\"')\]]*(?: |$)|\n+")
_ENCODED: Final = re2.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_MARKUP: Final = dict.fromkeys(map(ord, "*_~"))
_JOINED: Final = re2.compile(r"[a-z][.,;_/|-]{1,2}[a-z]+[.,;_/|-]{1,2}[a-z]")
_JOINTS: Final = dict.fromkeys(map(ord, ".,;_/|-"), " ")
_LEET: Final = re2.compile(r"\b[a-z]*[0134579@$]+[a-z]+[a-z0134579@$]*\b|\b[a-z]+[0134579@$]+[a-z]*\b")
_LETTERS: Final = str.maketrans("0134579@$", "oieastgas")
_SPELLED: Final = re2.compile(r"(?:^| )(?:\S ){6,}\S(?: |$)")
