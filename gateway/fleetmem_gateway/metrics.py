"""Counters for Prometheus. Labels are a route's template, a method and a status: never a name, a topic or an id.

Counted in plain integers and handed over when Prometheus asks: one event loop writes them, so the locks that
prometheus-client takes for each of its own counters would cost more than the counting.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

# Upper bounds in seconds; the last bucket takes the rest.
_BOUNDS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_BOUND_NAMES: Final = (*map(str, _BOUNDS_S), "+Inf")
CONTENT_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"


class Metrics(Collector):
    """The metrics of one process."""

    __slots__ = ("_buckets", "_requests", "_seconds", "in_flight")

    def __init__(self) -> None:
        self.in_flight = 0
        self._requests: dict[tuple[str, str, int], int] = {}
        self._seconds: dict[tuple[str, str], float] = {}
        self._buckets: dict[tuple[str, str], list[int]] = {}

    def observe(self, *, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answer."""
        of_route = (method, route)
        answered = (method, route, status)
        self._requests[answered] = self._requests.get(answered, 0) + 1
        if of_route not in self._buckets:
            self._buckets[of_route] = [0] * len(_BOUND_NAMES)
        self._buckets[of_route][bisect_left(_BOUNDS_S, seconds)] += 1
        self._seconds[of_route] = self._seconds.get(of_route, 0.0) + seconds

    def collect(self) -> Iterator[Metric]:
        """Hand the counts over in prometheus-client's own form."""
        requests = CounterMetricFamily("fleetmem_http_requests", "Answers.", labels=["method", "route", "status"])
        for (method, route, status), count in self._requests.items():
            requests.add_metric([method, route, str(status)], count)
        yield requests
        seconds = HistogramMetricFamily("fleetmem_http_request_seconds", "Time to answer.", labels=["method", "route"])
        for of_route, buckets in self._buckets.items():
            cumulative = list(zip(_BOUND_NAMES, accumulate(buckets), strict=True))
            seconds.add_metric(of_route, cumulative, sum_value=self._seconds[of_route])
        yield seconds
        yield GaugeMetricFamily("fleetmem_http_in_flight", "Requests being answered now.", value=self.in_flight)

    def exposition(self) -> bytes:
        """Write every metric in Prometheus' text format."""
        registry = CollectorRegistry()
        registry.register(self)
        return generate_latest(registry)
