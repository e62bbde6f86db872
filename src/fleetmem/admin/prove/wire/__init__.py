"""W. The second way: requests forged over the wire, with httpx and, where that is too well-behaved, with a bare socket."""

from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.verdict import Verdict
from fleetmem.admin.prove.wire import bodies, console, records, smuggling, teams, tokens
from fleetmem.admin.prove.wire.forged import Forged, judged
from fleetmem.admin.prove.wire.line import Line

AT_THE_GATEWAY: Final[tuple[Forged, ...]] = (
    *tokens.FORGED,
    *smuggling.FORGED,
    *bodies.FORGED,
    *records.FORGED,
    *teams.FORGED,
)
AT_THE_CONSOLE: Final[tuple[Forged, ...]] = console.FORGED


def play(gateway: Line, console_line: Line | None) -> Iterator[Verdict]:
    """Send every forged request to the gateway, and to the console where there is one."""
    for forged in AT_THE_GATEWAY:
        yield judged(gateway, forged)
    for forged in AT_THE_CONSOLE if console_line is not None else ():
        yield judged(console_line or gateway, forged)
