"""Does it stay as fast as the table grows? Lists and publishing through the API's own functions, at two sizes in turns."""

import time
from collections.abc import Callable
from contextlib import ExitStack
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


def measure(small: Seeded, large: Seeded, password: str, sizes: Sizes) -> tuple[list[Row], list[Goal]]:
    """Compare the two databases; both answer over one connection each, prepared."""
    rows = []
    with ExitStack() as open_ones:
        connections = {
            seeded.rows: open_ones.enter_context(direct.as_gateway(seeded.owner, password)) for seeded in (small, large)
        }
        for what, pick, call in (
            ("list 20, narrow reader", lambda seeded: seeded.narrow, _list),
            ("list 20, wide reader", lambda seeded: seeded.wide, _list),
            ("list 20, empty reader", lambda seeded: seeded.empty, _list),
            ("publish", lambda seeded: seeded.wide, _publish),
        ):
            rows.append(_compare(what, pick, call, (small, large), connections, sizes))
    sized = f"{large.rows:,} over {small.rows:,} rows"
    goals = [
        Goal(
            number="4",
            says=f"{row.what}: latency at {sized}",
            bound=_BOUND,
            at_least=False,
            measured=row.figures["ratio"],
            note="(in part: one writer, both sizes at rest)",
        )
        for row in rows
    ]
    return rows, goals


def _compare(
    what: str,
    pick: Callable[[Seeded], Reader],
    call: Callable[[Connection, str], None],
    pair: tuple[Seeded, Seeded],
    connections: dict[int, Connection],
    sizes: Sizes,
) -> Row:
    def contender(seeded: Seeded) -> Callable[[], tuple[float, float]]:
        return lambda: _round(connections[seeded.rows], seeded, pick(seeded), call, sizes.calls)

    contenders = {seeded.rows: contender(seeded) for seeded in pair}
    for warm in contenders.values():
        warm()
    taken = in_turns(contenders, rounds=max(sizes.rounds, 3))
    few, many = ([each[0] for each in taken[seeded.rows]] for seeded in pair)
    return Row(
        "as the table grows (one connection, p50 of a call in ms)",
        what,
        {
            f"{pair[0].rows:,} rows": median(few),
            f"{pair[1].rows:,} rows": median(many),
            "ratio": ratio(many, few),
            "CPU us, small": 1e6 * median(each[1] for each in taken[pair[0].rows]),
            "CPU us, large": 1e6 * median(each[1] for each in taken[pair[1].rows]),
        },
    )


def _round(
    connection: Connection, seeded: Seeded, reader: Reader, call: Callable[[Connection, str], None], calls: int
) -> tuple[float, float]:
    """Median latency in ms, and the backend's CPU seconds a call."""
    held = direct.claim(seeded, reader)
    latencies = []
    before = cpu.thread_seconds(connection.info.backend_pid)
    for _ in range(calls):
        started = time.perf_counter()
        call(connection, held)
        latencies.append(1000 * (time.perf_counter() - started))
    return median(latencies), (cpu.thread_seconds(connection.info.backend_pid) - before) / calls


def _list(connection: Connection, held: str) -> None:
    connection.execute(_LIST, [held], prepare=True).fetchone()


def _publish(connection: Connection, held: str) -> None:
    values = [held, bytes(32), f"boiler {uuid4()}", _BODY, AUDIENCES[0]]
    connection.execute(_PUBLISH, values, prepare=True).fetchone()
