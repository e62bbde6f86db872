"""A door of their own for each module of tests."""

import pytest

from tests.clusters import Cluster
from tests.databases import Databases
from tests.store.door import Door, make_door


@pytest.fixture(scope="module")
def door(postgres_cluster: Cluster, databases: Databases) -> Door:
    return make_door(postgres_cluster, databases.fresh(postgres_cluster))
