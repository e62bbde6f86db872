"""A file's lines as JSON objects, or as faults: too long, no UTF-8, NUL, too deep, no JSON, no object."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from fleetmem.memory.rollout.turns import Fault

LONGEST_LINE: Final = 16 << 20


def objects(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, dict[str, Any]] | Fault]:
    """Yield each line as an object with its number, or its fault; empty lines are passed over.

    A line longer than `LONGEST_LINE` octets may arrive cut one octet longer than that.
    """
    for number, octets in lines:
        if len(octets) > LONGEST_LINE:
            yield Fault(number, f"longer than {LONGEST_LINE} bytes")
        elif octets.strip():
            yield _read(number, octets)


def _read(number: int, octets: bytes) -> tuple[int, dict[str, Any]] | Fault:
    if b"\0" in octets:
        return Fault(number, "holds NUL")
    try:
        octets.decode()
    except UnicodeDecodeError:
        return Fault(number, "not UTF-8")
    try:
        read = msgspec.json.decode(octets)
    except RecursionError:
        return Fault(number, "nested too deep")
    except msgspec.MsgspecError:
        return Fault(number, "holds half a surrogate pair" if _is_json(octets) else "not JSON")
    return (number, read) if isinstance(read, dict) else Fault(number, "not a JSON object")


def _is_json(octets: bytes) -> bool:
    """Tell what msgspec refuses for a surrogate alone from what is no JSON: the standard library takes the former."""
    try:
        json.loads(octets)
    except (ValueError, RecursionError):
        return False
    return True
