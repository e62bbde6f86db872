"""What every job works with."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from structlog.typing import FilteringBoundLogger

from fleetmem.memory.policy import Policy
from fleetmem.memory.segment import Rules
from fleetmem.models.extractor import Extractor
from fleetmem.worker.metrics import Metrics
from fleetmem.worker.recognition import Recognition
from fleetmem.worker.session import Session

OFF: Final = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """One worker's door to the database, its folder of workspaces, its models and rules, its log and its counters."""

    session: Session
    workspaces: Path
    extractor: Extractor
    recognition: Recognition
    policy: Policy = field(repr=False)
    rules: Rules
    log: FilteringBoundLogger
    metrics: Metrics

    @property
    def distils(self) -> bool:
        """Tell whether anything is distilled; where it is not, segments wait."""
        return self.recognition.is_on and self.extractor.name != OFF
