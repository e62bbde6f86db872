"""Tokens that were cut apart: over two lines by a mail program, or into groups by somebody who knows the scanners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import re2

from fleetmem.memory import gates
from fleetmem.memory.gates import Gate
from fleetmem.memory.views import MOST_REWRITES, Overload, View, focused


def unwrapped(view: View) -> View:
    """Join what a line break cut: both halves must look like parts of a token, so that prose stays prose."""
    edits = []
    for found in _bounded(_WRAP.finditer(view.octets)):
        start, end = found.span(1)
        left = _LAST.search(view.octets[max(0, start - _WINDOW) : start])
        right = _FIRST.match(view.octets[end : end + _WINDOW])
        if left and right and _is_part(left[0]) and _is_part(right[0]):
            edits.append((*view.span(start, end), ""))
    return focused(view, _disjoint(edits)) if edits else view


def unspaced(view: View, *, trimmed: bool) -> View:
    """Join groups of one length that a separator sets apart: `AKIA NHVR JUEW VPIT Q57W`, `A-K-I-A-…`.

    `trimmed` leaves words at both ends out, which may be of that length by chance, or else belong to the token: read both.
    """
    edits: list[tuple[int, int, str]] = []
    for pattern in _possible(view.octets):
        for found in _bounded(pattern.finditer(view.octets)):
            start, end = _trimmed(found) if trimmed else found.span(1)
            if _is_mixed(found[1].decode(), separator=found[2].decode()):
                edits += _cuts(view, start, end, separator=found[2], tailed=end == found.end(1))
            if len(edits) > MOST_REWRITES:
                raise Overload("too many groups")
    return focused(view, _disjoint(sorted(edits))) if edits else view


def may_be_cut(octets: bytes) -> bool:
    """Tell whether a text may hold a token in pieces; where it cannot, `unwrapped` and `unspaced` return it as it is."""
    return len(octets) > gates.LONGEST_AT_ONCE or bool(_ANY_CUT.matching(octets))


def _possible(octets: bytes) -> Sequence[Any]:
    """Return the patterns of runs that match at all."""
    if len(octets) > gates.LONGEST_AT_ONCE:
        return _RUNS
    return [_RUNS[at] for at in _ANY_CUT.matching(octets) if at < len(_RUNS)]


def _cuts(view: View, start: int, end: int, *, separator: bytes, tailed: bool) -> list[tuple[int, int, str]]:
    """Return the separators of a run of groups as edits; the last, shorter group belongs to it if it is no small word."""
    size = view.octets.index(separator, start) - start
    tail = _TAIL.match(view.octets[end : end + size + 1])
    if (
        tailed
        and tail
        and tail[0][:1] == separator
        and not _is_next_word(tail[0][1:].decode(), view.octets[end + len(tail[0]) : end + len(tail[0]) + 1])
    ):
        end += len(tail[0])
    return [(*view.span(at, at + 1), "") for at in range(start + size, end, size + 1)]


def _trimmed(found: Any) -> tuple[int, int]:
    start, end = found.span(1)
    groups = found[1].split(found[2])
    size = len(groups[0]) + 1
    while len(groups) > _FEWEST and _WORD.fullmatch(groups[-1]):
        groups.pop()
        end -= size
    while len(groups) > _FEWEST and _WORD.fullmatch(groups[0]):
        groups.pop(0)
        start += size
    return start, end


def _is_part(piece: bytes) -> bool:
    """Tell whether a piece is no word of prose: it has digits, signs, or capitals where no word has them."""
    return not _WORDLIKE.fullmatch(piece)


def _is_next_word(group: str, following: bytes) -> bool:
    """Tell the next word of the sentence from the end of the token: `Q57W and it` from `AmVH I` and a line break."""
    return following == b" " and group.lower() in _SMALL_WORDS and (group.islower() or group.istitle())


def _is_mixed(run: str, *, separator: str) -> bool:
    """Tell a cut token from words that happen to be of one length: digits, or capitals inside of groups."""
    run = run[:_ENOUGH]
    joined = run.replace(separator, "")
    letters = sum(map(str.isalpha, joined))
    odd = any(map(str.isdigit, joined)) or len(_CAMEL.findall(run)) >= 2  # noqa: PLR2004
    return len(joined) >= _SHORTEST and odd and letters >= 4 and len(set(joined)) >= 8  # noqa: PLR2004


def _disjoint(edits: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    kept: list[tuple[int, int, str]] = []
    for each in edits:
        if not kept or each[0] >= kept[-1][1]:
            kept.append(each)
    return kept


def _bounded(found: Any) -> Any:
    for count, each in enumerate(found):
        if count >= MOST_REWRITES:
            raise Overload("too many pieces")
        yield each


_SHORTEST: Final = 14
_FEWEST: Final = 3
_WORD: Final = re2.compile(r"[A-Za-z][a-z]{2,}")
_WINDOW: Final = 200
_WRAP: Final = re2.compile(r"[A-Za-z0-9+/_.:~-]{5}(=?[ \t]*\\?\n[ \t]*(?:[>|*#]|//)?[ \t]*)[A-Za-z0-9+/_.~-]")
_LAST: Final = re2.compile(r"[A-Za-z0-9+/_.:=~-]{5,}$")
_FIRST: Final = re2.compile(r"[A-Za-z0-9][A-Za-z0-9+/_.~-]{4,}")
_WORDLIKE: Final = re2.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)(?:[-_/.:=]+(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,4})?)*")
_RUNS: Final = tuple(
    re2.compile(
        rf"(?:^|[\s=:\"'`(\[|>])([A-Za-z0-9+/_{inside}]{{{size}}}({sign})[A-Za-z0-9+/_{inside}]{{{size}}}"
        rf"(?:{sign}[A-Za-z0-9+/_{inside}]{{{size}}}){{2,}})"
    )
    for sign, inside in ((" ", ".:~-"), (r"\.", ":~-"), ("-", ".:~"))
    for size in range(1, 9)
)
# These do not multiply: one automaton of all of them stays small.
_ANY_CUT: Final = Gate([*(pattern.pattern for pattern in _RUNS), _WRAP.pattern])
_TAIL: Final = re2.compile(r"[ .-][A-Za-z0-9+/_.:~-]+")
_ENOUGH: Final = 2_000
_CAMEL: Final = re2.compile(r"[a-z][A-Z]")
_SMALL_WORDS_TEXT: Final = (
    "a an and are as at be by can do for has he i if in into is it its may me my no not now of off on one "
    "or our out so than that the then they this to too up us use was we will with you your"
)
_SMALL_WORDS: Final = frozenset(_SMALL_WORDS_TEXT.split())
