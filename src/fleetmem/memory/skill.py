"""Skills: how a key becomes a directory, what stands above a SKILL.md's text, and what a runtime would skip in silence.

A runtime that cannot parse a skill's frontmatter leaves the skill out without telling anybody (Codex 0.111.0 logs it), so
what is written is parsed back, and a file that would be left out is refused before a memory is entrusted to it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from fleetmem.errors import RequestInvalid, WorkspaceRefused
from fleetmem.fleet import text

FILE: Final = "SKILL.md"
LONGEST_KEY: Final = 64
LONGEST_DESCRIPTION: Final = 1_024
LARGEST_BYTES: Final = 32_768
_LARGEST_FRONTMATTER: Final = 8_192
# The reader's time grows with the square of what is nested; a frontmatter nests a list or two.
_MOST_BRACKETS: Final = 64
_UNFOLDED: Final = 1_000_000
_MOST_KEPT: Final = 256

_KEY: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# Names that open a device on Windows, with any ending. Source: Microsoft, "Naming Files, Paths, and Namespaces".
_DEVICES: Final = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})
_STRING: Final = "tag:yaml.org,2002:str"


def check_key(key: str) -> None:
    """Refuse a text that is no skill key: it becomes a directory's name, on every system alike.

    Raises:
        RequestInvalid: `rule` is `too-long`, `kebab-case` or `reserved`.
    """
    rule = _key_fault(key)
    if rule is not None:
        raise RequestInvalid(
            f"a skill key is 1 to {LONGEST_KEY} of a-z and 0-9 in words joined by single hyphens, and no device's name"
            f" ({rule})",
            field="skill_key",
            rule=rule,
        )


def check_description(description: str) -> None:
    """Refuse a text that is no description: 1 to 1 024 visible characters, one line, no white space around it.

    Raises:
        RequestInvalid: `rule` is one of fleet.text's, or `untidy`.
    """
    rule = text.line_fault(description, longest=LONGEST_DESCRIPTION)
    if rule is None and text.tidy_line(description) != description:
        rule = "untidy"
    if rule is not None:
        raise RequestInvalid(f"the description cannot head a skill ({rule})", field="description", rule=rule)


def skeleton(key: str, description: str) -> bytes:
    """Return a SKILL.md that holds its frontmatter alone, ready for a block.

    Both values are double-quoted: a plain `on` or `1e3` is text to YAML 1.2 and something else to older readers.

    Raises:
        RequestInvalid: the key or the description breaks its rule.
    """
    check_key(key)
    check_description(description)
    yaml = YAML(pure=True)
    yaml.width = _UNFOLDED
    written = io.StringIO()
    yaml.dump(
        {"name": DoubleQuotedScalarString(key), "description": DoubleQuotedScalarString(description)},
        written,
    )
    document = f"---\n{written.getvalue()}---\n".encode()
    if read(document, key) != description:
        raise RequestInvalid("the description does not survive YAML", field="description", rule="yaml")
    return document


def read(document: bytes, key: str) -> str:
    """Return the description of a SKILL.md in the directory `key`.

    Raises:
        WorkspaceRefused: a runtime would leave the skill out; `rule` is `too-large`, `encoding`, `frontmatter`, `name`
            or `description`.
    """
    if len(document) > LARGEST_BYTES:
        raise WorkspaceRefused(f"has {len(document)} bytes; a skill has at most {LARGEST_BYTES}", rule="too-large")
    fields = _frontmatter(document)
    if fields.get("name") != key:
        raise WorkspaceRefused(f"its `name` must be {key}, as its directory's", rule="name")
    description = fields.get("description", "").strip()
    if not 1 <= len(description) <= LONGEST_DESCRIPTION:
        raise WorkspaceRefused(f"its `description` must have 1 to {LONGEST_DESCRIPTION} characters", rule="description")
    return description


def is_skeleton(document: bytes, key: str) -> bool:
    """Tell whether a SKILL.md holds nothing but a frontmatter as `skeleton` writes it, so that nobody else put it there."""
    try:
        return skeleton(key, read(document, key)) == document
    except (RequestInvalid, WorkspaceRefused):
        return False


def check_budget(sizes: Iterable[int], *, budget_bytes: int) -> None:
    """Refuse a chain of instruction files, root first, that a runtime would cut; `sizes` are bytes, one for each file.

    Raises:
        WorkspaceRefused: together they are over the budget.
    """
    total = sum(sizes)
    if total > budget_bytes:
        raise WorkspaceRefused(
            f"the instructions would have {total} bytes together; the runtime reads {budget_bytes}", rule="budget"
        )


def _key_fault(key: str) -> str | None:
    if len(key) > LONGEST_KEY:
        return "too-long"
    if _KEY.fullmatch(key) is None:
        return "kebab-case"
    return "reserved" if key in _DEVICES else None


def _frontmatter(document: bytes) -> Mapping[str, str]:
    """Return the frontmatter's texts by name; nodes are read and never built, so aliases and tags cannot grow."""
    try:
        lines = document.decode().split("\n")
    except UnicodeDecodeError as error:
        raise WorkspaceRefused("is not UTF-8; the runtime would leave it out", rule="encoding") from error
    ends = [number for number, line in enumerate(lines) if line.strip() == "---"][:2]
    if len(ends) < 2 or ends[0] != 0:  # noqa: PLR2004 -- an opening and a closing line
        raise WorkspaceRefused("does not begin with a frontmatter between two lines of `---`", rule="frontmatter")
    source = "\n".join(lines[1 : ends[1]])
    if len(source) > _LARGEST_FRONTMATTER or sum(map(source.count, "[{")) > _MOST_BRACKETS:
        raise WorkspaceRefused("its frontmatter is too long", rule="frontmatter")
    return _fields(source)


@lru_cache(maxsize=_MOST_KEPT)
def _fields(source: str) -> Mapping[str, str]:
    """Read YAML once for a file that is checked before and after a block joins it, and again with each preview."""
    try:
        root = YAML(typ="safe", pure=True).compose(source)
    except (YAMLError, ValueError, RecursionError) as error:
        raise WorkspaceRefused(
            "its frontmatter is not YAML; the runtime would leave it out", rule="frontmatter"
        ) from error
    if not isinstance(root, MappingNode):
        raise WorkspaceRefused("its frontmatter is not a mapping", rule="frontmatter")
    return MappingProxyType(
        {
            key.value: value.value
            for key, value in root.value
            if isinstance(key, ScalarNode) and isinstance(value, ScalarNode) and value.tag == _STRING
        }
    )
