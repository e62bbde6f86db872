"""One query, fenced and unfenced: what row security and the verification of a claim add to it.

Fenced: as the agents' role under a claim, over what the policies let through. Unfenced: the same query as a superuser,
who has no row security, with the reader's audiences written out. Both are timed inside the server by EXPLAIN ANALYZE, so
no driver, no network and no rendering is counted; planning is left out, as a prepared statement leaves it out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Final, cast

from bench import direct
from bench.report import Goal, Row, number
from bench.rounds import in_turns, ratio
from bench.seed import Reader, Seeded
from bench.sizes import Sizes

_EXPLAIN: Final = "explain (analyze, buffers off, timing off, format json) "
_BOUND: Final = 1.15

# {reads} becomes the fence's own answer, or the reader's audiences written out; {where} is empty where the fence decides.
_COLUMNS: Final = "b.id, b.author, b.topic, b.body, b.audience, b.created_at, b.expires_at, b.ended_at"
_COUNT: Final = "select count(*) from fleet.beat b {where}"
_NEWEST: Final = (
    f"select n.* from unnest({{reads}}::text[]) a (name) cross join lateral (select {_COLUMNS} from fleet.beat b"
    " where b.audience = a.name order by b.id desc limit {size}) n order by n.id desc limit {size}"
)
_BY_ID: Final = f"select {_COLUMNS} from fleet.beat b where b.id = '{{id}}' {{and_}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Query:
    """`ordered`: planned as the API's lists are, by an index in its order and never by bitmap."""

    what: str
    fenced: str
    unfenced: str
    ordered: bool = False


def measure(databases: tuple[Seeded, ...], password: str, sizes: Sizes) -> tuple[list[Row], list[Goal]]:
    """Every query of every reader at every size; the goal is held at the largest size, by the worst reader."""
    rows = [
        row
        for seeded in databases
        for reader in seeded.readers
        for query in _queries(seeded, reader)
        for row in [_compare(seeded, reader, query, password, sizes)]
    ]
    goals = [_goal(what, databases[-1], rows) for what in ("count", "newest 20", "newest 50", "by id")]
    return rows, goals


def _goal(what: str, seeded: Seeded, rows: list[Row]) -> Goal:
    """Hold one query at one size to the goal; a verified claim is a price a statement, so a short one shows it most."""
    sized = f"{seeded.rows:,} beats"
    found = [row.figures for row in rows if row.what.startswith(f"{what},") and row.what.endswith(sized)]
    least_us = min(figures["added us"] or 0 for figures in found)
    return Goal(
        number="3",
        says=f"{what} at {sized}, fenced over unfenced, the worst of three readers",
        bound=_BOUND,
        at_least=False,
        measured=max(figures["ratio"] or 0 for figures in found),
        note=f"(the fence adds {number(least_us)} us or more)",
    )


def _queries(seeded: Seeded, reader: Reader) -> Iterator[_Query]:
    literal = "'{" + ",".join(reader.reads) + "}'"
    asked = "(select fence.read_set())"
    yield _Query(
        what="count",
        fenced=_COUNT.format(where=""),
        unfenced=_COUNT.format(where=f"where b.audience = any ({literal})"),
    )
    for size in (20, 50):
        yield _Query(
            what=f"newest {size}",
            fenced=_NEWEST.format(reads=asked, size=size),
            unfenced=_NEWEST.format(reads=literal, size=size),
            ordered=True,
        )
    with direct.as_superuser(seeded.owner) as connection:
        # The empty reader asks for a beat that is there and that it may not see.
        found = direct.value(
            connection,
            "select b.id from fleet.beat b where b.audience = any (%s) order by b.id limit 1",
            [list(reader.reads or seeded.wide.reads)],
        )
    yield _Query(
        what="by id",
        fenced=_BY_ID.format(id=found, and_=""),
        unfenced=_BY_ID.format(id=found, and_=f"and b.audience = any ({literal})"),
    )


def _compare(seeded: Seeded, reader: Reader, query: _Query, password: str, sizes: Sizes) -> Row:
    with direct.as_gateway(seeded.owner, password) as agent, direct.as_superuser(seeded.owner) as owner:

        def fenced() -> float:
            with direct.under_claim(agent, direct.claim(seeded, reader)):
                return _executed_ms(agent, query.fenced)

        def unfenced() -> float:
            return _executed_ms(owner, query.unfenced)

        for connection in (agent, owner):
            connection.execute("set enable_bitmapscan = " + ("off" if query.ordered else "on"))
        for warm in (fenced, unfenced):
            warm()
        taken = in_turns({"fenced": fenced, "unfenced": unfenced}, rounds=sizes.plans)
    return Row(
        "one query, fenced and unfenced (executed in the server, ms)",
        f"{query.what}, {reader.name} reader, {seeded.rows:,} beats",
        {
            "fenced ms": median(taken["fenced"]),
            "unfenced ms": median(taken["unfenced"]),
            "added us": 1000 * max(0.0, median(taken["fenced"]) - median(taken["unfenced"])),
            "ratio": ratio(taken["fenced"], taken["unfenced"]),
        },
    )


def _executed_ms(connection: direct.Connection, statement: str) -> float:
    row = connection.execute((_EXPLAIN + statement).encode()).fetchone()
    plans = cast("list[dict[str, float]]", row[0] if row else [{}])
    return plans[0]["Execution Time"]
