"""Who plays in a run, before anything is in a database: throw-away audiences, agents, operators, and their names.

Every name begins with `prove-<run>-`, so that whatever a run makes can be told from a fleet's own, in every table.
"""

from dataclasses import dataclass
from typing import Final

from fleetmem.fleet.agent import Rol

PREFIX: Final = "prove-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """One throw-away principal; `reads` and `writes` are audiences of the stage."""

    name: str
    rol: Rol = Rol.AGENT
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    description: str = ""


AUDIENCES: Final = {
    "hall": "nearly everyone reads and writes it",
    "board": "zoe alone reads and writes it",
    "ops": "kit reads it and does not write it",
    "drop": "kit and zoe write it, nobody reads it",
    "shut": "nobody reads or writes it",
}

# Who is in which team, and what it carries; the scene makes teams of its own.
TEAMS: Final = {
    "desk": (("kit", "zoe", "max"), ("hall", "board")),
    "away": (("zoe", "max"), ("hall",)),
}

PLAYERS: Final = (
    Player(name="kit", reads=("hall", "ops"), writes=("hall", "drop"), description="the attacker in most cases"),
    Player(name="zoe", reads=("hall", "board"), writes=("hall", "board", "ops", "drop"), description="has secrets"),
    Player(name="max", reads=("hall",), writes=("hall",), description="a third party"),
    Player(name="lee", writes=("hall",), description="reads nothing and can be handed work"),
    Player(name="ann", reads=("hall",), writes=("hall",), description="suspended in the middle of its work"),
    Player(name="ben", reads=("hall",), writes=("hall",), description="deactivated in the middle of its work"),
    Player(name="cal", reads=("hall",), writes=("hall",), description="narrowed in the middle of its work"),
    Player(name="gone", reads=("hall",), writes=("hall",), description="deactivated"),
    Player(name="held", reads=("hall",), writes=("hall",), description="suspended"),
    Player(name="stale", reads=("hall",), writes=("hall",), description="its tokens were all ended"),
    Player(name="chief", rol=Rol.OPERATOR, description="an operator"),
    Player(name="deputy", rol=Rol.OPERATOR, description="another operator"),
    Player(name="retired", rol=Rol.OPERATOR, description="a deactivated operator"),
    Player(name="sage", rol=Rol.AUDITOR, description="an auditor"),
)


def full(run: str, name: str) -> str:
    """Return the name that `name` of the cast has in the database during this run."""
    return f"{PREFIX}{run}-{name}"


def pattern(run: str | None = None) -> str:
    """Return the regular expression, for Postgres, of the names of one run, or of every run."""
    return f"^{PREFIX}{run or '[0-9a-f]{6}'}-"
