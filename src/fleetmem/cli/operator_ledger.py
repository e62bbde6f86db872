"""`fleetmem ledger`: show, pin, verify, explain."""

# ruff: noqa: PLC0415 -- the owner's tools are imported by the command that needs them

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from fleetmem import config, wire
from fleetmem.cli import options, show, show_review
from fleetmem.cli.operator_access import console
from fleetmem.cli.options import Json, examples
from fleetmem.cli.outcome import Exit
from fleetmem.errors import Absent, Conflict, RequestInvalid

if TYPE_CHECKING:
    from fleetmem.client import ConsoleClient
    from fleetmem.memory.ledger import Entry, Pin, Verified

ledger = options.group(
    "The ledger: what was proposed, granted, denied, decided, landed and revoked. For operators and auditors."
)

_EVERY: Final = 10_000


@ledger.command(
    "show", epilog=examples("fleetmem ledger show --agent frontend", "fleetmem ledger show --after 1200 --json")
)
def show_(
    context: typer.Context,
    *,
    after: Annotated[int, typer.Option(min=0, help="Only rows after this number.")] = 0,
    note: Annotated[str | None, typer.Option(help="Only of this note.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only of this agent.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")] = 100,
    as_json: Json = False,
) -> None:
    """Read rows, oldest first."""
    with console(context) as client:
        size = min(limit, wire.LEDGER_PAGE_MOST)
        rows = list(islice(client.ledger(after=after, note=note, agent=agent, page_size=size), limit))
    if as_json:
        show.out(show.as_json(rows))
    else:
        show.out(show_review.rows(rows) if rows else "No such rows.")


@ledger.command(epilog=examples("fleetmem ledger pin", "fleetmem ledger pin --out ledger.pin && git add ledger.pin"))
def pin(
    context: typer.Context,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to keep it; an older pin there must still hold.")
    ] = None,
) -> None:
    """Print the head, to keep where nobody who can write the database can write."""
    with console(context) as client:
        head = client.head()
        if out is None:
            show.out(show.as_json(head))
            return
        if out.exists():
            _still_holds(client, _read_pin(out), out)
    out.write_text(show.as_json(head) + "\n", encoding="utf-8")
    show.out(f"Wrote row {head.seq} to {out}.")


@ledger.command(epilog=examples("fleetmem ledger verify --pin ledger.pin", "fleetmem ledger verify --database --json"))
def verify(
    context: typer.Context,
    *,
    pin_file: Annotated[
        Path | None, typer.Option("--pin", metavar="FILE", help="A head that was kept elsewhere.")
    ] = None,
    database: Annotated[bool, typer.Option("--database", help="Read the database itself, as its owner.")] = False,
    as_json: Json = False,
) -> None:
    """Read every row and say what was edited, removed, swapped, inserted or cut off. Exits with 1 on any."""
    from fleetmem.memory import ledger as chain

    pinned = None if pin_file is None else _read_pin(pin_file)
    if database:
        from fleetmem.admin import deployment
        from fleetmem.admin.ledger import entries

        with deployment.reach(config.load(), show.note) as conninfo:
            found = chain.verify(_counted(entries(conninfo)), pin=pinned)
    else:
        with console(context) as client:
            found = chain.verify(_counted(map(_entry, client.ledger())), pin=pinned)
    show.out(_as_json(found) if as_json else _told(found, pinned))
    raise typer.Exit(Exit.DONE if found.is_whole else Exit.FAILED)


@ledger.command(
    epilog=examples(
        "fleetmem ledger explain --agent frontend",
        "fleetmem ledger explain --agent frontend --at 2026-11-01T12:00:00Z --json",
    )
)
def explain(
    context: typer.Context,
    *,
    agent: Annotated[str, typer.Option(help="Whose knowledge; also of an agent that has left.")],
    at: Annotated[str | None, typer.Option(metavar="WHEN", help=f"{options.WHEN} Now unless told.")] = None,
    as_json: Json = False,
) -> None:
    """Say what an agent knew at a moment, what it was denied and why, and what had been taken back."""
    moment = options.earlier(at, field="at")
    with console(context) as client:
        try:
            found = client.explain(agent, at=moment)
        except Absent as error:
            error.detail = f"There is no agent {agent}, and never was"
            raise
    show.out(show.as_json(found) if as_json else show_review.explanation(found))


def _still_holds(client: ConsoleClient, pinned: Pin, out: Path) -> None:
    """Refuse to replace a pin that the ledger no longer bears out: it is the evidence."""
    if pinned.seq == 0:
        return
    row = next(client.ledger(after=pinned.seq - 1, page_size=1), None)
    if row is None or (row.seq, row.hash) != (pinned.seq, pinned.hash.hex()):
        raise Conflict(
            f"the ledger no longer holds row {pinned.seq} as {out} has it; keep that file, and run `ledger verify`"
        )


def _read_pin(path: Path) -> Pin:
    from fleetmem.memory.ledger import Pin

    try:
        head = msgspec.json.decode(path.read_bytes(), type=wire.LedgerHead)
        return Pin(head.seq, bytes.fromhex(head.hash))
    except (msgspec.MsgspecError, ValueError) as error:
        raise RequestInvalid(
            f"{path} is no pin as `fleetmem ledger pin` writes it", field="--pin", rule="format"
        ) from error


def _entry(row: wire.LedgerRow) -> Entry:
    from fleetmem.memory.ledger import Entry

    return Entry(
        seq=row.seq,
        at=row.at,
        event=row.event,
        note=row.note,
        agent=row.agent,
        actor=row.actor,
        reason=row.reason,
        detail=row.detail,
        prev=bytes.fromhex(row.prev),
        hash=bytes.fromhex(row.hash),
    )


def _counted(entries: Iterator[Entry]) -> Iterator[Entry]:
    """Pass rows on; at a terminal, say every so often how many there were."""
    for count, entry in enumerate(entries, start=1):
        if count % _EVERY == 0 and sys.stderr.isatty():
            show.note(f"{count} rows")
        yield entry


def _told(found: Verified, pinned: Pin | None) -> str:
    lines = [f"{finding.fault.value.upper()} {show.line(finding.detail)}." for finding in found.findings]
    if not lines:
        until = (
            "its end is not proved without a pin" if pinned is None else f"it still holds the pinned row {pinned.seq}"
        )
        lines = [f"{found.rows} rows, and nothing is wrong with them; {until}."]
    return "\n".join((*lines, f"Head: row {found.head.seq}, {found.head.hash.hex()}"))


def _as_json(found: Verified) -> str:
    return show.as_json(
        {
            "rows": found.rows,
            "head": {"seq": found.head.seq, "hash": found.head.hash.hex()},
            "findings": [
                {"seq": each.seq, "fault": each.fault.value, "detail": each.detail} for each in found.findings
            ],
        }
    )
