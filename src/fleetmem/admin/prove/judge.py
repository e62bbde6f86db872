"""Run cases against a database and judge what came of each."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Final, assert_never

import psycopg

from fleetmem.admin.prove import nobody, scene
from fleetmem.admin.prove.case import (
    ADMIN,
    Allowed,
    Case,
    Control,
    Expectation,
    Group,
    Nobody,
    Refused,
    Rows,
    Value,
    Warned,
    said,
)
from fleetmem.admin.prove.catalogue.people import HERE
from fleetmem.admin.prove.purse import Purse
from fleetmem.admin.prove.sessions import Got, Sessions, attempt, entered
from fleetmem.admin.prove.stage import Stage
from fleetmem.admin.prove.verdict import Kind, Verdict, Way

_LONGEST_SHOWN: Final = 240


class Judge:
    """Tries cases on one stage. `is_owned` says that the server's catalogue is the owner's, so that its rights count."""

    def __init__(self, sessions: Sessions, stage: Stage, *, is_owned: bool, is_in_scene: bool = False) -> None:
        self._is_in_scene = is_in_scene
        self._sessions = sessions
        self._stage = stage
        self._purse = Purse(stage)
        self._is_owned = is_owned
        self._major = sessions.of(ADMIN).info.server_version // 10_000

    def run(self, groups: Iterable[Group]) -> Iterator[Verdict]:
        """Try each group's controls, then each case and the control next to it."""
        for group in groups:
            if group.in_scene and not self._is_in_scene:
                yield from self._in_scene(group)
                continue
            for control in group.controls:
                yield self._judged(group.letter, control, kind=Kind.CONTROL)
            for case in group.cases:
                if case.since <= self._major:
                    yield from self._both(group.letter, case)

    def _in_scene(self, group: Group) -> Iterator[Verdict]:
        """Play a team's day for the group; where it cannot be played, that is a control that failed."""
        day = Case(
            id=f"{group.letter}:day",
            who=HERE,
            statement=f"a day for: {group.title}",
            expects=Allowed(),
            why="what the rest aims at",
        )
        if not self._is_owned:
            yield self._verdict(
                group.letter, day, Kind.LIMIT, "not tried", why="only a superuser can play every login's part"
            )
            return
        with ExitStack() as stack:
            try:
                stage = stack.enter_context(scene.played(self._sessions.of(ADMIN), self._stage))
            except psycopg.Error as error:
                got = f"{error.sqlstate} {self._stage.unfilled(error.diag.message_primary or '')}"
                yield self._verdict(group.letter, day, Kind.CONTROL, got, why=day.why, held=False)
                return
            yield self._verdict(group.letter, day, Kind.CONTROL, "played", why=day.why)
            inside = Judge(self._sessions, stage, is_owned=self._is_owned, is_in_scene=True)
            yield from inside.run([group])

    def _both(self, letter: str, case: Case) -> Iterator[Verdict]:
        yield self._judged(letter, case, kind=Kind.LIMIT if case.limit else Kind.REFUSAL)
        if case.control is not None:
            yield self._judged(letter, _as_case(case, case.control), kind=Kind.CONTROL)

    def _judged(self, letter: str, case: Case, *, kind: Kind) -> Verdict:
        if not self._sessions.may_be(case.who):
            return self._verdict(
                letter, case, Kind.LIMIT, "not tried", why="the owner's login here may not become this role"
            )
        got = self._tried(case)
        held = is_met(case.expects, got, self._stage)
        expected, why = said(case.expects), case.limit or case.why
        if not held and case.catalogue_right and not self._is_owned:
            held, kind = True, Kind.LIMIT
            expected, why = "allowed here", f"the server is managed by somebody else; {why}"
        return self._verdict(letter, case, kind, self._shown(got), why=why, expected=expected, held=held)

    def _verdict(
        self, letter: str, case: Case, kind: Kind, got: str, *, why: str, expected: str = "", held: bool = True
    ) -> Verdict:
        return Verdict(
            way=Way.DATABASE,
            section=letter,
            id=case.id,
            kind=kind,
            who=str(case.who),
            attempt=case.statement,
            expected=expected or said(case.expects),
            got=got,
            held=held,
            why=why,
        )

    def _tried(self, case: Case) -> Got:
        if self._is_in_scene:
            with scene.within(self._sessions.of(ADMIN), case.who, self._purse.claim(case.who.claim)):
                return attempt(self._sessions.of(ADMIN), self._stage.filled(case.statement))
        connection = self._sessions.of(case.who.login)
        if isinstance(case.expects, Nobody):
            return nobody.tried(connection, case.who, self._purse.claim(case.who.claim), self._stage)
        statement = self._stage.filled(case.statement)
        if case.alone:
            return attempt(connection, statement)
        with entered(connection, case.who, self._purse.claim(case.who.claim)):
            return attempt(connection, statement)

    def _shown(self, got: Got) -> str:
        if got.state is not None:
            # What is wrong with a value is said by repeating it.
            message = "(message withheld)" if got.state.startswith("22") else self._stage.unfilled(got.message)
            return f"{got.state} {message}"[:_LONGEST_SHOWN].replace("\n", " ")
        warned = f", warnings {' '.join(got.warnings)}" if got.warnings else ""
        return f"{got.rows} rows, first value {self._harmless(got.first)}{warned}"

    def _harmless(self, first: object) -> str:
        """Show a value only where it can be nobody's record: a number, a truth value, a word of the stage."""
        if first is None or isinstance(first, bool | int):
            return str(first)
        known = str(first) in self._stage.records.values() or str(first).startswith(self._stage.name(""))
        return self._stage.unfilled(str(first))[:_LONGEST_SHOWN] if known else f"<{type(first).__name__} withheld>"


def is_met(expects: Expectation, got: Got, stage: Stage) -> bool:
    """Tell whether what a statement came to is what it had to come to."""
    match expects:
        case Refused(states):
            return got.state in states or (got.state is None and any(state in got.warnings for state in states))
        case Rows(count):
            return got.state is None and got.rows == count
        case Value(value):
            return got.state is None and got.first == stage.filled_value(value)
        case Allowed() | Nobody():
            return got.state is None
        case Warned(state):
            return got.state is None and state in got.warnings
        case _:
            assert_never(expects)


def _as_case(case: Case, control: Control) -> Case:
    return Case(
        id=f"{case.id}+",
        who=control.who,
        statement=control.statement or case.statement,
        expects=control.expects,
        why=f"control of {case.id}",
        alone=case.alone,
    )
