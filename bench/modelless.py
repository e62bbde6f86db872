"""The worker as it ships, but for its model: `python -m bench.modelless`. What it takes is everything except a model's time.

Its encoder is the one of the tests, which knows no meaning. The product refuses that one outside tests, so it is put in its
place here, in a process that serves a fleet which is thrown away.
"""

import sys
from dataclasses import dataclass
from typing import Any, ClassVar

from fleetmem.admin.services import Worker
from fleetmem.config import Settings
from fleetmem.models.fake import Fake
from fleetmem.worker import recognition, serve


@dataclass(slots=True)
class Modelless(Worker):
    """That worker as a child of a throw-away fleet."""

    module: ClassVar[str] = "bench.modelless"


def main() -> int:
    """Run it until it is told to stop; return the exit code."""
    opens: Any = recognition
    opens.open_encoder = _fake
    return serve.main([])


def _fake(settings: Settings) -> Fake:
    del settings
    return Fake()


if __name__ == "__main__":
    sys.exit(main())
