"""`fleetmem segments test`."""

# ruff: noqa: PLC0415 -- loaded by the command that needs it, so that an agent's start fast

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fleetmem.cli import options, show
from fleetmem.cli.options import Json, examples

if TYPE_CHECKING:
    from fleetmem.admin.segment_corpus import Measured, Tally
    from fleetmem.memory.segment import Encode

segments = options.group("Segments: where one thread of a team's work ends and the next begins.")


@segments.callback()
def _group() -> None:
    pass


@segments.command(
    "test", epilog=examples("fleetmem segments test sequences.jsonl", "fleetmem segments test sequences.jsonl --json")
)
def measure(
    file: Annotated[Path, typer.Argument(help="Labelled sequences of tasks, as JSON lines.")],
    as_json: Json = False,
) -> None:
    """Measure the segmentation on labelled sequences of tasks: precision, recall and F1 of its boundaries, by team and in all."""
    from fleetmem.admin import segment_corpus
    from fleetmem.memory.segment import Rules

    measured = segment_corpus.measure(file, rules=Rules(), encode=_encode())
    show.out(show.as_json(_document(measured)) if as_json else _told(measured))


def _encode() -> Encode | None:
    """Return the vectors that a worker with these settings would use."""
    from fleetmem import config
    from fleetmem.models import segmenting
    from fleetmem.models.encoder import open_encoder

    settings = config.load()
    if settings.recognizer != "sbert":
        return None
    show.note("loading the model …")
    return segmenting.encode(open_encoder(settings))


def _document(measured: Measured) -> dict[str, Any]:
    return {
        **_shares(measured.overall),
        "sequences": measured.sequences,
        "tasks": measured.tasks,
        "segments": measured.segments,
        "boundaries": measured.overall.right + measured.overall.missed,
        "mixed_teams": measured.mixed_teams,
        "threshold": measured.threshold,
        "vectors": measured.is_encoded,
        "by_team": {team: _shares(tally) for team, tally in measured.by_team.items()},
        "by_kind": {str(kind): count for kind, count in measured.by_kind.items()},
        "every_cut": _shares(measured.every_cut),
    }


def _shares(tally: Tally) -> dict[str, float | None]:
    return {"f1": tally.f1, "precision": tally.precision, "recall": tally.recall}


def _told(measured: Measured) -> str:
    tallies = {**measured.by_team, "in all": measured.overall}
    rows = [(team, *(_share(each) for each in _shares(tally).values())) for team, tally in tallies.items()]
    kinds = ", ".join(f"{count} {kind}" for kind, count in measured.by_kind.items())
    by = "terms and vectors" if measured.is_encoded else "terms alone"
    return "\n".join(
        [
            show.table(("team", "F1", "precision", "recall"), rows),
            "",
            f"read        {measured.tasks} tasks in {measured.sequences} sequences, {measured.segments} segments",
            f"boundaries  {kinds}",
            f"by          {by}, from {measured.threshold:g}",
            f"two teams   {measured.mixed_teams} segments",
        ]
    )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
