"""The roster: who is in the fleet and what each may see, as declared in `roster.yaml`.

`parse` collects every problem of a file before it refuses it, each with its line and column, so that an owner mends a
roster in one pass. Nothing is guessed: an agent without `reads` is an error, never an agent that reads everything.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from fleetmem.fleet import document, names, text
from fleetmem.fleet.agent import Agent, Person, Rol
from fleetmem.fleet.audience import Audience

LONGEST_DESCRIPTION: Final = 500
LONGEST_INSTRUCTIONS: Final = 8_000

_STRING: Final = "tag:yaml.org,2002:str"
_LONGEST_SHOWN: Final = 60
_EMPTY_HINT: Final = {
    "reads": "; write `reads: []` for an agent that browses nothing",
    "writes": "; write `writes: []`",
}
_KINDS: Final = {ScalarNode: "a single value", SequenceNode: "a list", MappingNode: "a mapping"}

# The skeleton of each taken name, with the name itself and where it stands.
_Namespace = dict[str, tuple[str, Node]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """Everything one `roster.yaml` declares, each part ordered by name."""

    audiences: tuple[Audience, ...] = ()
    agents: tuple[Agent, ...] = ()
    operators: tuple[Person, ...] = ()
    auditors: tuple[Person, ...] = ()

    def roles(self) -> Mapping[str, Rol]:
        """Return what each name of the roster is."""
        return {
            **{agent.name: Rol.AGENT for agent in self.agents},
            **{person.name: Rol.OPERATOR for person in self.operators},
            **{person.name: Rol.AUDITOR for person in self.auditors},
        }


def parse(source: bytes, *, name: str = "roster.yaml") -> Roster:
    """Read a roster from the bytes of its file; `name` is the file's, for messages.

    Raises:
        RosterInvalid: one line of detail for each problem; `field` is "line N" of the first.
    """
    reader = _Reader()
    roster = reader.roster(document.compose(source, name=name))
    if reader.problems:
        raise document.refusal(reader.problems, name=name)
    return roster


class _Reader:
    """Walks the nodes of one file; `problems` fills with (line, column, sentence) as it goes.

    What a faulty node yields is a placeholder that never leaves this module: one problem refuses the whole file.
    """

    def __init__(self) -> None:
        self.problems: list[tuple[int, int, str]] = []
        self._audiences = _Namespace()
        self._principals = _Namespace()
        self._workspaces = _Namespace()

    def roster(self, root: Node | None) -> Roster:
        if root is None:
            self.problems.append((1, 1, "is empty; declare `audiences` and `agents`"))
            return Roster()
        fields = self._fields(root, required=("audiences", "agents"), optional=("operators", "auditors"))
        audiences = [Audience(*self._named(node, self._audiences)) for node in self._items(fields.get("audiences"))]
        circles = frozenset(audience.name for audience in audiences)
        agents = [self._agent(node, circles) for node in self._items(fields.get("agents"))]
        operators = [Person(*self._named(node, self._principals)) for node in self._items(fields.get("operators"))]
        auditors = [Person(*self._named(node, self._principals)) for node in self._items(fields.get("auditors"))]
        by_name = attrgetter("name")
        return Roster(
            audiences=tuple(sorted(audiences, key=by_name)),
            agents=tuple(sorted(agents, key=by_name)),
            operators=tuple(sorted(operators, key=by_name)),
            auditors=tuple(sorted(auditors, key=by_name)),
        )

    def _agent(self, node: Node, circles: frozenset[str]) -> Agent:
        required, optional = ("name", "description", "reads", "writes"), ("instructions", "workspace")
        fields = self._fields(node, required=required, optional=optional)
        name = self._name(fields.get("name"), self._principals)
        workspace = fields.get("workspace", fields.get("name"))
        return Agent(
            name=name,
            description=self._line(fields.get("description")),
            instructions=self._prose(fields.get("instructions")),
            reads=self._circles(fields.get("reads"), circles),
            writes=self._circles(fields.get("writes"), circles),
            workspace=self._name(workspace, self._workspaces, quiet="workspace" not in fields),
        )

    def _named(self, node: Node, taken: _Namespace) -> tuple[str, str]:
        """Read `- name` or `- name: …, description: …`, as audiences, operators and auditors are written."""
        if isinstance(node, ScalarNode):
            return self._name(node, taken), ""
        fields = self._fields(node, required=("name",), optional=("description",))
        return self._name(fields.get("name"), taken), self._line(fields.get("description"))

    def _name(self, node: Node | None, taken: _Namespace, *, quiet: bool = False) -> str:
        """Read a name and take it; `quiet` for one whose own faults are told elsewhere already."""
        before = len(self.problems)
        name = self._text(node)
        if node is None or len(self.problems) > before:
            return name
        fault = names.fault(name)
        if fault and not quiet:
            self._problem(node, f"`{_shown(name)}` {fault}")
        rival = taken.setdefault(names.skeleton(name), (name, node))
        if rival[1] is not node:
            alike = "is declared already" if rival[0] == name else f"is too easily read as `{_shown(rival[0])}`"
            self._problem(node, f"`{_shown(name)}` {alike}, line {document.place(rival[1])[0]}")
        return name

    def _circles(self, node: Node | None, known: frozenset[str]) -> frozenset[str]:
        found: dict[str, int] = {}
        for item in self._items(node):
            circle = self._text(item)
            if circle not in known:
                self._problem(item, f"`{_shown(circle)}` is not an audience of this roster{_nearest(circle, known)}")
            elif circle in found:
                self._problem(item, f"`{circle}` is listed twice")
            found[circle] = document.place(item)[0]
        return frozenset(found)

    def _line(self, node: Node | None) -> str:
        line = text.tidy_line(self._text(node))
        fault = text.line_fault(line, longest=LONGEST_DESCRIPTION) if node else None
        if node and fault:
            self._problem(node, f"must be one line of 1 to {LONGEST_DESCRIPTION} visible characters ({fault})")
        return line

    def _prose(self, node: Node | None) -> str:
        prose = self._text(node).strip()
        fault = text.body_fault(prose, longest=LONGEST_INSTRUCTIONS) if node else None
        if node and fault:
            self._problem(node, f"must be 1 to {LONGEST_INSTRUCTIONS} characters of plain text ({fault})")
        return prose

    def _text(self, node: Node | None) -> str:
        if node is None:
            return ""
        if not isinstance(node, ScalarNode):
            self._problem(node, f"must be text, not {_KINDS[type(node)]}")
            return ""
        if node.tag != _STRING:
            self._problem(node, f"`{_shown(node.value)}` must be text; put it into quotes")
        return str(node.value)

    def _items(self, node: Node | None) -> list[Node]:
        if node is None:
            return []
        if not isinstance(node, SequenceNode):
            self._problem(node, f"must be a list, not {_KINDS[type(node)]}")
            return []
        return list(node.value)

    def _fields(self, node: Node, *, required: Collection[str], optional: Collection[str]) -> Mapping[str, Node]:
        if not isinstance(node, MappingNode):
            self._problem(node, f"must be a mapping with {_listed(required)}, not {_KINDS[type(node)]}")
            return {}
        known, fields = {*required, *optional}, dict[str, Node]()
        for key, value in node.value:
            field = self._text(key)
            if field not in known:
                self._problem(key, f"unknown field `{_shown(field)}`{_nearest(field, known)}")
            elif field in fields:
                self._problem(key, f"`{field}` is given twice")
            fields[field] = value
        for field in required:
            if field not in fields:
                self._problem(node, f"`{field}` is missing{_EMPTY_HINT.get(field, '')}")
        return fields

    def _problem(self, node: Node, sentence: str) -> None:
        self.problems.append((*document.place(node), sentence))


def _nearest(word: str, candidates: Collection[str]) -> str:
    known = [each for each in candidates if each.isascii()]
    close = difflib.get_close_matches(word, sorted(known), n=1)
    return f"; did you mean `{close[0]}`?" if close else f"; known: {_listed(sorted(known))}"


def _listed(words: Collection[str]) -> str:
    return ", ".join(f"`{word}`" for word in words) or "none"


def _shown(word: str) -> str:
    """Write a word of the file so that it cannot draw on a terminal nor fill it."""
    plain = word if word.isprintable() else repr(word)[1:-1]
    return plain if len(plain) <= _LONGEST_SHOWN else plain[:_LONGEST_SHOWN] + "…"
