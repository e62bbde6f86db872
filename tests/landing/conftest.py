"""Where landing is tested a thousand times over."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

_MEMORY = Path("/dev/shm")  # noqa: S108 -- a file system on which a sync costs nothing


@pytest.fixture
def quick() -> Iterator[Path]:
    """A folder in memory where the system has such a place: nothing that is tested there has to survive a power cut."""
    with TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        yield Path(folder)
