"""`fleetmem run`: open, spans, settle, show."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from typing import Annotated, Final

import msgspec
import typer

from fleetmem import wire
from fleetmem.cli import options, show, show_work
from fleetmem.cli.agent_access import fleet
from fleetmem.cli.options import Json, examples
from fleetmem.errors import RequestInvalid

run = options.group("Runs: one attempt of yours at a task, with its steps.")

_ID = "01981d02-9e40-7e15-a2b8-7d1c3f60aa94"
# Of a batch; as many as an answer may hold, and few enough for the longest steps that are usual.
_TOGETHER: Final = 100
Identifier = Annotated[str, typer.Argument(metavar="ID", help="The run's id.")]


class Outcome(StrEnum):
    """How a run can end."""

    succeeded = "succeeded"
    failed = "failed"
    cancelled = "cancelled"


@run.command(
    "open",
    epilog=examples('fleetmem run open 01981d02-5c1b-7a90-8e44-0c2f9a1be7d3 --instruction "Add GET /healthz."'),
)
def open_(
    context: typer.Context,
    task_id: Annotated[str, typer.Argument(metavar="TASK", help="The task's id.")],
    *,
    instruction: Annotated[str, typer.Option(help="What this attempt is to do; - reads standard input.")] = "",
    node: Annotated[str | None, typer.Option(help="The step of a plan that it is.")] = None,
    as_json: Json = False,
) -> None:
    """Begin your next attempt at a task."""
    with fleet(context) as client:
        made = client.open_run(task_id, instruction=options.text_or_stdin(instruction), node=node)
    show.out(show.as_json(made) if as_json else show_work.run(made))


@run.command(epilog=examples(f"fleetmem run spans {_ID} < steps.jsonl"))
def spans(context: typer.Context, run_id: Identifier, as_json: Json = False) -> None:
    """Add steps to a run of yours: one JSON object a line, on standard input. Sending one again changes nothing."""
    added = known = 0
    rules: dict[str, None] = {}
    given = _read_steps()
    with fleet(context) as client:
        while batch := list(islice(given, _TOGETHER)):
            answer = client.add_spans(run_id, batch)
            added, known = added + answer.added, known + answer.known
            rules.update(dict.fromkeys(answer.redacted_by))
    if as_json:
        show.out(show.as_json({"added": added, "known": known, "redacted_by": list(rules)}))
    else:
        show.out("\n".join((f"{added} steps added, {known} were there already", *show_work.redactions(rules))))


@run.command(
    epilog=examples(
        f'fleetmem run settle {_ID} succeeded --output "Added, with a test."',
        f'fleetmem run settle {_ID} failed --failure "The tests do not pass."',
    )
)
def settle(
    context: typer.Context,
    run_id: Identifier,
    outcome: Annotated[Outcome, typer.Argument(help="How it ended.")],
    *,
    output: Annotated[str | None, typer.Option(help="What it answered; - reads standard input.")] = None,
    failure: Annotated[str | None, typer.Option(help="What went wrong.")] = None,
    as_json: Json = False,
) -> None:
    """Say how a run of yours ended."""
    text = None if output is None else options.text_or_stdin(output)
    with fleet(context) as client:
        ended = client.settle_run(run_id, outcome.value, output=text, failure=failure)
    show.out(show.as_json(ended) if as_json else show_work.run(ended))


@run.command("show", epilog=examples(f"fleetmem run show {_ID}"))
def show_(context: typer.Context, run_id: Identifier, as_json: Json = False) -> None:
    """Show one run."""
    with fleet(context) as client:
        found = client.run(run_id)
    show.out(show.as_json(found) if as_json else show_work.run(found))


def _read_steps() -> Iterator[wire.SpanDraft]:
    for number, octets in enumerate(sys.stdin.buffer, start=1):
        try:
            yield msgspec.json.decode(octets, type=wire.SpanDraft)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise RequestInvalid(f"line {number} is no step: {error}", field=f"line {number}", rule="format") from error
