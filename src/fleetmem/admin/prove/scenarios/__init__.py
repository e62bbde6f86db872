"""X. What takes more than one statement, or more than one session: several hands at once, and time passing."""

from typing import Final

from fleetmem.admin.prove.scenarios import concurrency, leavings, lifetimes, traces
from fleetmem.admin.prove.scenarios.scenario import Scenario, play

SCENARIOS: Final[tuple[Scenario, ...]] = (
    *traces.SCENARIOS,
    *leavings.SCENARIOS,
    *lifetimes.SCENARIOS,
    *concurrency.SCENARIOS,
)

__all__ = ["SCENARIOS", "Scenario", "play"]
