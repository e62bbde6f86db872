"""What one contender did in one round."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Requests a second, how many there were, and latencies; CPU is in microseconds a request, None where there is none."""

    per_s: float
    requests: int
    mean_ms: float | None = None
    p50_ms: float | None = None
    p99_ms: float | None = None
    service_us: float | None = None
    postgres_us: float | None = None
