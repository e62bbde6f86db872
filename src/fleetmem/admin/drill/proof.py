"""`prove`'s database part, aimed at a copy."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from fleetmem.admin import prove as attacks
from fleetmem.admin.database import Conninfo
from fleetmem.admin.drill.claims import Clock
from fleetmem.admin.prove.proof import EVERY_SECTION
from fleetmem.admin.prove.verdict import Kind, Way


class Proved(NamedTuple):
    """How many attempts there were, and the ids of those that did not come to what they had to come to.

    `described` are the ones of these that read how the database describes itself; the others did something to it.
    """

    attempts: int
    broken: tuple[str, ...]
    described: tuple[str, ...] = ()


READING: Final = "F"  # the section about reading what is not yours

Proof = Callable[[Conninfo, dict[str, Conninfo]], Proved]


def prove(
    conninfo: Conninfo,
    logins: dict[str, Conninfo],
    *,
    clock: Clock,
    cache: Path | None = None,
    sections: str = EVERY_SECTION,
) -> Proved:
    """Run the attempts of the database part; `logins` are the product's own, at the same database."""
    target = attacks.Deployment(admin=conninfo, logins=logins, cache=cache)
    done = attacks.prove(target, clock, (Way.DATABASE,), sections=sections)
    left = () if done.left.is_all_that_can_be else ("what was made could not be removed",)
    return Proved(
        attempts=len(done.verdicts),
        broken=(*(f"{each.section} {each.id}" for each in done.failed), *left),
        described=tuple(f"{each.section} {each.id}" for each in done.failed if each.kind is Kind.STATE),
    )
