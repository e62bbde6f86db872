"""How a drill ends before its end: a time limit, Ctrl-C, a SIGTERM. Each unwinds, so that everything made is removed."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TimeLimit(Exception):  # noqa: N818 -- what happened, as the error tree's own names say it
    """The drill took longer than it was allowed; no caller outside this package ever sees it."""


@contextmanager
def bounded(time_limit_s: float | None) -> Iterator[None]:
    """Raise in the main thread when the limit is reached or the process is asked to end, until the block ends.

    Raises:
        TimeLimit: `time_limit_s` seconds have passed; None is no limit.
        KeyboardInterrupt: SIGINT or SIGTERM.
    """

    def too_late(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise TimeLimit(f"it took longer than {time_limit_s:g} s")

    def asked(number: int, frame: FrameType | None) -> None:
        del number, frame
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: the rest is cleaning up
        raise KeyboardInterrupt

    before = {
        signal.SIGALRM: signal.signal(signal.SIGALRM, too_late),
        signal.SIGTERM: signal.signal(signal.SIGTERM, asked),
    }
    signal.setitimer(signal.ITIMER_REAL, time_limit_s or 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
