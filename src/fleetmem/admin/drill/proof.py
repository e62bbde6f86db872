"""`prove`'s database part, aimed at a copy."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from fleetmem.admin.database import Conninfo


class Proved(NamedTuple):
    """How many attempts there were, and the ids of those that did not come to what they had to come to."""

    attempts: int
    broken: tuple[str, ...]


Proof = Callable[[Conninfo, dict[str, Conninfo]], Proved]


def prove(conninfo: Conninfo, logins: dict[str, Conninfo], cache: Path | None = None) -> Proved:
    """Run every attempt of the database part; `logins` are the product's own, at the same database."""
    raise NotImplementedError
