"""Who the bearer is."""

from __future__ import annotations

from msgspec import Struct

from fleetmem.wire.base import Described


class Me(Struct, frozen=True, kw_only=True):
    """Who the bearer is: what it may read and write, and which colleagues it may hand work to."""

    name: str
    description: str
    reads: list[str]
    writes: list[str]
    audiences: list[Described]
    colleagues: list[Described]
