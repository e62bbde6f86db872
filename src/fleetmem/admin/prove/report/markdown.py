"""A proof as a dated report: what held, the tables of rights and of reach, what cannot be refused, and every attempt."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from fleetmem.admin.prove.client.tables import ALLOWED, VERBS
from fleetmem.admin.prove.proof import Proof
from fleetmem.admin.prove.report.totals import SECTIONS, totals, whole
from fleetmem.admin.prove.rights.relations import EVERYONE
from fleetmem.admin.prove.rights.tables import RELATIONS
from fleetmem.admin.prove.verdict import Kind, Verdict

_RIGHTS = ("select", "insert", "update", "delete", "truncate", "references", "trigger", "maintain")


def markdown(proof: Proof) -> str:
    """Render a proof as Markdown."""
    parts = (
        _head(proof),
        _summary(proof),
        _failures(proof),
        _reach(proof),
        _rights(proof),
        _limits(proof),
        _attempts(proof),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def _head(proof: Proof) -> Iterator[str]:
    yield f"# Proof of the fence, {proof.started_at:%Y-%m-%d %H:%M:%S} UTC"
    yield ""
    verdict = "Everything held." if proof.holds else "**The fence does not hold.**"
    yield f"Run `{proof.run}` on PostgreSQL {proof.server}, {proof.took_s:.1f} s. {verdict}"
    yield ""
    for table, count in proof.left.rows.items():
        yield f"- not removed: {count} rows of `{table}`, inactive; only a superuser can delete them"
    for fault in proof.left.faults:
        yield f"- the fence is not whole: {fault}"


def _summary(proof: Proof) -> Iterator[str]:
    rows = [
        (total.way, f"{total.section} {total.title}", *_counts(total))
        for total in (*totals(proof.verdicts), whole(proof.verdicts))
    ]
    yield from _table(("way", "section", "refusals", "controls", "rights", "limits", "failed"), rows)


def _counts(total: object) -> Iterator[str]:
    for name in ("refusals", "controls", "states", "limits", "failed"):
        yield str(getattr(total, name) or "")


def _failures(proof: Proof) -> Iterator[str]:
    if proof.failed:
        yield "## What did not hold"
        yield ""
        yield from _verdicts(proof.failed)


def _reach(proof: Proof) -> Iterator[str]:
    """For each verb, readers by audiences: whether it was allowed."""
    cells = {tuple(each.id.split(":")[1:]): each for each in proof.verdicts if each.id.startswith("R:")}
    if not cells:
        return
    readers, audiences = ({key[place]: None for key in cells} for place in (1, 2))
    yield "## Through the client library, in the roster's shape"
    yield ""
    yield "Throw-away agents that read and write as the named ones do; ✓ allowed, · refused, ✗ not as it must be."
    yield ""
    for verb in VERBS:
        rows = [
            (reader, *(_mark(cells.get((verb.name, reader, audience))) for audience in audiences)) for reader in readers
        ]
        yield from _table((verb.name, *audiences), rows)


def _mark(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    return "✗" if not verdict.held else ("✓" if verdict.got == ALLOWED else "·")


def _rights(proof: Proof) -> Iterator[str]:
    cells = {each.id: each for each in proof.verdicts if each.id.startswith("M:")}
    if not cells:
        return
    yield "## Rights on every table"
    yield ""
    yield "By the catalogue; each was also tried. An empty cell is refused. Row security narrows all of it further."
    yield ""
    for relation in RELATIONS:
        rows = []
        for role in EVERYONE:
            held = [_right(cells.get(f"M:{relation.name}:{verb}:{role}"), relation.columns) for verb in _RIGHTS]
            if any(held):
                rows.append((role, *held))
        yield from _table((f"{relation.name}", *_RIGHTS), rows)


def _right(verdict: Verdict | None, columns: str) -> str:
    if verdict is None or verdict.got == "refused":
        return ""
    return "all" if verdict.got == columns else verdict.got


def _limits(proof: Proof) -> Iterator[str]:
    limits = [verdict for verdict in proof.verdicts if verdict.kind is Kind.LIMIT]
    if limits:
        yield "## What cannot be refused, and what bounds it"
        yield ""
        yield from _table(
            ("id", "who", "attempt", "bounded by"), [(_code(v.id), v.who, _code(v.attempt), v.why) for v in limits]
        )


def _attempts(proof: Proof) -> Iterator[str]:
    by_section: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in proof.verdicts:
        if not verdict.id.startswith(("M:", "R:")):
            by_section[f"{verdict.way.value}: {verdict.section}. {SECTIONS.get(verdict.section, '')}"].append(verdict)
    yield "## Every attempt"
    yield ""
    for title, verdicts in by_section.items():
        yield f"### {title}"
        yield ""
        yield from _verdicts(verdicts)


def _verdicts(verdicts: Sequence[Verdict]) -> Iterator[str]:
    rows = [
        (_code(v.id), v.kind.value, v.who, _code(v.attempt), v.expected, v.got, "✓" if v.held else "✗", v.why)
        for v in verdicts
    ]
    yield from _table(("id", "kind", "who", "attempt", "must happen", "happened", "", "why"), rows)


def _table(head: Iterable[str], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    names = tuple(head)
    yield "| " + " | ".join(names) + " |"
    yield "|" + " --- |" * len(names)
    for row in rows:
        yield "| " + " | ".join(_cell(value) for value in row) + " |"
    yield ""


def _cell(value: str) -> str:
    return " ".join(value.split()).replace("|", "\\|")


def _code(value: str) -> str:
    """Write a statement as code that no backtick in it can end."""
    return "`" + " ".join(value.split()).replace("`", "'") + "`"
