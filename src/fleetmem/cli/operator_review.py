"""`fleetmem review`: list, show, approve, edit, reject, revoke, recall, reset."""

from __future__ import annotations

from enum import StrEnum
from itertools import islice
from typing import Annotated

import typer

from fleetmem import wire
from fleetmem.cli import options, review_refusals, show, show_review
from fleetmem.cli.operator_access import confirm, console
from fleetmem.cli.options import Json, examples
from fleetmem.client import ConsoleClient
from fleetmem.errors import RequestInvalid

review = options.group("Review: what was distilled, who would receive it, and whether it may land. For operators.")

_ID = "01981c74-52aa-7d0e-9c31-6a0d54be11c7"
Identifier = Annotated[str, typer.Argument(metavar="ID", help="The note's id.")]
Remark = Annotated[str | None, typer.Option(help="Why, for whoever reads this later; - reads standard input.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


class Status(StrEnum):
    """Where a note can stand."""

    candidate = "candidate"
    approved = "approved"
    rejected = "rejected"
    withheld = "withheld"
    revoked = "revoked"


class Severity(StrEnum):
    """How a note is loaded: by its skill, or always."""

    normal = "normal"
    severe = "severe"


@review.command(
    "list", epilog=examples("fleetmem review list", "fleetmem review list --status approved --team web --json")
)
def list_(
    context: typer.Context,
    *,
    status: Annotated[Status, typer.Option(help="Only those that stand there.")] = Status.candidate,
    every: Annotated[bool, typer.Option("--all", help="Wherever they stand.")] = False,
    team: Annotated[str | None, typer.Option(help="Only of this team.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")] = wire.PAGE_SIZE,
    as_json: Json = False,
) -> None:
    """List notes, newest first: the candidates, unless told."""
    with console(context) as client:
        found = client.notes(
            status=None if every else status.value, team=team, page_size=min(limit, wire.PAGE_SIZE_MOST)
        )
        notes = list(islice(found, limit))
    if as_json:
        show.out(show.as_json(notes))
    else:
        show.out(show_review.notes(notes) if notes else "No such notes.")


@review.command("show", epilog=examples(f"fleetmem review show {_ID}"))
def show_(context: typer.Context, note_id: Identifier, as_json: Json = False) -> None:
    """Show all that a decision rests on: texts, sources, recipients, denials, and the exact bytes."""
    with console(context) as client:
        found = client.note(note_id)
    show.out(show.as_json(found) if as_json else show_review.note(found))


@review.command(
    epilog=examples(
        f"fleetmem review approve {_ID}", f"fleetmem review approve {_ID} --revision 2 --yes --remark 'Seen.'"
    )
)
def approve(
    context: typer.Context,
    note_id: Identifier,
    *,
    revision: Annotated[int | None, typer.Option(min=1, help="The revision that you saw; needed with --yes.")] = None,
    remark: Remark = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Sign a note as it stands: say what will be written where, ask, and sign."""
    with console(context) as client:
        if yes and revision is None:
            raise RequestInvalid("with --yes, say which --revision you saw", field="--revision", rule="required")
        if not yes:
            revision = _seen(client, note_id, revision)
        with review_refusals.explained(client, note_id):
            done = client.approve(note_id, revision or 0, remark=_read(remark))
    _decided(done, as_json=as_json)


@review.command(
    epilog=examples(
        f"fleetmem review edit {_ID} --content 'Use the public contract alone.'",
        f"fleetmem review edit {_ID} --recipient frontend --recipient mobile=api-contract",
        f"fleetmem review edit {_ID} --without backend --remark 'It wrote the rule.'",
    )
)
def edit(
    context: typer.Context,
    note_id: Identifier,
    *,
    content: Annotated[str | None, typer.Option(help="What it says; - reads standard input.")] = None,
    description: Annotated[str | None, typer.Option(help="When a task should load it; one line.")] = None,
    severity: Annotated[Severity | None, typer.Option(help="severe is always loaded.")] = None,
    skill_key: Annotated[str | None, typer.Option(help="The skill it proposes.")] = None,
    recipient: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT[=SKILL]", help="Who shall receive it from now on, each; in which of its skills."),
    ] = None,
    without: Annotated[list[str] | None, typer.Option(metavar="AGENT", help="Who shall not receive it, each.")] = None,
    revision: Annotated[int | None, typer.Option(min=1, help="The revision that you saw.")] = None,
    remark: Remark = None,
    as_json: Json = False,
) -> None:
    """Change a candidate's words, or who receives it: fewer, or other members of its team."""
    with console(context) as client:
        seen = client.note(note_id)
        change = wire.NoteEdit(
            revision=revision or seen.revision,
            content=_read(content),
            description=description,
            severity=None if severity is None else severity.value,
            skill_key=skill_key,
            recipients=_recipients(seen, recipient or [], without or []),
            remark=_read(remark),
        )
        with review_refusals.explained(client, note_id):
            done = client.edit(note_id, change)
    _decided(done, as_json=as_json)


@review.command(epilog=examples(f"fleetmem review reject {_ID} --remark 'Only true last week.'"))
def reject(context: typer.Context, note_id: Identifier, remark: Remark = None, as_json: Json = False) -> None:
    """Decide that a candidate becomes no memory."""
    with console(context) as client, review_refusals.explained(client, note_id):
        done = client.reject(note_id, remark=_read(remark))
    _decided(done, as_json=as_json)


@review.command(
    epilog=examples(f"fleetmem review revoke {_ID}", f"fleetmem review revoke {_ID} --agent frontend --yes")
)
def revoke(
    context: typer.Context,
    note_id: Identifier,
    *,
    agent: Annotated[str | None, typer.Option(help="Take it from this agent alone.")] = None,
    remark: Remark = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Take an approved note back; each workspace loses it, which counts from the agent's next run."""
    with console(context) as client:
        if not yes:
            seen = client.note(note_id)
            review_refusals.refuse_unless("approved", seen)
            show.note(show_review.note(seen))
            confirm(f"Take it from {agent or 'everybody who has it'}?")
        with review_refusals.explained(client, note_id, agent=agent):
            done = client.revoke(note_id, agent=agent, remark=_read(remark))
    _decided(done, as_json=as_json)


@review.command(epilog=examples(f"fleetmem review recall {_ID}"))
def recall(context: typer.Context, note_id: Identifier, as_json: Json = False) -> None:
    """Say who ever held a note, whether it is gone, and which records they wrote meanwhile."""
    with console(context) as client:
        found = client.recall(note_id)
    show.out(show.as_json(found) if as_json else show_review.recall(found))


@review.command(epilog=examples("fleetmem review reset 01981c70-0a4e-7d02-8a55-9be0c4a2f7d1"))
def reset(
    context: typer.Context,
    segment: Annotated[
        str, typer.Argument(metavar="SEGMENT", help="The segment's id, as `review show --json` tells it.")
    ],
    *,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Undo a segment's notes that nobody decided about, and distil it again; what people decided stays."""
    with console(context) as client:
        if not yes:
            confirm("Undo what the machine did with this segment's notes?")
        done = client.reset(segment)
    if as_json:
        show.out(show.as_json(done))
    else:
        show.out(f"{len(done.undone)} notes are undone; the segment is distilled again (generation {done.generation}).")


def _seen(client: ConsoleClient, note_id: str, revision: int | None) -> int:
    """Show what would be approved, and ask."""
    seen = client.note(note_id)
    review_refusals.refuse_unless("candidate", seen)
    show.note(show_review.note(seen))
    if revision is not None and revision != seen.revision:
        raise RequestInvalid(
            f"you saw revision {revision}; it is at {seen.revision}, as shown above", field="--revision", rule="choice"
        )
    who = ", ".join(show.line(each.agent) for each in seen.granted) or "nobody"
    confirm(f"Let it land for {who}, as shown?", instead=f"--yes --revision {seen.revision}")
    return seen.revision


def _recipients(seen: wire.NoteDetail, named: list[str], without: list[str]) -> list[wire.NewRecipient] | None:
    if not named and not without:
        return None
    wanted = [each.partition("=") for each in named] or [(each.agent, "", "") for each in seen.granted]
    return [wire.NewRecipient(agent=agent, skill=skill or None) for agent, _, skill in wanted if agent not in without]


def _read(text: str | None) -> str | None:
    return None if text is None else options.text_or_stdin(text)


def _decided(done: wire.NoteDecision, *, as_json: bool) -> None:
    show.out(show.as_json(done) if as_json else show_review.decision(done))
