"""The dated report of a drill: for a person (Markdown) and for a script (JSON), under HOME/reports."""

from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from fleetmem.admin.backup import Manifest
from fleetmem.admin.drill.log import Log
from fleetmem.admin.postgres.place import own_directory, private_file


@dataclass(frozen=True, slots=True, kw_only=True)
class Drill:
    """The outcome: green only if every step was taken and every check held."""

    at: datetime
    source: str
    server: str
    manifest: Manifest | None
    counts: dict[str, tuple[int, int]]
    log: Log
    stopped_by: str = ""

    @property
    def is_green(self) -> bool:
        """Whether the file restores into a fleet that is fenced as declared."""
        return self.log.is_green and not self.stopped_by


def write(drill: Drill, home: Path) -> Path:
    """Write both files; returns the Markdown one."""
    folder = own_directory(home / "reports")
    path = folder / f"drill-{drill.at:%Y%m%dT%H%M%SZ}.md"
    private_file(path, markdown(drill))
    private_file(path.with_suffix(".json"), _json(drill))
    return path


def markdown(drill: Drill) -> str:
    """The report as a person reads it."""
    held = sum(check.held for check in drill.log.checks)
    lines = [
        f"# Restore drill of {drill.at:%Y-%m-%d %H:%M} UTC: {'green' if drill.is_green else 'RED'}",
        "",
        f"- backup: {drill.source}",
        f"- restored into: {drill.server}; every copy is removed",
        f"- checks: {held} of {len(drill.log.checks)} held, in {sum(drill.log.seconds.values()):.1f} s",
        *([f"- stopped early: {drill.stopped_by}"] if drill.stopped_by else []),
        "",
        "| step | what had to hold | held | seen |",
        "| --- | --- | --- | --- |",
        *(
            f"| {_cell(check.step)} | {_cell(check.what)} | {'yes' if check.held else '**NO**'} | {_cell(check.seen)} |"
            for check in drill.log.checks
        ),
        "",
        "| of the restored fence | declared | found |",
        "| --- | --- | --- |",
        *(f"| {kind} | {declared} | {found} |" for kind, (declared, found) in drill.counts.items()),
        "",
        "| step | seconds |",
        "| --- | --- |",
        *(f"| {_cell(step)} | {seconds:.2f} |" for step, seconds in drill.log.seconds.items()),
    ]
    if drill.manifest is not None:
        made = drill.manifest
        lines += [
            "",
            f"The backup is of {made.created_at:%Y-%m-%d %H:%M} UTC: PostgreSQL {made.postgres}, ledger {made.ledger_head},",
            f"migration {made.migration}, fence {made.fence[:16]}.",
            "",
            "| table | rows | sha256 |",
            "| --- | --- | --- |",
            *(f"| {name} | {table.rows} | {table.sha256} |" for name, table in sorted(made.tables.items())),
        ]
    return "\n".join([*lines, ""])


def _json(drill: Drill) -> str:
    content = {
        "green": drill.is_green,
        "at": drill.at,
        "source": drill.source,
        "server": drill.server,
        "stopped_by": drill.stopped_by,
        "checks": [asdict(check) for check in drill.log.checks],
        "seconds": drill.log.seconds,
        "counts": {kind: {"declared": pair[0], "found": pair[1]} for kind, pair in drill.counts.items()},
        "manifest": drill.manifest,
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
