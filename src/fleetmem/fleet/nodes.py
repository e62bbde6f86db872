"""A reader of YAML nodes that collects what is wrong with them, each with its line and column.

What a faulty node yields is a placeholder that must never be used: one problem refuses the whole file.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Final, TypeVar

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from fleetmem.fleet import document, names, text

LONGEST_DESCRIPTION: Final = 500
LONGEST_INSTRUCTIONS: Final = 8_000

_STRING: Final = "tag:yaml.org,2002:str"
_BOOLEAN: Final = "tag:yaml.org,2002:bool"
_SHARE: Final = re.compile(r"0\.\d{1,4}|1(\.0{1,4})?")
_LONGEST_SHOWN: Final = 60
_EMPTY_HINT: Final = {
    "reads": "; write `reads: []` for an agent that browses nothing",
    "writes": "; write `writes: []`",
}
_KINDS: Final = {ScalarNode: "a single value", SequenceNode: "a list", MappingNode: "a mapping"}
_Word = TypeVar("_Word", bound=StrEnum)

# The skeleton of each taken name, with the name itself and where it stands.
Namespace = dict[str, tuple[str, Node]]


class Reader:
    """Reads values from the nodes of one file; `problems` fills with (line, column, sentence) as it goes."""

    def __init__(self) -> None:
        """Begin with no problem."""
        self.problems: list[tuple[int, int, str]] = []

    def problem(self, node: Node, sentence: str) -> None:
        """Say what is wrong with a node."""
        self.problems.append((*document.place(node), sentence))

    def named(self, node: Node, taken: Namespace) -> tuple[str, str]:
        """Read `- name` or `- name: …, description: …`, as audiences, operators and auditors are written."""
        if isinstance(node, ScalarNode):
            return self.name(node, taken), ""
        fields = self.fields(node, required=("name",), optional=("description",))
        return self.name(fields.get("name"), taken), self.line(fields.get("description"))

    def name(self, node: Node | None, taken: Namespace, *, quiet: bool = False) -> str:
        """Read a name and take it; `quiet` for one whose own faults are told elsewhere already."""
        before = len(self.problems)
        name = self.text(node)
        if node is None or len(self.problems) > before:
            return name
        fault = names.fault(name)
        if fault and not quiet:
            self.problem(node, f"`{shown(name)}` {fault}")
        rival = taken.setdefault(names.skeleton(name), (name, node))
        if rival[1] is not node:
            alike = "is declared already" if rival[0] == name else f"is too easily read as `{shown(rival[0])}`"
            self.problem(node, f"`{shown(name)}` {alike}, line {document.place(rival[1])[0]}")
        return name

    def line(self, node: Node | None) -> str:
        """Read one line of 1 to `LONGEST_DESCRIPTION` characters."""
        line = text.tidy_line(self.text(node))
        fault = text.line_fault(line, longest=LONGEST_DESCRIPTION) if node else None
        if node and fault:
            self.problem(node, f"must be one line of 1 to {LONGEST_DESCRIPTION} visible characters ({fault})")
        return line

    def prose(self, node: Node | None) -> str:
        """Read plain text of up to `LONGEST_INSTRUCTIONS` characters."""
        prose = self.text(node).strip()
        fault = text.body_fault(prose, longest=LONGEST_INSTRUCTIONS) if node else None
        if node and fault:
            self.problem(node, f"must be 1 to {LONGEST_INSTRUCTIONS} characters of plain text ({fault})")
        return prose

    def text(self, node: Node | None) -> str:
        """Read a text, whatever it says."""
        if node is None:
            return ""
        if not isinstance(node, ScalarNode):
            self.problem(node, f"must be text, not {_KINDS[type(node)]}")
            return ""
        if node.tag != _STRING:
            self.problem(node, f"`{shown(node.value)}` must be text; put it into quotes")
        return str(node.value)

    def items(self, node: Node | None) -> list[Node]:
        """Return the items of a list."""
        if node is None:
            return []
        if not isinstance(node, SequenceNode):
            self.problem(node, f"must be a list, not {_KINDS[type(node)]}")
            return []
        return list(node.value)

    def fields(self, node: Node, *, required: Collection[str], optional: Collection[str]) -> Mapping[str, Node]:
        """Return the values of a mapping by field; every other field is a problem, and so is a missing one."""
        if not isinstance(node, MappingNode):
            self.problem(node, f"must be a mapping with {listed(required or optional)}, not {_KINDS[type(node)]}")
            return {}
        known, fields = {*required, *optional}, dict[str, Node]()
        for key, value in node.value:
            field = self.text(key)
            if field not in known:
                self.problem(key, f"unknown field `{shown(field)}`{nearest(field, known)}")
            elif field in fields:
                self.problem(key, f"`{field}` is given twice")
            fields[field] = value
        for field in required:
            if field not in fields:
                self.problem(node, f"`{field}` is missing{_EMPTY_HINT.get(field, '')}")
        return fields

    def flag(self, node: Node | None) -> bool:
        """Read `true` or `false`; False where nothing is written."""
        if node is None:
            return False
        if not isinstance(node, ScalarNode) or node.tag != _BOOLEAN:
            self.problem(node, "must be true or false")
        return str(node.value).lower() == "true"

    def share(self, node: Node | None, *, least: float, default: float) -> float:
        """Read a share such as 0.98, from `least` to 1; four decimals are as many as the database keeps exactly."""
        if node is None:
            return default
        written = str(node.value) if isinstance(node, ScalarNode) and node.tag != _STRING else ""
        share = float(written) if _SHARE.fullmatch(written) else -1
        if share < least:
            self.problem(node, f"must be a number from {least} to 1 with at most 4 decimals")
        return share

    def word(self, node: Node | None, default: _Word) -> _Word:
        """Read one word of an enumeration."""
        written = default.value if node is None else self.text(node)
        known = {each.value: each for each in type(default)}
        if node is not None and written not in known:
            self.problem(node, f"`{shown(written)}` is none of the words for this{nearest(written, known)}")
        return known.get(written, default)


def nearest(word: str, candidates: Collection[str]) -> str:
    """Name what somebody may have meant, or everything there is."""
    known = [each for each in candidates if each.isascii()]
    close = difflib.get_close_matches(word, sorted(known), n=1)
    return f"; did you mean `{close[0]}`?" if close else f"; known: {listed(sorted(known))}"


def listed(words: Collection[str]) -> str:
    """Write words as code, with commas between them."""
    return ", ".join(f"`{word}`" for word in words) or "none"


def shown(word: str) -> str:
    """Write a word of the file so that it cannot draw on a terminal nor fill it."""
    plain = word if word.isprintable() else repr(word)[1:-1]
    return plain if len(plain) <= _LONGEST_SHOWN else plain[:_LONGEST_SHOWN] + "…"
