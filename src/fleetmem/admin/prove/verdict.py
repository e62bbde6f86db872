"""What one attempt came to: the same record for a statement, a request over the wire and a call of the client library."""

from dataclasses import dataclass
from enum import StrEnum


class Way(StrEnum):
    """How an attempt reached the fence."""

    DATABASE = "database"
    CLIENT = "client"
    WIRE = "wire"


class Kind(StrEnum):
    """What an attempt is there to show."""

    REFUSAL = "refusal"
    CONTROL = "control"  # the same by the right hand works, so that a refusal is no accident
    LIMIT = "limit"  # Postgres or HTTP cannot refuse it; told so that nobody believes otherwise
    STATE = "state"  # no attempt at all: how the database describes itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One attempt: who tried what, what must come of it, what did. Holds no secret and no one else's record."""

    way: Way
    section: str
    id: str
    kind: Kind
    who: str
    attempt: str
    expected: str
    got: str
    held: bool
    why: str = ""
