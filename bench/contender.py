"""Whoever takes part in a throughput round, and what a round costs the processes behind it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from bench import cpu
from bench.sample import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """`run` sends work for that many seconds; `service_pid` is who answers it before the database, None where nobody is.

    `opening_s` is the processor time the server spends on the contender's connections before any work is done.
    """

    what: str
    run: Callable[[float], Sample]
    postgres_pid: int
    service_pid: int | None = None
    opening_s: float = 0.0

    def measured(self, seconds: float) -> Sample:
        """One round, with the processor time of both sides a request."""
        before = cpu.seconds(self.service_pid), cpu.seconds(self.postgres_pid)
        sample = self.run(seconds)
        service_s = cpu.seconds(self.service_pid) - before[0]
        postgres_s = cpu.seconds(self.postgres_pid) - before[1] - self.opening_s
        return replace(
            sample,
            service_us=None if self.service_pid is None else 1e6 * service_s / sample.requests,
            postgres_us=1e6 * max(0.0, postgres_s) / sample.requests,
        )
