"""`fleetmem beat`: publish, list, show, history, retract."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated

import typer

from fleetmem import wire
from fleetmem.cli import options, show
from fleetmem.cli.agent_access import fleet
from fleetmem.cli.options import Json, examples

beat = options.group("Beats: short-lived conclusions, one live per author and topic.")

Identifier = Annotated[str, typer.Argument(metavar="ID", help="The beat's id.")]
Most = Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")]


@beat.command(
    epilog=examples(
        'fleetmem beat publish house "Empty Friday to Sunday." --audience personal',
        'fleetmem beat publish "road works" "Elm Street is closed." --audience open --expires 3d',
        "uptime | fleetmem beat publish load - --audience open",
    )
)
def publish(
    context: typer.Context,
    topic: Annotated[str, typer.Argument(help="One line; your live beat on the same topic is superseded.")],
    body: Annotated[str, typer.Argument(help="What you concluded; - reads standard input.")],
    *,
    audience: Annotated[str, typer.Option(help="Whom it is for: one of those you may write for.")],
    expires: Annotated[str | None, typer.Option(metavar="WHEN", help=f"{options.WHEN} Seven days unless told.")] = None,
    as_json: Json = False,
) -> None:
    """Publish a beat."""
    expires_at = options.later(expires, field="expires_at")
    with fleet(context) as client:
        made = client.publish(topic, options.text_or_stdin(body), audience=audience, expires_at=expires_at)
    show.out(show.as_json(made) if as_json else show.beat(made))


@beat.command(
    "list", epilog=examples("fleetmem beat list", "fleetmem beat list --author facilities --since 2d --all --json")
)
def list_(
    context: typer.Context,
    *,
    topic: Annotated[str | None, typer.Option(help="Only this topic.")] = None,
    author: Annotated[str | None, typer.Option(help="Only by this agent.")] = None,
    audience: Annotated[str | None, typer.Option(help="Only for this audience.")] = None,
    since: Annotated[str | None, typer.Option(metavar="WHEN", help=f"Only newer than: {options.WHEN}")] = None,
    ended: Annotated[bool, typer.Option("--all", help="Also superseded, retracted and expired ones.")] = False,
    limit: Most = wire.PAGE_SIZE,
    as_json: Json = False,
) -> None:
    """List the beats you may see, newest first."""
    with fleet(context) as client:
        found = client.beats(
            topic=topic,
            author=author,
            audience=audience,
            since=options.earlier(since, field="since"),
            live=not ended,
            page_size=min(limit, wire.PAGE_SIZE_MOST),
        )
        _show(found, limit=limit, as_json=as_json)


@beat.command("show", epilog=examples("fleetmem beat show 01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8"))
def show_(context: typer.Context, beat_id: Identifier, as_json: Json = False) -> None:
    """Show one beat, whatever its status."""
    with fleet(context) as client:
        found = client.beat(beat_id)
    show.out(show.as_json(found) if as_json else show.beat(found))


@beat.command(epilog=examples("fleetmem beat history 01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8"))
def history(context: typer.Context, beat_id: Identifier, limit: Most = wire.PAGE_SIZE, as_json: Json = False) -> None:
    """List what the same author said on the same topic, newest first."""
    with fleet(context) as client:
        _show(client.history(beat_id, page_size=min(limit, wire.PAGE_SIZE_MOST)), limit=limit, as_json=as_json)


@beat.command(epilog=examples("fleetmem beat retract 01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8"))
def retract(context: typer.Context, beat_id: Identifier, as_json: Json = False) -> None:
    """End one of your own live beats; it stays readable in its history."""
    with fleet(context) as client:
        ended = client.retract(beat_id)
    show.out(show.as_json(ended) if as_json else show.beat(ended))


def _show(found: Iterator[wire.Beat], *, limit: int, as_json: bool) -> None:
    beats = list(islice(found, limit))
    if as_json:
        show.out(show.as_json(beats))
    else:
        show.out("\n\n".join(map(show.beat, beats)) or "No beats that you may see.")
