"""Things compared are measured in turns: what slows the machine for a while slows all of them."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import TypeVar

K = TypeVar("K")
T = TypeVar("T")


def in_turns(contenders: Mapping[K, Callable[[], T]], *, rounds: int) -> dict[K, list[T]]:
    """Run every contender once a round; every other round goes through them backwards, so none always follows the same."""
    taken: dict[K, list[T]] = {name: [] for name in contenders}
    order = list(contenders)
    for _ in range(rounds):
        for name in order:
            taken[name].append(contenders[name]())
        order.reverse()
    return taken


def ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """The median of the ratios of the same rounds."""
    return median(one / other for one, other in zip(above, below, strict=True))
