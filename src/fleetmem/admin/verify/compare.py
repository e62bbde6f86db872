"""The difference between two fences, without repeating itself: of an object that is missing, only that is said."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from fleetmem.admin.verify.rows import Row


@dataclass(frozen=True, slots=True)
class Difference:
    """Where one object differs in one respect: the values that only one side has; both where a value was replaced."""

    kind: str
    object: str
    declared: tuple[str, ...]
    live: tuple[str, ...]


# The rows of these kinds say that an object exists; a difference in them explains every other row about the object.
_EXISTENCE = {
    "role": ("role attribute", "role limits"),
    "schema": ("schema owner", "schema privilege"),
    "relation": (
        "relation owner",
        "row security",
        "relation persistence",
        "relation option",
        "replica identity",
        "relation privilege",
    ),
    "column": ("column statistics", "column option", "column privilege"),
    "function": (
        "function volatility",
        "function leakproof",
        "function parallel",
        "function strictness",
        "function result",
        "function body",
    ),
    "trigger": ("trigger state",),
    "type": ("type privilege",),
    "language": ("language privilege",),
}


def differences(declared: Iterable[Row], live: Iterable[Row]) -> list[Difference]:
    """Compare both ways; in the order of kind and object."""
    declared, live = frozenset(declared), frozenset(live)
    only_declared, only_live = _by_object(declared - live), _by_object(live - declared)
    known, found = {row[:2] for row in declared}, {row[:2] for row in live}
    return [
        Difference(kind, name, tuple(sorted(only_declared[kind, name])), tuple(sorted(only_live[kind, name])))
        for kind, name in sorted(only_declared.keys() | only_live.keys())
        if not _explained(kind, name, known, found)
    ]


def _by_object(rows: Iterable[Row]) -> dict[tuple[str, str], list[str]]:
    grouped: dict[tuple[str, str], list[str]] = defaultdict(list)
    for kind, name, value in rows:
        grouped[kind, name].append(value)
    return grouped


def _explained(kind: str, name: str, known: set[tuple[str, str]], found: set[tuple[str, str]]) -> bool:
    """Whether the object itself is new or gone, so that what it is like needs no words of its own."""
    for whole, parts in _EXISTENCE.items():
        if kind in parts:
            return ((whole, name) in known) is not ((whole, name) in found)
    if kind in {"column", "policy", "trigger", "constraint", "index", "foreign key trigger"}:
        table = name.rsplit(".", 1)[0] if kind == "column" else name.rsplit(" on ", 1)[-1]
        return (("relation", table) in known) is not (("relation", table) in found) and kind not in {"policy", "index"}
    return False
