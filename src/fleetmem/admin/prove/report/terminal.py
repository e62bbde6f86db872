"""A proof as the terminal shows it: one line a section, and every attempt that did not hold."""

from collections.abc import Iterator

from fleetmem.admin.prove.proof import Proof
from fleetmem.admin.prove.report.totals import Total, totals, whole
from fleetmem.admin.prove.verdict import Kind, Verdict

_HEAD = f"{'':9} {'':1} {'':52} {'refused':>8} {'controls':>8} {'rights':>7} {'limits':>6} {'FAILED':>7}"
_MOST_SHOWN = 60


def terminal(proof: Proof) -> str:
    """Render a proof for a person."""
    return "\n".join(_lines(proof))


def _lines(proof: Proof) -> Iterator[str]:
    yield f"fleetmem prove · run {proof.run} · PostgreSQL {proof.server} · {proof.took_s:.1f} s"
    yield ""
    yield _HEAD
    for total in totals(proof.verdicts):
        yield _line(total)
    yield _line(whole(proof.verdicts))
    yield ""
    yield from _failures(proof)
    yield from _leavings(proof)
    limits = sum(verdict.kind is Kind.LIMIT for verdict in proof.verdicts)
    if limits:
        yield f"{limits} things cannot be refused; the report says what bounds each."
    yield "Everything held." if proof.holds else "The fence does NOT hold."


def _line(total: Total) -> str:
    title = f"{total.section:1} {total.title[:52]:52}"
    counts = f"{total.refusals:>8} {total.controls:>8} {total.states:>7} {total.limits:>6}"
    return f"{total.way:9} {title} {counts} {total.failed or '-':>7}"


def _failures(proof: Proof) -> Iterator[str]:
    for verdict in proof.failed[:_MOST_SHOWN]:
        yield from told(verdict)
    if len(proof.failed) > _MOST_SHOWN:
        yield f"… and {len(proof.failed) - _MOST_SHOWN} more, in the report"


def told(verdict: Verdict) -> Iterator[str]:
    """Tell one attempt that did not hold."""
    yield f"{verdict.id} ({verdict.kind.value}) {verdict.who}"
    yield f"    tried:    {' '.join(verdict.attempt.split())}"
    yield f"    expected: {verdict.expected}"
    yield f"    got:      {verdict.got}"
    if verdict.why:
        yield f"    because:  {verdict.why}"


def _leavings(proof: Proof) -> Iterator[str]:
    for table, count in proof.left.rows.items():
        yield f"NOT removed: {count} rows of {table}; they are inactive, and only a superuser can delete them"
    for fault in proof.left.faults:
        yield f"the fence is not whole: {fault}"
