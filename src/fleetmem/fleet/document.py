"""A bounded reader for the roster's YAML: nodes that know their line, and none of YAML's surprises.

What it refuses outright: more than `LARGEST_BYTES`, bytes that are not UTF-8, a second document, anchors and aliases
(a few lines of them expand to gigabytes), explicit tags, and nesting deeper than a roster has. Every refusal is a
`RosterInvalid` whose `field` is "line N".
"""

from __future__ import annotations

from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import AliasEvent, DocumentStartEvent
from ruamel.yaml.nodes import Node
from ruamel.yaml.reader import ReaderError

from fleetmem.errors import RosterInvalid

LARGEST_BYTES: Final = 1_048_576
_DEEPEST: Final = 8


def compose(source: bytes, *, name: str) -> Node | None:
    """Read one YAML document into its nodes; None for an empty one. `name` is the file's, for messages.

    Raises:
        RosterInvalid: the source is too large, malformed, or uses what a roster does not need.
    """
    text = _decode(source, name=name)
    yaml = YAML(typ="safe", pure=True)
    yaml.Composer = _PlainComposer
    try:
        node: Node | None = yaml.compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise refusal([(line, column, f"cannot be read: {error.problem or error.context}")], name=name) from error
    except ReaderError as error:
        line, column = _position(text, error.position)
        problem = f"holds U+{int(error.character):04X}, which a text file may not"
        raise refusal([(line, column, problem)], name=name) from error
    except (ValueError, RecursionError) as error:
        raise refusal([(1, 1, "is not valid YAML")], name=name) from error
    return node


def refusal(problems: list[tuple[int, int, str]], *, name: str) -> RosterInvalid:
    """Make the one error that tells every problem (line, column, sentence), in the order of the file."""
    ordered = sorted(set(problems))
    detail = "\n".join(f"{name}, line {line}, column {column}: {problem}" for line, column, problem in ordered)
    return RosterInvalid(detail, field=f"line {ordered[0][0]}", rule="roster")


def place(node: Node) -> tuple[int, int]:
    """Return where a node starts: line and column, both from 1."""
    return node.start_mark.line + 1, node.start_mark.column + 1


class _PlainComposer(Composer):
    """Builds nodes and refuses the constructs that only an attacker or an accident would put into a roster."""

    def compose_document(self) -> Any:
        start = self.parser.peek_event()
        if isinstance(start, DocumentStartEvent) and (start.version or start.tags):
            raise MarkedYAMLError(problem="directives are not used in a roster", problem_mark=start.start_mark)
        return super().compose_document()

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.parser.peek_event()
        if isinstance(event, AliasEvent) or event.anchor is not None:
            raise MarkedYAMLError(problem="anchors and aliases are not used in a roster", problem_mark=event.start_mark)
        if event.ctag is not None:
            raise MarkedYAMLError(problem="tags are not used in a roster", problem_mark=event.start_mark)
        if self.depth >= _DEEPEST:
            raise MarkedYAMLError(problem="nested too deeply for a roster", problem_mark=event.start_mark)
        return super().compose_node(parent, index)


def _decode(source: bytes, *, name: str) -> str:
    if len(source) > LARGEST_BYTES:
        raise refusal([(1, 1, f"has {len(source)} bytes; a roster has at most {LARGEST_BYTES}")], name=name)
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = _position(source[: error.start].decode("utf-8", "replace"), error.start)
        raise refusal([(line, column, "is not UTF-8")], name=name) from error


def _position(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
