"""`fleetmem routing test|calibrate|promote`."""

# ruff: noqa: PLC0415 -- the model is loaded by the command that needs it, so that an agent's start fast

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer

from fleetmem.cli import options, show
from fleetmem.cli.options import Json, examples

if TYPE_CHECKING:
    from fleetmem.admin.routing_corpus import Corpus
    from fleetmem.admin.routing_measure import Pair, Tallies
    from fleetmem.memory.calibration import Calibration, Share
    from fleetmem.models.encoder import Identity

routing = options.group("Whom a memory is for: how well it is recognized, and on what evidence.")

LabelledFile = Annotated[Path, typer.Argument(help="Labelled teams and notes, as JSON lines.")]


@routing.command(
    "test", epilog=examples("fleetmem routing test notes.jsonl", "fleetmem routing test notes.jsonl --json")
)
def measure(file: LabelledFile, as_json: Json = False) -> None:
    """Measure the shipped scorer, at its threshold, on labelled notes: by team, with 95 % intervals."""
    from fleetmem.admin import routing_corpus, routing_measure
    from fleetmem.sql import routing_files

    calibration = routing_files.shipped_calibration()
    corpus = routing_corpus.read(file)
    pairs, identity = _pairs(corpus, calibration)
    scorer = calibration.scorer
    bare = {
        team: routing_measure.tally(some, lambda pair: scorer.score(pair.plain, is_taught=False), scorer.threshold)
        for team, some in _by_team(corpus, pairs).items()
    }
    richer = routing_measure.tally(
        [pair for pair in pairs if pair.is_home], lambda pair: routing_measure.known(pair, scorer), scorer.threshold
    )
    document = _document(corpus, bare, richer, calibration, identity)
    show.out(show.as_json(document) if as_json else _told(bare, richer, scorer.threshold))


@routing.command(
    epilog=examples(
        "fleetmem routing calibrate notes.jsonl --labels human",
        "fleetmem routing calibrate notes.jsonl --labels human --precision 0.99 --out mine.json",
    )
)
def calibrate(
    file: LabelledFile,
    labels: Annotated[
        Literal["human", "synthetic"],
        typer.Option(help="Who said whom the notes are for: people, or whoever made them up."),
    ],
    out: Annotated[Path, typer.Option(help="Where the evidence is written.")] = Path("calibration.json"),
    precision: Annotated[
        float, typer.Option(min=0.5, max=1, help="The precision that the threshold must reach on unseen teams.")
    ] = 0.98,
) -> None:
    """Fit the scorer to labelled notes, leaving each team out in turn, and write it with its evidence."""
    from fleetmem.admin import routing_corpus
    from fleetmem.memory import calibration
    from fleetmem.sql import routing_files

    corpus = routing_corpus.read(file)
    pairs, identity = _pairs(corpus, None)
    from fleetmem.admin import routing_fit  # it needs NumPy, whose absence was told when the model was opened

    version = routing_files.world().occupations.version
    made = routing_fit.calibrate(corpus, pairs, identity, version, labels=labels, precision=precision)
    out.write_bytes(calibration.write(made))
    lines = [f"{name:<24} {_share(getattr(made.measured, name))}" for name in made.measured.__struct_fields__]
    show.out("\n".join([*lines, f"{'threshold':<24} {made.threshold}", f"written to {out}"]))


