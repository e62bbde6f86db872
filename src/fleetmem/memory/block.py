"""Managed blocks: the part of a Markdown file that is governed, and not one byte of the rest.

::

    <!-- fleetmem:begin note=0197… nonce=5f2c… seam=1+1 -->
    The frontend needs the public API contract alone.
    <!-- fleetmem:end note=0197… nonce=5f2c… -->

Both markers are whole lines. The nonce is new for each block, so that no text written beforehand can imitate its end.
`seam` counts the line breaks that insertion added before and after; removal takes those back, so that a file is, byte for
byte, what it was before. Everything works on bytes: a file may hold invalid UTF-8, a BOM, CRLF or no final line break.

A file whose markers are orphaned, doubled, reversed, nested, misspelt or inside a code fence is refused, never guessed at.
Fences are recognised eagerly (also behind `>`, list bullets and any indentation): a fence too many refuses, a fence too
few could edit somebody's example.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from fleetmem.errors import RequestInvalid, WorkspaceRefused
from fleetmem.fleet import text

LONGEST_CONTENT: Final = 2_000
NONCE_BYTES: Final = 16

_BOM: Final = b"\xef\xbb\xbf"
_EMPTY: Final = (b"", _BOM)
_FOREIGN_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")
_NONCE: Final = re.compile(r"[0-9a-f]{32}")
_UUID: Final = rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_MARKER: Final = re.compile(
    rb"<!-- fleetmem:(?:(?P<begin>begin)|end) note=(?P<note>" + _UUID + rb") nonce=(?P<nonce>[0-9a-f]{32})"
    rb"(?(begin) seam=(?P<before>[0-2])\+(?P<after>[01])) -->"
)
# Whatever resembles a marker and is none: refused, because a reader would take it for one.
_RESEMBLES: Final = re.compile(rb"fleetmem[ \t]*:[ \t]*(begin|end)", re.IGNORECASE)
_FENCE: Final = re.compile(rb"[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*(?P<run>`{3,}|~{3,})(?P<info>.*)")
_MARKER_WORDS: Final = ("fleetmem:begin", "fleetmem:end")
# Line ends to some readers and not to others.
_SEPARATORS: Final = frozenset("\u2028\u2029")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One managed block of a document: `start` and `end` are byte offsets, from the first marker's `<` past the last's `>`.

    `before` and `after` are the line breaks around it, in its own style, that came with it.
    """

    note: UUID
    nonce: str
    start: int
    end: int
    newline: bytes
    before: int
    after: int

    def sha256(self, document: bytes) -> str:
        """Return the digest under which a landing is recorded: of the block's bytes, both markers included."""
        return hashlib.sha256(document[self.start : self.end]).hexdigest()


def scan(document: bytes) -> tuple[Block, ...]:
    """Return every block of a document in order.

    Raises:
        WorkspaceRefused: the markers are not in order, `rule` says how; or the bytes are no text of one-byte line ends.
    """
    return _scan(document)[0]


def find(document: bytes, note: UUID) -> Block | None:
    """Return the block of a note, or None where the document holds none.

    Raises:
        WorkspaceRefused: as `scan`.
    """
    return next((block for block in scan(document) if block.note == note), None)


def insert(document: bytes, *, note: UUID, nonce: str, content: str) -> bytes:
    """Return the document with a block at its end, or in the place of the block that the note already has.

    Raises:
        RequestInvalid: the content could close a block, or is not 1 to 2 000 characters of plain text.
        WorkspaceRefused: as `scan`, or the document ends inside a code fence.
    """
    check_content(content)
    blocks, in_fence = _scan(document)
    present = next((block for block in blocks if block.note == note), None)
    if present is not None:
        seam = (present.before, present.after)
        written = _render(note, nonce, content, newline=present.newline, seam=seam)
        return document[: present.start] + written + document[present.end :]
    if in_fence:
        raise _refused("open-fence", "ends inside a code fence, where a block would be part of an example")
    newline = _newline(document)
    before, after = _seam(document)
    written = _render(note, nonce, content, newline=newline, seam=(before, after))
    return document + newline * before + written + newline * after


def remove(document: bytes, note: UUID) -> bytes:
    """Return the document without the note's block and the line breaks that came with it.

    Where an editor has since taken the blank line before the block away, the line break before it is somebody's and stays.

    Raises:
        WorkspaceRefused: as `scan`, or no block of that note is there.
    """
    block = find(document, note)
    if block is None:
        raise _refused("no-block", f"holds no block of note {note}")
    left, right = document[: block.start], document[block.end :]
    above = left.removesuffix(block.newline * block.before)
    # One line break is the blank line only under a line that has its own, or under nothing.
    is_seam = block.before == 2 or above.endswith(b"\n") or above in _EMPTY  # noqa: PLR2004
    left = above if is_seam else left
    return left + right.removeprefix(block.newline * block.after)


def carry(document: bytes, fresh: bytes) -> bytes:
    """Return `fresh` followed by every block of the document, each byte for byte, in order.

    This is how a text that is written anew (an agent's own instructions) keeps the memory that stands in it.

    Raises:
        WorkspaceRefused: as `scan`, of either; `fresh` holds blocks itself (`doubled`), or ends inside a code fence.
    """
    blocks = scan(document)
    own, in_fence = _scan(fresh)
    if own:
        raise _refused("doubled", "holds blocks already, where only text of its own belongs")
    if in_fence and blocks:
        raise _refused("open-fence", "ends inside a code fence, where a block would be part of an example")
    for each in blocks:
        above = fresh if fresh in _EMPTY or fresh.endswith(b"\n") else fresh + each.newline
        fresh = above + each.newline * each.before + document[each.start : each.end] + each.newline * each.after
    return fresh


