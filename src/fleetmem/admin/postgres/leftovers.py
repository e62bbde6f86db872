"""What an earlier run left behind: a postmaster whose supervisor was killed, backends whose postmaster was, lock files.

Called only by whoever holds the place's lock, so nothing found here has a supervisor any more.
"""

import signal
from contextlib import suppress
from pathlib import Path

import psutil

_FAST_S = 30.0  # disconnects everyone, writes a checkpoint
_IMMEDIATE_S = 10.0  # no checkpoint; the next start replays the log
# A process that has just ended, or that is another user's and so no server of ours.
_NOT_OURS = (psutil.NoSuchProcess, psutil.AccessDenied)


def processes(data: Path) -> list[psutil.Process]:
    """Return every process of a server whose data directory this is: they all work in it."""
    folder = str(data.resolve())
    return [process for process in psutil.process_iter() if _works_in(process, folder)]


def stop(data: Path) -> int:
    """End every process of the server on `data`, gently first; return how many there were."""
    found = processes(data)
    postmaster = next((process for process in found if _is_postmaster(process)), None)
    if postmaster is not None:
        _end([postmaster], signal.SIGINT, _FAST_S)
    # Backends whose postmaster was killed listen to nobody until their statement ends; so does one that is stuck.
    _end(processes(data), signal.SIGQUIT, _IMMEDIATE_S)
    _end(processes(data), signal.SIGKILL, _IMMEDIATE_S)
    return len(found)


def clear_lock_files(data: Path, sockets: Path) -> None:
    """Remove lock files that name a process which is gone.

    The server looks only whether some process has that number now, and after a machine's restart another one may.
    """
    (data / "postmaster.pid").unlink(missing_ok=True)
    for path in sockets.glob(".s.PGSQL.*"):
        path.unlink(missing_ok=True)


def _end(found: list[psutil.Process], number: signal.Signals, patience_s: float) -> None:
    for process in found:
        with suppress(*_NOT_OURS):
            process.send_signal(number)
    psutil.wait_procs(found, timeout=patience_s)


def _is_postmaster(process: psutil.Process) -> bool:
    """Whether this is the server itself: every process it starts retitles itself, as in "postgres: checkpointer"."""
    with suppress(*_NOT_OURS):
        return not "".join(process.cmdline()).startswith("postgres:")
    return False


def _works_in(process: psutil.Process, folder: str) -> bool:
    with suppress(*_NOT_OURS):
        return process.name().startswith("postgres") and process.cwd() == folder
    return False
