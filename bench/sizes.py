"""How much is measured: the full run, which the goals are held to, and a quick one that shows every row."""

import os
from dataclasses import dataclass, replace
from typing import Final

from fleetmem.errors import ConfigInvalid

ROWS_VARIABLE: Final = "FLEETMEM_BENCH_ROWS"
FEWEST_ROWS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """`rows` is the larger table; `few_rows` the smaller one, and the fleet's own."""

    rows: int
    few_rows: int
    rounds: int
    round_s: float
    warm_s: float
    plans: int  # EXPLAIN ANALYZE runs of one statement
    calls: int  # calls of one function in each round
    revocations: int
    span_batches: int  # of each sender, in each round
    span_looks: int
    landings: int  # memories that are landed and taken away, as often again with commits that wait for no disk
    notes: int  # that are routed by the model
    clients: int = 32
    page: int = 20
    peers: bool = True  # may set up other systems' environments to compare with


FULL: Final = Sizes(
    rows=1_000_000,
    few_rows=10_000,
    rounds=5,
    round_s=5.0,
    warm_s=2.0,
    plans=9,
    calls=100,
    revocations=15,
    span_batches=6,
    span_looks=15,
    landings=20,
    notes=256,
)
QUICK: Final = Sizes(
    rows=20_000,
    few_rows=2_000,
    rounds=1,
    round_s=1.0,
    warm_s=0.0,
    plans=3,
    calls=20,
    revocations=2,
    span_batches=1,
    span_looks=1,
    landings=1,
    notes=8,
    peers=False,
)


def asked(*, quick: bool) -> Sizes:
    """The sizes of this run; FLEETMEM_BENCH_ROWS sets how many rows the larger table has.

    Raises:
        ConfigInvalid: the variable is no number, or too small to show anything.
    """
    sizes = QUICK if quick else FULL
    # Not a setting of the product, so config.py does not know it.
    raw = os.environ.get(ROWS_VARIABLE, "")  # noqa: TID251
    if not raw:
        return sizes
    if not (raw.isascii() and raw.isdigit() and int(raw) >= FEWEST_ROWS):
        raise ConfigInvalid(f"{ROWS_VARIABLE} must be a whole number from {FEWEST_ROWS}", field=ROWS_VARIABLE)
    rows = int(raw)
    return replace(sizes, rows=rows, few_rows=min(sizes.few_rows, rows // 2))
