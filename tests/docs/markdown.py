"""Markdown as the tests of the documentation read it: enough for our own pages, not for anybody's."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = tuple(sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]))

_FENCE: Final = re.compile(
    r"^(?:<!-- (?P<label>[^\n]*) -->\n+)?```(?P<language>[a-z]*)\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL
)
_LINK: Final = re.compile(r"(?<!!)\[[^\]]+\]\((?P<target>[^)\s]+)\)")
_HEADING: Final = re.compile(r"^(?P<level>#{1,4}) (?P<title>.+)$", re.MULTILINE)
_CELL: Final = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block; `label` is the comment on the line above it, empty where there is none."""

    language: str
    label: str
    content: str


def page(name: str) -> str:
    """Return the text of a page, by its path from the root."""
    return (ROOT / name).read_text(encoding="utf-8")


def relative(path: Path) -> str:
    """Name a page as people do."""
    return path.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[Block]:
    """Return every fenced block."""
    return [Block(found["language"], found["label"] or "", found["content"]) for found in _FENCE.finditer(text)]


def prose(text: str) -> str:
    """Return the text without its fenced blocks."""
    return _FENCE.sub("", text)


def links(text: str) -> list[str]:
    """Return the target of every link."""
    return [found["target"] for found in _LINK.finditer(prose(text))]


def code_spans(text: str) -> list[str]:
    """Return what stands between backticks in running text."""
    return re.findall(r"`([^`\n]+)`", prose(text))


def headings(text: str) -> list[str]:
    """Return every heading's title, as it is written."""
    return [found["title"] for found in _HEADING.finditer(prose(text))]


def anchors(text: str) -> set[str]:
    """Return the fragments under which GitHub serves the headings."""
    kept = (re.sub(r"[^\w\- ]", "", title.lower()) for title in headings(text))
    return {title.replace(" ", "-") for title in kept}


def sections(text: str, *, level: int) -> dict[str, str]:
    """Return the text under each heading of a level, up to the next heading of that level or a higher one."""
    found: dict[str, str] = {}
    title = None
    for line in text.splitlines(keepends=True):
        heading = _HEADING.fullmatch(line.rstrip("\n"))
        if heading is not None and len(heading["level"]) <= level:
            title = heading["title"] if len(heading["level"]) == level else None
        elif title is not None:
            found[title] = found.get(title, "") + line
    return found


def rows(text: str, *head: str) -> list[dict[str, str]]:
    """Return the rows of every table with this head, one mapping a row; backticks and escapes are taken off."""
    return [
        dict(zip(head, cells, strict=True))
        for table in _tables(prose(text))
        if tuple(table[0]) == head
        for cells in table[2:]
    ]


def _tables(text: str) -> Iterator[list[list[str]]]:
    table: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            table.append([_bare(cell) for cell in _CELL.split(line.strip().strip("|"))])
        elif table:
            yield table
            table = []


def _bare(cell: str) -> str:
    text = cell.strip().replace("\\|", "|")
    return text[1:-1] if re.fullmatch(r"`[^`]+`", text) else text
