"""A server whose owner's login is no superuser, as managed ones are: the fence stands, and doctor says what stays open."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from fleetmem.admin import database, deployment, doctor, keys, roster_sync, tokens
from fleetmem.admin.database import Conninfo
from fleetmem.admin.doctor import State
from fleetmem.config import load
from fleetmem.fleet import claims, roster
from fleetmem.fleet.agent import Rol
from tests.process.servers import Make

ROSTER = Path(__file__).parents[2] / "roster.yaml"


@pytest.fixture
def managed(make: Make) -> Conninfo:
    """The owner's way to a database that does not exist yet, as a login that may create roles and databases."""
    server = make()
    server.start()
    with psycopg.connect(**server.conninfo().psycopg()) as superuser:
        superuser.execute("create role landlord login createrole createdb password 'rented'")
    return server.conninfo("fleetmem", "landlord", "rented").psycopg()


def test_the_fence_stands_without_a_superuser_and_doctor_names_what_stays_open(
    managed: Conninfo, tmp_path: Path
) -> None:
    first = database.prepare(managed)
    assert first.created
    assert first.migrations
    again = database.prepare(managed)
    assert again.policies.is_empty
    assert not again.migrations
    assert database.prepare(managed, again=True).policies.is_empty

    declared = roster.parse(ROSTER.read_bytes())
    with database.owner(managed) as landlord:
        roster_sync.sync(landlord, declared)
        assert roster_sync.plan(landlord, declared).is_empty
        key = keys.register(landlord, Rol.AGENT)
        now = time.time()  # noqa: TID251 -- the wall clock is what the database compares with
        claim_of = {
            name: claims.mint(key, name, tokens.issue(landlord, name)[0], now) for name in ("health", "finance")
        }
        database.set_password(landlord, "fleetmem_gateway", "only here")

    login: Conninfo = {**managed, "user": "fleetmem_gateway", "password": "only here"}
    with psycopg.connect(**login, autocommit=True) as gateway:
        publish = (
            "select (doc::json ->> 'id')::uuid from api.beat_publish(%s, null, null, 'pulse', 'calm', 'health', null)"
        )
        row = gateway.execute(publish, [claim_of["health"]]).fetchone()
        assert row is not None
        read = "select api.beat_get(%s, %s)"
        assert gateway.execute(read, [claim_of["health"], row[0]]).fetchone()
        with pytest.raises(psycopg.errors.NoDataFound):
            gateway.execute(read, [claim_of["finance"], row[0]])
        gateway.execute("set role fleetmem_agent")
        assert gateway.execute("select count(*) from fleet.beat").fetchone() == (0,)

    host, dbname = managed["host"], managed["dbname"]
    url = f"postgresql://landlord:rented@/{dbname}?host={host}&port={managed['port']}"
    settings = replace(load({}), home=tmp_path / "home", roster=ROSTER, database_url=url)
    findings = doctor.examine(settings, datetime(2026, 1, 1, tzinfo=UTC))
    told = {finding.what: finding for finding in findings}
    assert told["fence"].state is State.SOUND
    assert told["fence lints"].state is State.SOUND
    for left_open in ("language plpgsql", "catalogue functions", "leakproof text operators"):
        assert told[left_open].state is State.OPEN
        assert told[left_open].found
    assert dbname == deployment.DBNAME
