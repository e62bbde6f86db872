"""How often and how long a client waits when the service cannot answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """At most `retries` more tries. A pause doubles from `first_pause_s`; none is longer than `longest_pause_s`."""

    retries: int = 4
    first_pause_s: float = 0.1
    longest_pause_s: float = 10.0

    def pause_s(self, tried: int, *, retry_after_s: float | None, jitter: float) -> float | None:
        """Return how long to wait before the next try, or None to give up.

        `tried` counts the tries that failed, from 1. The service's own wish is honoured when it can be, and when it
        wants more than the longest pause there is no next try. `jitter` is 0 to 1: the doubled pause is cut by up to
        half, so that clients which failed together do not return together.
        """
        if tried > self.retries:
            return None
        backed_off = min(self.first_pause_s * 2.0 ** (tried - 1), self.longest_pause_s) * (1 - jitter / 2)
        if retry_after_s is None:
            return backed_off
        return None if retry_after_s > self.longest_pause_s else max(retry_after_s, backed_off)
