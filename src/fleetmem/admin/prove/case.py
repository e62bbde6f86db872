"""One forged statement as data: who sends it, what must come of it, and the control that shows why.

A statement names what the stage holds in angle brackets: `<zoe>` becomes the quoted name of this run's zoe. The report
prints the statement with its brackets, so it reads the same on every run and repeats nobody's data.
"""

from dataclasses import dataclass
from typing import Final, assert_never

GATEWAY: Final = "fleetmem_gateway"
CONSOLE: Final = "fleetmem_console"
AUDITOR: Final = "fleetmem_auditor"
WORKER: Final = "fleetmem_worker"
Plain = str | int | bool | None  # a value that a statement returns

ADMIN: Final = "admin"  # the connection prove itself was given, to become a role that nobody can log in as
AGENT: Final = "fleetmem_agent"
OPERATOR: Final = "fleetmem_operator"


@dataclass(frozen=True, slots=True)
class Who:
    """A login, the role it sets for the transaction, and whose claim it presents; None where it does not."""

    login: str
    role: str | None = None
    claim: str | None = None

    def __str__(self) -> str:
        role = f" → {self.role}" if self.role else ""
        return f"{self.login}{role}, {f'claim of {self.claim}' if self.claim else 'no claim'}"


@dataclass(frozen=True, slots=True)
class Refused:
    """The statement fails with one of these SQLSTATEs."""

    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The statement succeeds and returns, or touches, exactly so many rows."""

    count: int


@dataclass(frozen=True, slots=True)
class Value:
    """The statement succeeds and its first value is this; a text may name what the stage holds."""

    value: Plain


@dataclass(frozen=True, slots=True)
class Allowed:
    """The statement succeeds; what it returns does not matter."""


@dataclass(frozen=True, slots=True)
class Warned:
    """The statement does nothing and warns with this SQLSTATE."""

    state: str


@dataclass(frozen=True, slots=True)
class Nobody:
    """The claim stands for nobody: every table is empty, every identity null, and every door answers 28000."""


Expectation = Refused | Rows | Value | Allowed | Warned | Nobody


@dataclass(frozen=True, slots=True)
class Control:
    """What must work next to a refusal: its own statement, or the case's where it is None."""

    who: Who
    expects: Expectation
    statement: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One attempt and what must come of it.

    `limit` is set where it cannot be refused, and says what bounds it. `since` is the first major version that knows the
    statement. `catalogue_right` marks what only a superuser could take away, so that a server managed by somebody else
    keeps it. `alone` sends the statement outside a transaction block.
    """

    id: str
    who: Who
    statement: str
    expects: Expectation
    why: str
    control: Control | None = None
    limit: str = ""
    since: int = 15
    catalogue_right: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Cases of one section that share their controls.

    `in_scene`: they aim at a team's day and its memories, which are played for them and undone.
    """

    letter: str
    title: str
    controls: tuple[Case, ...]
    cases: tuple[Case, ...]
    in_scene: bool = False


def said(expects: Expectation) -> str:
    """Say an expectation in the words of the report."""
    match expects:
        case Refused(states):
            return " or ".join(states)
        case Rows(count):
            return f"{count} row{'' if count == 1 else 's'}, no error"
        case Value(value):
            return f"returns {value}"
        case Allowed():
            return "allowed"
        case Warned(state):
            return f"warning {state}, nothing done"
        case Nobody():
            return "0 rows everywhere, every door 28000"
        case _:
            assert_never(expects)


def refused(  # noqa: PLR0917 -- a line of the catalogue is read by position
    case_id: str,
    who: Who,
    statement: str,
    state: str,
    why: str,
    control: Control | None = None,
    *,
    since: int = 15,
    catalogue_right: bool = False,
) -> Case:
    """Write down a statement that must fail; `state` is an SQLSTATE, or several with spaces between."""
    return Case(
        id=case_id,
        who=who,
        statement=statement,
        expects=Refused(tuple(state.split())),
        why=why,
        control=control,
        since=since,
        catalogue_right=catalogue_right,
    )


def blind(case_id: str, who: Who, statement: str, why: str, control: Control | None = None, *, rows: int = 0) -> Case:
    """Write down a statement that must succeed on exactly `rows` rows: nothing more is seen or touched."""
    return Case(id=case_id, who=who, statement=statement, expects=Rows(rows), why=why, control=control)


def answers(  # noqa: PLR0917 -- a line of the catalogue is read by position
    case_id: str, who: Who, statement: str, value: Plain, why: str, control: Control | None = None
) -> Case:
    """Write down a statement whose first value must be this."""
    return Case(id=case_id, who=who, statement=statement, expects=Value(value), why=why, control=control)


def open_to_all(case_id: str, who: Who, statement: str, limit: str) -> Case:
    """Write down what cannot be refused, and what bounds it."""
    return Case(id=case_id, who=who, statement=statement, expects=Allowed(), why="", limit=limit)
