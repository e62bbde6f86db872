"""What every job works with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from structlog.typing import FilteringBoundLogger

from fleetmem.worker.metrics import Metrics
from fleetmem.worker.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """One worker's door to the database, its folder of workspaces, its log and its counters."""

    session: Session
    workspaces: Path
    log: FilteringBoundLogger
    metrics: Metrics
