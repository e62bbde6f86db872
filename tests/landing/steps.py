"""Every call into the operating system that an act makes, with something done just before one of them.

The product has no hooks for tests: Python's profiler reports each call of a C function, so "between every two steps" is
meant literally.
"""

import os
import signal
import sys
from collections.abc import Callable
from io import BufferedWriter
from typing import Any

_MODULES = frozenset({"posix", "fcntl"})
_HARMLESS = frozenset({"geteuid", "fspath", "fsencode"})


def interrupted(act: Callable[[], object], at: int, intruder: Callable[[], object]) -> bool:
    """Run `act`, calling `intruder` just before system call number `at`; False where `act` made fewer."""
    seen = 0

    def profile(_frame: Any, event: str, called: Any) -> None:
        nonlocal seen
        if event != "c_call" or not _is_system_call(called):
            return
        seen += 1
        if seen > at:
            sys.setprofile(None)
            intruder()

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        act()
    finally:
        sys.setprofile(before)
    return seen > at


def kill_myself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _is_system_call(called: Any) -> bool:
    if isinstance(getattr(called, "__self__", None), BufferedWriter):
        return True
    return getattr(called, "__module__", None) in _MODULES and called.__name__ not in _HARMLESS
