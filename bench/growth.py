"""Does it stay as fast as the table grows? Lists and publishing through the API's own functions, at two sizes in turns."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Final
from uuid import uuid4

from bench import cpu, direct
from bench.direct import Connection
from bench.report import Goal, Row
from bench.rounds import in_turns, ratio
from bench.seed import AUDIENCES, Reader, Seeded
from bench.sizes import Sizes

_LIST: Final = "select api.beat_list(%s, null, null, null, null, true, null, 20)"
_PUBLISH: Final = "select (api.beat_publish(%s, null, %s, %s, %s, %s, null)).status"
_BODY: Final = "The engineer comes on Thursday between nine and eleven; the water is off until noon."
_BOUND: Final = 1.15


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """One call, and whose it is."""

    what: str
    by: Callable[[Seeded], Reader]
    call: Callable[[Connection, str], None]


def measure(small: Seeded, large: Seeded, password: str, sizes: Sizes) -> tuple[list[Row], list[Goal]]:
    """Compare the two databases; each answers over one connection, prepared."""
    with direct.as_gateway(small.owner, password) as few, direct.as_gateway(large.owner, password) as many:
        rows = [_compare(work, ((small, few), (large, many)), sizes) for work in _works()]
    sized = f"{large.rows:,} over {small.rows:,} rows"
    goals = [
        Goal(
            number="4",
            says=f"{row.what}: latency at {sized}",
            bound=_BOUND,
            at_least=False,
            measured=row.figures["ratio"],
            note="(in part: one client, both sizes at rest)",
        )
        for row in rows
    ]
    return rows, goals


def _works() -> Iterator[_Work]:
    yield _Work(what="list 20, reader of three audiences", by=lambda seeded: seeded.usual, call=_list)
    yield _Work(what="list 20, reader of 63 audiences", by=lambda seeded: seeded.wide, call=_list)
    yield _Work(what="list 20, reader of none", by=lambda seeded: seeded.empty, call=_list)
    yield _Work(what="publish", by=lambda seeded: seeded.usual, call=_publish)


def _compare(work: _Work, pair: tuple[tuple[Seeded, Connection], tuple[Seeded, Connection]], sizes: Sizes) -> Row:
    def contender(seeded: Seeded, connection: Connection) -> Callable[[], tuple[float, float]]:
        return lambda: _round(connection, seeded, work, sizes.calls)

    contenders = {seeded.rows: contender(seeded, connection) for seeded, connection in pair}
    for warm in contenders.values():
        warm()
    taken = in_turns(contenders, rounds=max(sizes.rounds, 3))
    (small, _), (large, _) = pair
    few, many = ([each[0] for each in taken[seeded.rows]] for seeded in (small, large))
    return Row(
        "as the table grows (one connection, p50 of a call in ms)",
        work.what,
        {
            f"{small.rows:,} rows": median(few),
            f"{large.rows:,} rows": median(many),
            "ratio": ratio(many, few),
            "CPU us, small": 1e6 * median(each[1] for each in taken[small.rows]),
            "CPU us, large": 1e6 * median(each[1] for each in taken[large.rows]),
        },
    )


def _round(connection: Connection, seeded: Seeded, work: _Work, calls: int) -> tuple[float, float]:
    """Median latency in ms, and the backend's CPU seconds a call."""
    held = direct.claim(seeded, work.by(seeded))
    latencies = []
    before = cpu.thread_seconds(connection.info.backend_pid)
    for _ in range(calls):
        started = time.perf_counter()
        work.call(connection, held)
        latencies.append(1000 * (time.perf_counter() - started))
    return median(latencies), (cpu.thread_seconds(connection.info.backend_pid) - before) / calls


def _list(connection: Connection, held: str) -> None:
    connection.execute(_LIST, [held], prepare=True).fetchone()


def _publish(connection: Connection, held: str) -> None:
    values = [held, bytes(32), f"boiler {uuid4()}", _BODY, AUDIENCES[0]]
    connection.execute(_PUBLISH, values, prepare=True).fetchone()
