"""A crew of its own for each test: a fresh database and an empty folder of workspaces."""

from pathlib import Path

import pytest

from tests.clusters import Cluster
from tests.databases import Databases
from tests.worker import crew as crews
from tests.worker.crew import Crew


@pytest.fixture
def crew(postgres_cluster: Cluster, databases: Databases, tmp_path: Path) -> Crew:
    return crews.make(postgres_cluster, databases.fresh(postgres_cluster), tmp_path)