@routing.command(
    epilog=examples(
        "fleetmem routing promote mine.json --by ada",
        "fleetmem routing promote policies/routing/calibration.json --by ada",
    )
)
def promote(
    file: Annotated[Path, typer.Argument(help="The evidence that `routing calibrate` wrote.")],
    by: Annotated[str, typer.Option(help="Who answers for it; kept with it.")],
) -> None:
    """Put a calibration into force: the worker routes under it from its next note on."""
    from fleetmem import config
    from fleetmem.admin import calibrations, database, deployment
    from fleetmem.errors import RequestInvalid
    from fleetmem.memory import calibration

    try:
        evidence = calibration.read(file.read_bytes())
    except OSError as error:
        raise RequestInvalid(f"{file} cannot be read: {error.strerror}", field="FILE", rule="file") from error
    with deployment.reach(config.load(), show.note) as conninfo, database.owner(conninfo) as connection:
        promoted, is_new = calibrations.promote(connection, evidence, by=by)
    measured = evidence.measured
    show.out(
        f"calibration {promoted} {'is in force' if is_new else 'was in force already'}: threshold {evidence.threshold},"
        f" precision {_brief(measured.precision)}, recall {_brief(measured.recall)},"
        f" labels by {'people' if evidence.source.labels == 'human' else 'whoever made up the notes'}"
    )


def _pairs(corpus: Corpus, calibration: Calibration | None) -> tuple[list[Pair], Identity]:
    """Measure a corpus with the model that is set, which must be the calibration's where one is given."""
    from fleetmem import config
    from fleetmem.admin import routing_measure
    from fleetmem.errors import ConfigInvalid
    from fleetmem.models import recognizer
    from fleetmem.models.encoder import open_encoder
    from fleetmem.sql import routing_files

    settings = config.load()
    if settings.recognizer != "off":
        show.note("loading the model …")
    encoder = open_encoder(settings)
    if encoder is None:
        raise ConfigInvalid("FLEETMEM_RECOGNIZER is off", field="FLEETMEM_RECOGNIZER", rule="off")
    seen = routing_files.world()
    if calibration is not None:
        recognizer.check_model(encoder.identity, calibration, seen)
    return routing_measure.pairs(corpus, recognizer.open_space(encoder), seen), encoder.identity


def _by_team(corpus: Corpus, pairs: list[Pair]) -> dict[str, list[Pair]]:
    """Return the pairs of each team's agents, and all of them under `all`."""
    return {team: [pair for pair in pairs if pair.team == team] for team in corpus.teams} | {"all": pairs}


def _document(
    corpus: Corpus, bare: dict[str, Tallies], richer: Tallies, calibration: Calibration, identity: Identity
) -> dict[str, Any]:
    total = bare["all"]
    return {
        "precision": total.precision.share,
        "recall": total.recall.share,
        "top1": total.top1.share,
        "nobody_misrouted": total.nobody_misrouted.share,
        "foreign_misrouted": total.foreign_misrouted.share,
        "threshold": calibration.threshold,
        "notes": len(corpus.notes),
        "abstained": total.abstained.share,
        "leaked": total.leaked,
        "with_exemplars": {
            "precision": richer.precision.share,
            "recall": richer.recall.share,
            "top1": richer.top1.share,
        },
        "intervals": _plain(total),
        "teams": {team: _plain(each) | {"leaked": each.leaked} for team, each in bare.items() if team != "all"},
        "model": asdict(identity),
        "file_sha256": corpus.sha256,
    }


def _plain(tallies: Tallies) -> dict[str, Any]:
    return {name: msgspec.to_builtins(getattr(tallies, name)) for name in _SHARES}


def _told(bare: dict[str, Tallies], richer: Tallies, threshold: float) -> str:
    rows = [(team, *(_brief(getattr(each, name)) for name in _SHARES), str(each.leaked)) for team, each in bare.items()]
    return "\n".join(
        [
            show.table(("team", *(name.replace("_misrouted", "") for name in _SHARES), "leaked"), rows),
            "",
            f"with five accepted notes an agent: precision {_share(richer.precision)}, recall {_share(richer.recall)}",
            f"threshold {threshold}",
        ]
    )


def _brief(share: Share) -> str:
    return f"{share.share:.2f} [{share.low:.2f}, {share.high:.2f}]" if share.of else "-"


def _share(share: Share) -> str:
    return f"{share.share:.4f} [{share.low:.4f}, {share.high:.4f}] ({share.found} of {share.of})"


_SHARES = ("precision", "recall", "top1", "abstained", "nobody_misrouted", "foreign_misrouted")
