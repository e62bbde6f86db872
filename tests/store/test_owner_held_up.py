"""Nobody with a service's login can keep the owner from acting by holding a transaction open."""

import psycopg
import pytest

from fleetmem.admin import database
from fleetmem.errors import Unavailable
from tests.clusters import Cluster
from tests.databases import Databases


def test_who_holds_the_owner_up_is_named_and_ended(postgres_cluster: Cluster, databases: Databases) -> None:
    fresh = databases.fresh(postgres_cluster)
    login = postgres_cluster.login("fleetmem_gateway", fresh.dbname)
    holder = psycopg.connect(**login.psycopg())
    holder.execute("set idle_in_transaction_session_timeout = 0")
    holder.execute("set role fleetmem_agent")
    holder.execute("select id from fleet.beat limit 0")
    with pytest.raises(Unavailable, match="1 sessions of fleetmem_gateway"):
        database.prepare(fresh.psycopg(), again=True)
    with pytest.raises(psycopg.OperationalError):
        holder.execute("select 1")
    holder.close()
    assert database.prepare(fresh.psycopg(), again=True).policies.is_empty
