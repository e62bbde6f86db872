"""Counters of one worker for Prometheus. Labels are kinds of jobs, outcomes and rule ids: never a name or an id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server

_BOUNDS_S: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
_LOOPBACK: Final = "127.0.0.1"


class Metrics:
    """The metrics of one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._jobs = self._counter("jobs", "Jobs ended, by kind and outcome.", "job", "outcome")
        self._seconds = Histogram(
            "fleetmem_worker_job_seconds", "Time in a job.", ["job"], buckets=_BOUNDS_S, registry=self.registry
        )
        self._notes = self._counter("notes", "Notes proposed, by what became of them.", "outcome")
        self._redactions = self._counter("redactions", "Redactions in notes, by rule.", "rule")
        self._quarantines = self._counter("quarantines", "Quarantines of notes, by rule.", "rule")
        self._landings = self._counter("landings", "Landings, by what became of them.", "outcome")

    def _counter(self, name: str, doc: str, *labels: str) -> Counter:
        return Counter(f"fleetmem_worker_{name}", doc, list(labels), registry=self.registry)

    def job(self, kind: str, outcome: str, seconds: float) -> None:
        """Count a job that ended."""
        self._jobs.labels(kind, outcome).inc()
        self._seconds.labels(kind).observe(seconds)

    def note(self, outcome: str, *, redacted_by: Iterable[str], quarantined_by: Iterable[str]) -> None:
        """Count a note and the rules that struck it."""
        self._notes.labels(outcome).inc()
        for rule in redacted_by:
            self._redactions.labels(rule).inc()
        for rule in quarantined_by:
            self._quarantines.labels(rule).inc()

    def landing(self, outcome: str) -> None:
        """Count what became of a landing."""
        self._landings.labels(outcome).inc()

    @contextmanager
    def served(self, port: int) -> Iterator[None]:
        """Answer Prometheus on a port of the loopback; 0 serves nobody.

        Raises:
            OSError: something else listens there.
        """
        if not port:
            yield
            return
        server, thread = start_http_server(port, addr=_LOOPBACK, registry=self.registry)
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
