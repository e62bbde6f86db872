"""The roster: who is in the fleet and what each may see, as declared in `roster.yaml`.

`parse` collects every problem of a file before it refuses it, each with its line and column, so that an owner mends a
roster in one pass. Nothing is guessed: an agent without `reads` is an error, never an agent that reads everything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter

from ruamel.yaml.nodes import Node, ScalarNode

from fleetmem.fleet import document, team
from fleetmem.fleet.agent import Agent, Person, Rol, Target
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.nodes import Namespace, Reader, nearest, shown
from fleetmem.fleet.team import MemoryRule, OnNarrowing, Team


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """Everything one `roster.yaml` declares, each part ordered by name."""

    audiences: tuple[Audience, ...] = ()
    agents: tuple[Agent, ...] = ()
    operators: tuple[Person, ...] = ()
    auditors: tuple[Person, ...] = ()
    teams: tuple[Team, ...] = ()
    memory: MemoryRule = team.CAREFUL

    def roles(self) -> Mapping[str, Rol]:
        """Return what each name of the roster is."""
        return {
            **{agent.name: Rol.AGENT for agent in self.agents},
            **{person.name: Rol.OPERATOR for person in self.operators},
            **{person.name: Rol.AUDITOR for person in self.auditors},
        }

    def members(self) -> tuple[Agent, ...]:
        """Return the agents that are in a team: those that memory may land for."""
        inside = {name for each in self.teams for name in each.members}
        return tuple(agent for agent in self.agents if agent.name in inside)


def parse(source: bytes, *, name: str = "roster.yaml") -> Roster:
    """Read a roster from the bytes of its file; `name` is the file's, for messages.

    Raises:
        RosterInvalid: one line of detail for each problem; `field` is "line N" of the first.
    """
    reader = _RosterReader()
    roster = reader.roster(document.compose(source, name=name))
    if reader.problems:
        raise document.refusal(reader.problems, name=name)
    return roster


class _RosterReader(Reader):
    """Walks the nodes of one roster."""

    def __init__(self) -> None:
        super().__init__()
        self._audiences = Namespace()
        self._principals = Namespace()
        self._workspaces = Namespace()
        self._teams = Namespace()

    def roster(self, root: Node | None) -> Roster:
        if root is None:
            self.problems.append((1, 1, "is empty; declare `audiences` and `agents`"))
            return Roster()
        optional = ("operators", "auditors", "teams", "memory")
        fields = self.fields(root, required=("audiences", "agents"), optional=optional)
        audiences = [Audience(*self.named(node, self._audiences)) for node in self.items(fields.get("audiences"))]
        circles = frozenset(audience.name for audience in audiences)
        agents = [self._agent(node, circles) for node in self.items(fields.get("agents"))]
        operators = [Person(*self.named(node, self._principals)) for node in self.items(fields.get("operators"))]
        auditors = [Person(*self.named(node, self._principals)) for node in self.items(fields.get("auditors"))]
        teams = [self._team(node, agents, circles) for node in self.items(fields.get("teams"))]
        by_name = attrgetter("name")
        return Roster(
            audiences=tuple(sorted(audiences, key=by_name)),
            agents=tuple(sorted(agents, key=by_name)),
            operators=tuple(sorted(operators, key=by_name)),
            auditors=tuple(sorted(auditors, key=by_name)),
            teams=tuple(sorted(teams, key=by_name)),
            memory=self._memory(fields.get("memory")),
        )

    def _agent(self, node: Node, circles: frozenset[str]) -> Agent:
        required, optional = ("name", "description", "reads", "writes"), ("instructions", "workspace", "target")
        fields = self.fields(node, required=required, optional=optional)
        name = self.name(fields.get("name"), self._principals)
        workspace = fields.get("workspace", fields.get("name"))
        return Agent(
            name=name,
            description=self.line(fields.get("description")),
            instructions=self.prose(fields.get("instructions")),
            reads=self._circles(fields.get("reads"), circles),
            writes=self._circles(fields.get("writes"), circles),
            workspace=self.name(workspace, self._workspaces, quiet="workspace" not in fields),
            target=self.word(fields.get("target"), Target.CODEX),
        )

    def _team(self, node: Node, agents: Iterable[Agent], circles: frozenset[str]) -> Team:
        required = ("name", "description", "members", "audiences")
        fields = self.fields(node, required=required, optional=("two_person",))
        known = {agent.name: agent for agent in agents}
        members = self._chosen(fields.get("members"), known, "an agent")
        self._count(fields.get("members"), members, least=team.FEWEST_MEMBERS, most=team.MOST_MEMBERS, what="agents")
        used = {circle for name in members if name in known for circle in known[name].reads | known[name].writes}
        return Team(
            name=self.name(fields.get("name"), self._teams),
            description=self.line(fields.get("description")),
            members=members,
            audiences=self._carried(fields.get("audiences"), circles, unused=circles - used),
            two_person=self.flag(fields.get("two_person")),
        )

    def _carried(self, node: Node | None, circles: frozenset[str], *, unused: frozenset[str]) -> frozenset[str]:
        """Read what a team's conversations carry; what no member may write or read makes a memory for nobody."""
        audiences = self._circles(node, circles)
        self._count(node, audiences, least=1, most=team.MOST_AUDIENCES, what="audiences")
        for item in self.items(node) if audiences & unused else ():
            if isinstance(item, ScalarNode) and item.value in unused:
                self.problem(item, f"no member of the team reads or writes `{item.value}`")
        return audiences

    def _count(self, node: Node | None, found: Collection[str], *, least: int, most: int, what: str) -> None:
        if node is not None and not least <= len(found) <= most:
            self.problem(node, f"must list {least} to {most} {what}, not {len(found)}")

    def _memory(self, node: Node | None) -> MemoryRule:
        if node is None:
            return team.CAREFUL
        optional = ("review_all", "auto_grant", "least_precision", "on_narrowing")
        fields = self.fields(node, required=(), optional=optional)
        return MemoryRule(
            review_all=self.flag(fields.get("review_all")),
            auto_grant=self.flag(fields.get("auto_grant")),
            least_precision=self.share(fields.get("least_precision"), least=0.5, default=team.CAREFUL.least_precision),
            on_narrowing=self.word(fields.get("on_narrowing"), OnNarrowing.AT_ONCE),
        )

    def _circles(self, node: Node | None, known: frozenset[str]) -> frozenset[str]:
        return frozenset(self._chosen(node, known, "an audience"))

    def _chosen(self, node: Node | None, known: Collection[str], what: str) -> tuple[str, ...]:
        """Read a list of names that are declared elsewhere in the roster, in its order."""
        found: dict[str, None] = {}
        for item in self.items(node):
            name = self.text(item)
            if name not in known:
                self.problem(item, f"`{shown(name)}` is not {what} of this roster{nearest(name, known)}")
            elif name in found:
                self.problem(item, f"`{name}` is listed twice")
            found[name] = None
        return tuple(found)
