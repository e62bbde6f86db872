"""What tests of whole processes share: folders that others may enter, and servers of their own."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fleetmem.admin.postgres import EmbeddedPostgres
from tests.process.servers import Make


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users may enter but not change, as /var/lib is; pytest's own is closed to them."""
    made = Path(tempfile.mkdtemp(prefix="fleetmem-process-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def make(folder: Path) -> Iterator[Make]:
    """Make a server that is not started yet, in HOME `folder`/home unless told; it is erased when the test ends."""
    made: list[EmbeddedPostgres] = []

    def server(home: Path = folder / "home", **options: Any) -> EmbeddedPostgres:
        made.append(EmbeddedPostgres(home, **{"fast": True, "outside": folder / "outside", **options}))
        return made[-1]

    yield server
    for each in made:
        each.stop()
    for each in made:
        each.erase()
