"""`fleetmem import`: a transcript that an agent's runtime left behind, into a team's record."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO, Final

import typer

from fleetmem.cli import importer, show
from fleetmem.cli.agent_access import fleet, no_team, within
from fleetmem.cli.importer import Imported, Into
from fleetmem.cli.options import Json, examples
from fleetmem.client import FleetClient
from fleetmem.errors import IdempotencyConflict, RequestInvalid
from fleetmem.memory.rollout.lines import LONGEST_LINE
from fleetmem.memory.rollout.read import Format, transcript
from fleetmem.memory.rollout.turns import Fault, Transcript, Turn

EXAMPLES: Final = examples(
    "fleetmem import rollout-2026-07-20T09-14-02.jsonl --team website --audience client",
    "fleetmem import session.jsonl --team website --format claude-code --skip-bad --json",
)
_MOST_FAULTS_SHOWN: Final = 20


class Form(StrEnum):
    """Who wrote the file."""

    auto = "auto"
    codex = "codex"
    claude_code = "claude-code"
    fleetmem = "fleetmem"


def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A session as JSON lines; - reads standard input.")],
    *,
    team: Annotated[str, typer.Option(help="The team whose work it was.")],
    audience: Annotated[
        str | None, typer.Option(help="Whom it is for; may be left out where the team carries one you write for.")
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="Who wrote the file.")] = Form.auto,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out lines that cannot be read.")] = False,
    as_json: Json = False,
) -> None:
    """Bring a session of Codex, Claude Code or another runtime into a team's record; run it again to go on."""
    with _opened(file) as opened:
        read, found = transcript(_lines(opened), None if form is Form.auto else Format(form.value))
    _refuse(read, found, skip_bad=skip_bad)
    ended = [turn for turn in read.turns if turn.outcome is not None]

    def tell(number: int, turn: Turn) -> None:
        show.note(f"turn {number} of {len(read.turns)}: line {turn.line}, {len(turn.steps)} steps, {turn.outcome}")

    with fleet(context) as client, within(client, team):
        into = Into(client, team, audience or _only_audience(client, team))
        done = importer.send(into, read, tell)
    if len(ended) < len(read.turns):
        show.note(f"line {read.turns[-1].line}: the last turn has no end yet, and was left out; import it again later")
    show.out(_as_json(read, found, done) if as_json else _summary(read, done))
    if done.changed:
        raise IdempotencyConflict(
            f"what is on record stays where the file tells it otherwise by now: the turns of line"
            f" {', '.join(map(str, done.changed[:_MOST_FAULTS_SHOWN]))}",
            field=f"line {done.changed[0]}",
        )


def _opened(file: Path) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if str(file) == "-" else file.open("rb")


def _lines(opened: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield lines by number; of one that is too long only the beginning is ever held."""
    number = 0
    while octets := opened.readline(LONGEST_LINE + 1):
        number += 1
        yield number, octets
        while len(octets) > LONGEST_LINE and not octets.endswith(b"\n"):
            octets = opened.readline(LONGEST_LINE + 1)


def _refuse(read: Transcript, found: Format | None, *, skip_bad: bool) -> None:
    """Say which lines are bad, and stop unless they are to be left out; nothing was sent yet.

    Raises:
        RequestInvalid: the file is of no known form, holds bad lines, or no turn.
    """
    for fault in read.faults[:_MOST_FAULTS_SHOWN]:
        show.note(show.line(f"line {fault.line}: {fault.why}"))
    if len(read.faults) > _MOST_FAULTS_SHOWN:
        show.note(f"and {len(read.faults) - _MOST_FAULTS_SHOWN} lines more")
    if not (found or read.faults):
        raise RequestInvalid("the file is empty", field="file", rule="empty")
    if found is None:
        raise RequestInvalid("the file is of no form that is known; --format says which", field="file", rule="format")
    if read.faults and not skip_bad:
        raise RequestInvalid(
            f"{_count(read.faults)} cannot be read, the first is line {read.faults[0].line}; nothing was sent."
            " --skip-bad leaves them out",
            field=f"line {read.faults[0].line}",
            rule="format",
        )
    if not read.turns:
        raise RequestInvalid("the file holds no prompt", field="file", rule="empty")


def _only_audience(client: FleetClient, team: str) -> str:
    """Find the one audience of the team that its member writes for.

    Raises:
        Absent: there is no such team, or the agent is no member of it.
        RequestInvalid: there are several, or none.
    """
    of_team = next((each.audiences for each in client.teams() if each.name == team), None)
    if of_team is None:
        raise no_team(team)
    writes = client.me().writes
    may = [audience for audience in of_team if audience in writes]
    if len(may) != 1:
        said = f"one of {', '.join(may)}" if may else "but you write for none of the team's"
        raise RequestInvalid(f"--audience must say whom it is for: {said}", field="audience", rule="required")
    return may[0]


def _count(faults: tuple[Fault, ...]) -> str:
    return "1 line" if len(faults) == 1 else f"{len(faults)} lines"


def _summary(read: Transcript, done: Imported) -> str:
    redacted = f"; secrets rewritten by {', '.join(map(show.line, done.redacted_by))}" if done.redacted_by else ""
    left_out = f"; {_count(read.faults)} left out" if read.faults else ""
    known = f"; {done.known} of the tasks were on record already" if done.known else ""
    return f"{len(done.tasks)} tasks, {done.messages} messages, {done.steps} steps{known}{redacted}{left_out}"


def _as_json(read: Transcript, found: Format | None, done: Imported) -> str:
    return show.as_json(
        {
            "format": found,
            "session": read.session,
            "tasks": done.tasks,
            "known": done.known,
            "changed_lines": done.changed,
            "messages": done.messages,
            "steps": done.steps,
            "redacted_by": list(done.redacted_by),
            "bad_lines": [fault.line for fault in read.faults],
        }
    )
