"""The deployed roster's shape, recast: throw-away agents that read and write as the fleet's own do, and keepers to meet.

Each throw-away reader stands for every agent with the same reach, so a fleet of six hundred with five kinds of reach is
proved by five. Nothing of the fleet's own records or tokens is touched.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from fleetmem.admin.prove.cast import Player
from fleetmem.admin.prove.setting import Connection
from fleetmem.fleet import roster

MOST_READERS: Final = 8
MOST_AUDIENCES: Final = 8


@dataclass(frozen=True, slots=True)
class Like:
    """A throw-away name, and whom or what of the roster it is like."""

    name: str
    of: str


@dataclass(frozen=True, slots=True)
class Shape:
    """Who plays: readers like the roster's agents, a keeper for each audience, and what each reader may do where."""

    readers: tuple[Like, ...]
    audiences: tuple[Like, ...]
    players: tuple[Player, ...]

    def player(self, name: str) -> Player:
        """Return one of the players."""
        return next(player for player in self.players if player.name == name)

    def keeper(self, audience: str) -> str:
        """Return who publishes in an audience."""
        return f"k{audience[1:]}"


@dataclass(frozen=True, slots=True)
class Reach:
    """One agent of a roster: its name, and the names of the audiences it reads and writes."""

    name: str
    reads: frozenset[str]
    writes: frozenset[str]


def deployed(connection: Connection) -> Shape:
    """Recast the roster that is deployed; the household's where none is."""
    rows = connection.execute(
        "select name, reads, writes from fleet.principal where rol = 'agent' and active and name !~ '^prove-' order by name"
    ).fetchall()
    found = [Reach(str(name), _set(reads), _set(writes)) for name, reads, writes in rows]
    return recast(found or household())


def household() -> list[Reach]:
    """Return the reach of the household's six."""
    declared = roster.parse(files("fleetmem.fleet").joinpath("household.yaml").read_bytes(), name="household.yaml")
    return [Reach(agent.name, agent.reads, agent.writes) for agent in declared.agents]


def recast(agents: Iterable[Reach]) -> Shape:
    """Make readers of the first agents with each reach, the widest last, and a keeper of each audience they use."""
    kinds = {(agent.reads, agent.writes): agent.name for agent in reversed(list(agents))}
    chosen = sorted(kinds, key=lambda kind: (len(kind[0]), len(kind[1]), kinds[kind]))[:MOST_READERS]
    used = sorted({name for reads, writes in chosen for name in reads | writes})[:MOST_AUDIENCES]
    audiences = tuple(Like(f"a{number}", name) for number, name in enumerate(used, start=1))
    called = {like.of: like.name for like in audiences}
    readers = tuple(Like(f"r{number}", kinds[kind]) for number, kind in enumerate(chosen, start=1))
    players = [
        Player(
            name=like.name,
            reads=tuple(called[name] for name in sorted(reads & called.keys())),
            writes=tuple(called[name] for name in sorted(writes & called.keys())),
            description=f"reads and writes like {like.of}",
        )
        for like, (reads, writes) in zip(readers, chosen, strict=True)
    ]
    players += [
        Player(name=f"k{like.name[1:]}", reads=(like.name,), writes=(like.name,), description="keeps an audience")
        for like in audiences
    ]
    return Shape(readers, audiences, tuple(players))


def _set(names: object) -> frozenset[str]:
    return frozenset(str(name) for name in names) if isinstance(names, list) else frozenset()
