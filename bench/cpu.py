"""How much processor time a process and its descendants have used: the figure that other load on the machine moves least."""

import contextlib
from pathlib import Path

import psutil


def seconds(pid: int | None) -> float:
    """User and system seconds of a process, of its living descendants, and of the children each has waited for.

    A Postgres backend that ended is thereby still counted, as its postmaster's. 0 for None.
    """
    if pid is None:
        return 0.0
    root = psutil.Process(pid)
    total = 0.0
    for each in (*root.children(recursive=True), root):
        with contextlib.suppress(psutil.NoSuchProcess):
            spent = each.cpu_times()
            total += spent.user + spent.system + spent.children_user + spent.children_system
    return total


def thread_seconds(pid: int) -> float:
    """User and system seconds of a process with one thread, such as a backend: to the nanosecond where Linux tells."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9
    except OSError:
        spent = psutil.Process(pid).cpu_times()
        return spent.user + spent.system
