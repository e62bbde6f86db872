"""Token buckets: how fast one agent may send, and how fast one peer may guess at tokens."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from fleetmem.errors import RateLimited


class Buckets:
    """One bucket a name. Each holds up to `burst` and refills at `per_s`; a name that was not seen has a full one.

    At most `most_names` are kept; the one that was used longest ago is dropped, which only ever gives it a full bucket.
    """

    __slots__ = ("_buckets", "_burst", "_most_names", "_per_s")

    def __init__(self, *, per_s: float, burst: int, most_names: int = 10_000) -> None:
        """Allow `per_s` a second in the long run and `burst` at once; `per_s` 0 allows everything."""
        self._per_s = per_s
        self._burst = float(burst)
        self._most_names = most_names
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str, *, now_s: float) -> None:
        """Take one from a name's bucket.

        Raises:
            RateLimited: it is empty; says in how many whole seconds it is not.
        """
        if not self._per_s:
            return
        left = self._left(name, now_s)
        if left < 1:
            raise RateLimited(retry_after_s=math.ceil((1 - left) / self._per_s))
        self._buckets[name] = (left - 1, now_s)
        self._buckets.move_to_end(name)
        if len(self._buckets) > self._most_names:
            self._buckets.popitem(last=False)

    def put_back(self, name: str) -> None:
        """Return one to a name's bucket: what was taken turned out to be owed to nobody."""
        left, since_s = self._buckets.get(name, (self._burst, 0.0))
        self._buckets[name] = (min(self._burst, left + 1), since_s)

    def _left(self, name: str, now_s: float) -> float:
        left, since_s = self._buckets.get(name, (self._burst, now_s))
        return min(self._burst, left + (now_s - since_s) * self._per_s)


class Places:
    """How many things of one name may go on at once."""

    __slots__ = ("_each", "_taken")

    def __init__(self, *, each: int) -> None:
        """Allow each name this many."""
        self._each = each
        self._taken: Counter[str] = Counter()

    @contextmanager
    def held(self, name: str) -> Iterator[None]:
        """Hold a place while the block runs.

        Raises:
            RateLimited: all of the name's are taken.
        """
        if self._taken[name] >= self._each:
            raise RateLimited(retry_after_s=1)
        self._taken[name] += 1
        try:
            yield
        finally:
            self._taken[name] -= 1
            if not self._taken[name]:
                del self._taken[name]
