"""A scenario: what is done, by whom, and what must come of it; played, it says what went otherwise."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from fleetmem.admin.prove.case import ADMIN, GATEWAY, Who
from fleetmem.admin.prove.purse import Purse
from fleetmem.admin.prove.sessions import Got, Sessions, attempt, entered
from fleetmem.admin.prove.setting import Connection
from fleetmem.admin.prove.stage import Stage
from fleetmem.admin.prove.verdict import Kind, Verdict, Way


@dataclass(frozen=True, slots=True)
class World:
    """What a scenario has to play with."""

    sessions: Sessions
    stage: Stage
    purse: Purse

    @property
    def gateway(self) -> Connection:
        """The kept session of the gateway's login."""
        return self.sessions.of(GATEWAY)

    @property
    def admin(self) -> Connection:
        """The owner's session."""
        return self.sessions.of(ADMIN)

    @contextmanager
    def another(self, login: str = GATEWAY) -> Iterator[Connection]:
        """Open one more session of a login for the length of a block."""
        opened = self.sessions.fresh(login)
        try:
            yield opened
        finally:
            opened.close()

    @contextmanager
    def standing(self, connection: Connection, who: Who) -> Iterator[None]:
        """Stand in a transaction as somebody, with their claim; what happens in it is undone."""
        with entered(connection, who, self.purse.claim(who.claim)):
            yield

    def tries(self, connection: Connection, statement: str) -> Got:
        """Send a statement with its placeholders filled."""
        return attempt(connection, self.stage.filled(statement))

    def asks(self, connection: Connection, statement: str, *values: object) -> Any:
        """Send a statement with bound values that must work, and return its first value."""
        row = connection.execute(self.stage.filled(statement).encode(), values or None).fetchone()
        return row[0] if row else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """`plays` returns None where all went as it must, else what did not, in words that repeat nobody's record."""

    id: str
    who: str
    attempt: str
    expected: str
    why: str
    plays: Callable[[World], str | None]
    is_limit: bool = False


def play(world: World, scenarios: tuple[Scenario, ...]) -> Iterator[Verdict]:
    """Play each scenario; one that breaks off did not hold."""
    for scenario in scenarios:
        try:
            otherwise = scenario.plays(world)
        except psycopg.Error as error:
            otherwise = f"broke off: {error.sqlstate or type(error).__name__}"
        yield Verdict(
            way=Way.DATABASE,
            section="X",
            id=scenario.id,
            kind=Kind.LIMIT if scenario.is_limit else Kind.REFUSAL,
            who=scenario.who,
            attempt=scenario.attempt,
            expected=scenario.expected,
            got="as expected" if otherwise is None else world.stage.unfilled(otherwise),
            held=otherwise is None,
            why=scenario.why,
        )


def first_that_is_not(pairs: dict[str, bool]) -> str | None:
    """Return the words of the first statement that is false."""
    return next((words for words, is_so in pairs.items() if not is_so), None)
