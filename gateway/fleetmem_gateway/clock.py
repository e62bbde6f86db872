"""The one place where the gateway reads a clock; everything below is handed the time."""

from __future__ import annotations

import time
from datetime import UTC, datetime

# Seconds that only ever grow, for lifetimes and limits.
monotonic_s = time.monotonic
# Unix time in seconds, for claims.
unix_s = time.time  # noqa: TID251 -- this is the one place


def now() -> datetime:
    """Return the present moment, in UTC."""
    return datetime.now(UTC)  # noqa: TID251 -- this is the one place
