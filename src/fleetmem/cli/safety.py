"""`fleetmem safety test|scan`."""

# ruff: noqa: PLC0415 -- the rules are compiled by the command that needs them, so that an agent's start fast

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fleetmem.cli import options, show
from fleetmem.cli.options import Json, examples
from fleetmem.cli.outcome import Exit

if TYPE_CHECKING:
    from fleetmem.admin.safety_corpus import Measured, Tally

safety = options.group("The safety policy: what it finds, and how well.")


@safety.command(
    "test", epilog=examples("fleetmem safety test secrets.jsonl", "fleetmem safety test injection.jsonl --json")
)
def measure(
    file: Annotated[Path, typer.Argument(help="Labelled texts, as JSON lines.")],
    as_json: Json = False,
) -> None:
    """Measure the shipped rules on labelled texts: recall, false positives, both by kind, and the time of one text."""
    from fleetmem.admin import safety_corpus
    from fleetmem.sql import safety_files

    measured = safety_corpus.measure(safety_files.shipped_policy(), file)
    show.out(show.as_json(_document(measured, safety_files.version())) if as_json else _told(measured))


@safety.command(epilog=examples("fleetmem safety scan < note.md", "fleetmem safety scan --json < note.md"))
def scan(as_json: Json = False) -> None:
    """Judge a text from standard input: where which rule found something, never what. Exits with 1 on any finding."""
    from fleetmem.memory import redaction, safety
    from fleetmem.sql import safety_files

    policy = safety_files.shipped_policy()
    given = sys.stdin.buffer.read()
    verdict = safety.judge(policy, {"text": given})
    found = () if safety.FAULT in verdict.quarantined_by else redaction.find(policy.secrets, given.decode())
    secrets = [{"rule": each.rule, "start": each.start, "end": each.end} for each in found]
    if as_json:
        document = {"policy": policy.version, "secrets": secrets, "quarantined_by": list(verdict.quarantined_by)}
        show.out(show.as_json(document))
    else:
        lines = [f"secret      {each['rule']}  characters {each['start']} to {each['end']}" for each in secrets]
        lines += [f"quarantine  {rule}" for rule in verdict.quarantined_by]
        show.out("\n".join(lines) or "Nothing found.")
    raise typer.Exit(Exit.FAILED if secrets or verdict.is_quarantined else Exit.DONE)


def _document(measured: Measured, policy: str) -> dict[str, Any]:
    return {
        "recall": measured.wanted.share,
        "false_positives": measured.unwanted.share,
        "by_kind": {kind: _share(tally) for kind, tally in measured.by_kind.items()},
        "by_variant": {variant: _share(tally) for variant, tally in measured.by_variant.items()},
        "texts": measured.texts,
        "wanted": measured.wanted.of,
        "unwanted": measured.unwanted.of,
        "form": measured.form,
        "ms": {"median": measured.median_ms, "slowest": measured.slowest_ms},
        "policy": policy,
    }


def _share(tally: Tally) -> dict[str, Any]:
    return {"of": tally.of, "found": tally.found, "share": tally.share}


def _told(measured: Measured) -> str:
    rows = [(kind, str(tally.of), str(tally.found)) for kind, tally in measured.by_kind.items()]
    return "\n".join(
        [
            show.table(("kind", "of", "found"), rows),
            "",
            f"recall           {_percent(measured.wanted)}",
            f"false positives  {_percent(measured.unwanted)}",
            f"one text         {measured.median_ms} ms (median), {measured.slowest_ms} ms (slowest of {measured.texts})",
        ]
    )


def _percent(tally: Tally) -> str:
    return "none to judge" if tally.share is None else f"{tally.share:.4f} ({tally.found} of {tally.of})"