def check_content(content: str) -> None:
    r"""Refuse a content that could close a block, hide its end, or leave a code fence open over what follows.

    Raises:
        RequestInvalid: `rule` is one of fleet.text's, `line-separator`, `comment`, `marker` or `open-fence`.
    """
    rule = _content_fault(content)
    if rule is not None:
        raise RequestInvalid(f"the note's content cannot be written into a block ({rule})", field="content", rule=rule)


def _content_fault(content: str) -> str | None:
    fault = text.body_fault(content, longest=LONGEST_CONTENT)
    if fault is not None:
        return fault
    if not _SEPARATORS.isdisjoint(content):
        return "line-separator"
    if "<!--" in content:
        return "comment"
    if any(word in _folded(content) for word in _MARKER_WORDS):
        return "marker"
    return "open-fence" if _fence_after(content.encode()) else None


def _folded(content: str) -> str:
    """Reduce a text to what its reader sees, without white space and case: what a marker could be disguised as."""
    plain = unicodedata.normalize("NFKD", content).casefold().translate(text.LOOKALIKES)
    return "".join(each for each in plain if not each.isspace() and unicodedata.category(each) not in {"Cf", "Mn"})


def _render(note: UUID, nonce: str, content: str, *, newline: bytes, seam: tuple[int, int]) -> bytes:
    if _NONCE.fullmatch(nonce) is None:
        raise ValueError("a nonce is 32 hexadecimal digits")
    begin = f"<!-- fleetmem:begin note={note} nonce={nonce} seam={seam[0]}+{seam[1]} -->"
    end = f"<!-- fleetmem:end note={note} nonce={nonce} -->"
    return newline.join(line.encode() for line in (begin, *content.split("\n"), end))


def _seam(document: bytes) -> tuple[int, int]:
    """Return the line breaks to add around a block at the end: a blank line before it, a final one if there was one."""
    if document in _EMPTY:
        return 0, 1
    return (1, 1) if document.endswith(b"\n") else (2, 0)


def _newline(document: bytes) -> bytes:
    windows = document.count(b"\r\n")
    return b"\r\n" if windows and 2 * windows >= document.count(b"\n") else b"\n"


def _scan(document: bytes) -> tuple[tuple[Block, ...], bool]:
    """Return the blocks, and whether the document ends inside a code fence."""
    if b"\0" in document or document.startswith(_FOREIGN_BOMS):
        raise _refused("not-text", "is not a text file of one byte a line end (UTF-16, or binary)")
    found = list[Block]()
    opened: tuple[re.Match[bytes], int] | None = None
    fence = b""
    for number, offset, line in _lines(document):
        marker = _MARKER.fullmatch(line.rstrip(b"\r"))
        if marker is None and _RESEMBLES.search(line):
            raise _refused("malformed", f"line {number} resembles a marker and is none")
        if marker is None:
            fence = _fence_step(fence, line)
            continue
        if fence:
            raise _refused("in-fence", f"line {number} is a marker inside a code fence")
        if marker["begin"]:
            if opened is not None:
                raise _refused("nested", f"line {number} begins a block inside another one")
            opened = marker, offset
            continue
        found.append(_closed(document, opened, marker, number=number, offset=offset))
        opened = None
        _refuse_doubled(found, number)
    if opened is not None:
        raise _refused("orphaned", "a block begins and never ends")
    return tuple(found), bool(fence)


def _closed(
    document: bytes, opened: tuple[re.Match[bytes], int] | None, end: re.Match[bytes], *, number: int, offset: int
) -> Block:
    if opened is None:
        raise _refused("orphaned", f"line {number} ends a block that never began")
    begin, start = opened
    if (begin["note"], begin["nonce"]) != (end["note"], end["nonce"]):
        raise _refused("mismatched", f"line {number} ends another block than the one that began")
    return Block(
        note=UUID(begin["note"].decode()),
        nonce=begin["nonce"].decode(),
        start=start,
        end=offset + len(end[0]),
        newline=b"\r\n" if document[start + len(begin[0]) :].startswith(b"\r\n") else b"\n",
        before=int(begin["before"]),
        after=int(begin["after"]),
    )


def _refuse_doubled(found: list[Block], number: int) -> None:
    last = found[-1]
    if any(last.note == each.note or last.nonce == each.nonce for each in found[:-1]):
        raise _refused("doubled", f"line {number} ends a second block of the same note")


def _lines(document: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield (number from 1, byte offset, line without its line feed); a BOM belongs to no line."""
    offset = len(_BOM) if document.startswith(_BOM) else 0
    for number, line in enumerate(document[offset:].split(b"\n"), start=1):
        yield number, offset, line
        offset += len(line) + 1


def _fence_after(content: bytes) -> bytes:
    fence = b""
    for _, _, line in _lines(content):
        fence = _fence_step(fence, line)
    return fence


def _fence_step(fence: bytes, line: bytes) -> bytes:
    """Return the fence that is open after a line, empty for none. Source: CommonMark 0.31, section 4.5."""
    found = _FENCE.fullmatch(line.rstrip(b"\r"))
    if found is None:
        return fence
    run, rest = found["run"], found["info"]
    if fence:
        closes = run.startswith(fence) and not rest.strip()
        return b"" if closes else fence
    return b"" if run.startswith(b"`") and b"`" in rest else run


def _refused(rule: str, what: str) -> WorkspaceRefused:
    return WorkspaceRefused(what, rule=rule)
