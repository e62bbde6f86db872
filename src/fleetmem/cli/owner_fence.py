"""`fleetmem fence verify`."""

# ruff: noqa: PLC0415 -- the owner's tools are imported by the command that needs them, so that an agent's start fast

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import typer

from fleetmem import config
from fleetmem.cli import options, show
from fleetmem.cli.options import Json, examples
from fleetmem.cli.outcome import Exit

if TYPE_CHECKING:
    from fleetmem.admin.verify import Report

_OF_A_VERSION: Final = frozenset({"applied policy file", "migration"})
_OTHER_VERSION: Final = (
    "The database is under another version of the fence than this code, which may explain much of it:",
    "`fleetmem policies plan` compares the two, `fleetmem db migrate` brings the database up.",
)

fence = options.group("The fence in force: is it the declared one?")


@fence.callback()
def _group() -> None:
    """Keep `verify` a command of its own while it is the only one."""


@fence.command(epilog=examples("fleetmem fence verify", "fleetmem fence verify --json"))
def verify(as_json: Json = False) -> None:
    """Compare the live fence with the declared one; every difference, and what it opens. Exits with 1 on any."""
    from fleetmem.admin import deployment
    from fleetmem.admin import verify as verification

    settings = config.load()
    with deployment.reach(settings, show.note) as conninfo:
        report = verification.verify(conninfo, cache=settings.home / "run")
    show.out(show.as_json(asdict(report) | {"clean": report.is_clean}) if as_json else _told(report))
    raise typer.Exit(Exit.DONE if report.is_clean else Exit.FAILED)


def _told(report: Report) -> str:
    unseen = [f"not looked at: {what}" for what in report.unseen]
    if report.is_clean:
        return "\n".join([f"The live fence is the declared one: {report.rows} facts compared.", *unseen])
    count = len(report.findings)
    return "\n".join(
        [
            f"The live fence is not sound: {count} finding{'' if count == 1 else 's'} ({report.rows} facts compared).",
            *(f"- {show.line(finding.sentence())}" for finding in report.findings),
            *unseen,
            *(_OTHER_VERSION if any(finding.kind in _OF_A_VERSION for finding in report.findings) else ()),
            "`fleetmem policies apply --again` puts back what the policies declare; look first at who changed it.",
        ]
    )
