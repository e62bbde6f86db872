"""Counters for Prometheus. Labels are a route's template, a method and a status: never a name, a topic or an id."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
CONTENT_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """The metrics of one process."""

    __slots__ = ("_counters", "_durations", "_registry", "_requests", "_seconds", "in_flight")

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "fleetmem_http_requests_total", "Requests answered.", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "fleetmem_http_request_seconds",
            "How long an answer took.",
            ["method", "route"],
            registry=self._registry,
            buckets=_BUCKETS_S,
        )
        self.in_flight = Gauge("fleetmem_http_in_flight", "Requests being answered.", registry=self._registry)
        # `labels()` locks and looks up each time; there are only as many children as routes and statuses.
        self._counters: dict[tuple[str, str, int], Counter] = {}
        self._durations: dict[tuple[str, str], Histogram] = {}

    def observe(self, *, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answer."""
        counter = self._counters.get((method, route, status))
        if counter is None:
            counter = self._counters[method, route, status] = self._requests.labels(method, route, str(status))
            self._durations[method, route] = self._seconds.labels(method, route)
        counter.inc()
        self._durations[method, route].observe(seconds)

    def exposition(self) -> bytes:
        """Write every metric in Prometheus' text format."""
        return generate_latest(self._registry)
