"""A folder for one piece of work, gone with it; those of killed runs are swept by the next."""

import fcntl
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_LOCK: Final = "lock"
_YOUNG_S: Final = 60.0  # one that was made a moment ago may not hold its lock yet


def forget(folder: Path) -> None:
    """Remove a folder and what is in it."""
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def workplace(parent: Path, prefix: str, clear: Callable[[Path], None] = forget) -> Iterator[Path]:
    """A new private folder in `parent`, removed by `clear` when the block ends; abandoned ones of its kind are first."""
    sweep(parent, prefix, clear)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        with (folder / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield folder
    finally:
        clear(folder)


def sweep(parent: Path, prefix: str, clear: Callable[[Path], None] = forget) -> int:
    """Clear the folders whose run is gone; how many there were."""
    swept = 0
    for folder in parent.glob(f"{prefix}*"):
        with suppress(OSError):
            if _is_abandoned(folder):
                clear(folder)
                swept += 1
    return swept


def _is_abandoned(folder: Path) -> bool:
    lock = folder / _LOCK
    if not lock.exists():
        return time.clock_gettime(time.CLOCK_REALTIME) - folder.stat().st_mtime > _YOUNG_S
    with lock.open("r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
