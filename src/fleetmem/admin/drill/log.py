"""What a drill has done so far: each check with its outcome, told as it happens."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from fleetmem.admin.deployment import Say


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that had to hold, whether it did, and what was seen."""

    step: str
    what: str
    held: bool
    seen: str


@dataclass(slots=True)
class Log:
    """The checks of one drill and how long each step took, in seconds."""

    say: Say
    steps: int
    checks: list[Check] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[Callable[[str, bool, str], None]]:
        """Announce a step; within it, call what this yields with what had to hold, whether it did, and what was seen."""
        self.say(f"[{len(self.seconds) + 1}/{self.steps}] {name} …")
        started = time.monotonic()

        def check(what: str, held: bool, seen: str = "") -> None:  # noqa: FBT001 -- reads as a sentence where it is called
            self.checks.append(Check(name, what, held, seen))
            if not held:
                self.say(f"      NOT SO: {what} ({seen})")

        try:
            yield check
        finally:
            self.seconds[name] = round(time.monotonic() - started, 2)

    @property
    def is_green(self) -> bool:
        """Whether every step was taken and every check held."""
        return len(self.seconds) == self.steps and all(check.held for check in self.checks)
