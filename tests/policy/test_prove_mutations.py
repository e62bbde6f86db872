"""The negative control: weaken a fence in one place, and the proof goes red, by the case that is there for it."""

import time
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from fleetmem.admin.prove import Deployment, prove
from fleetmem.admin.prove.verdict import Verdict, Way
from tests.clusters import Cluster
from tests.databases import Databases
from tests.policy.conftest import deployment
from tests.policy.mutations import OF_A_DATABASE, OF_THE_SERVER, Mutation


def wall_clock() -> float:
    return time.time()  # noqa: TID251 -- claims are held against the database's own clock


def names(mutations: tuple[Mutation, ...]) -> list[str]:
    return [each.name.replace(" ", "-") for each in mutations]


def red(target: Deployment, mutation: Mutation) -> tuple[Verdict, ...]:
    """Try the sections that must see the mutation; what failed."""
    proof = prove(target, wall_clock, (Way.DATABASE,), sections=mutation.sections)
    assert not proof.holds
    return proof.failed


def weaken(place: dict[str, object], mutation: Mutation) -> None:
    with psycopg.connect(**place) as owner:  # type: ignore[arg-type]
        if not isinstance(mutation.change, str):
            mutation.change(owner)
            return
        written = mutation.change.replace("{database}", sql.Identifier(str(place["dbname"])).as_string())
        owner.execute(written.replace("{owner}", sql.Identifier(str(place["user"])).as_string()).encode())


def test_there_are_many_mutations_and_each_has_a_name() -> None:
    every = (*OF_A_DATABASE, *OF_THE_SERVER)
    assert len({each.name for each in every}) == len(every) > 160


@pytest.mark.parametrize("mutation", OF_A_DATABASE, ids=names(OF_A_DATABASE))
def test_the_proof_goes_red(mutation: Mutation, postgres_cluster: Cluster, databases: Databases, cache: Path) -> None:
    place = databases.fresh(postgres_cluster)
    weaken(dict(place.psycopg()), mutation)
    failed = red(deployment(postgres_cluster, place, cache), mutation)
    assert mutation.unseen_by(failed) == [], [f"{verdict.id}: {verdict.got}" for verdict in failed]


@pytest.mark.parametrize("mutation", OF_THE_SERVER, ids=names(OF_THE_SERVER))
def test_the_proof_goes_red_for_the_whole_server(
    mutation: Mutation, lone_cluster: Cluster, databases: Databases, cache: Path
) -> None:
    if lone_cluster.major < mutation.since:
        pytest.skip(f"PostgreSQL {mutation.since} knows it first")
    place = databases.fresh(lone_cluster)
    try:
        weaken(dict(place.psycopg()), mutation)
        failed = red(deployment(lone_cluster, place, cache), mutation)
    finally:
        with psycopg.connect(**place.psycopg()) as owner:
            owner.execute(mutation.undo.encode())
    assert mutation.unseen_by(failed) == [], [f"{verdict.id}: {verdict.got}" for verdict in failed]


def state_of(place: dict[str, object]) -> list[object]:
    """What a server is like, as far as a statement that was allowed could change it for good."""
    questions = (
        "select datname from pg_database where not starts_with(datname, 'fleetmem_scratch_') order by 1",
        "select rolname, rolsuper, rolcanlogin, rolcreaterole, rolbypassrls, rolconnlimit from pg_roles order by 1",
        "select slot_name from pg_replication_slots",
        "select roname from pg_replication_origin",
        "select name, setting from pg_file_settings order by 1, 2",
        "select setrole, setdatabase, setconfig from pg_db_role_setting order by 1, 2",
        "select subname from pg_subscription",
        "select spcname from pg_tablespace order by 1",
        "select stats_reset from pg_stat_database where datname = current_database()",
        "select relname, relowner::regrole::text, relacl::text from pg_class where relname !~ '^pg_' order by 1",
        "select polname, pg_get_expr(polqual, polrelid) from pg_policy order by 1, 2",
        "select count(*) from pg_locks where locktype = 'advisory'",
    )
    with psycopg.connect(**place) as owner:  # type: ignore[arg-type]
        return [owner.execute(each.encode()).fetchall() for each in questions]


def test_a_proof_does_no_harm_where_everything_is_allowed(
    lone_cluster: Cluster, databases: Databases, cache: Path
) -> None:
    """Each login is a superuser: whatever is tried is done, and must be undone, or never have mattered."""
    place = databases.fresh(lone_cluster)
    logins = ("fleetmem_gateway", "fleetmem_console", "fleetmem_worker", "fleetmem_auditor")
    with psycopg.connect(**place.psycopg()) as owner:
        owner.execute("insert into fleet.audience (name) values ('real')")
        for login in logins:
            owner.execute(f"alter role {login} superuser".encode())
    try:
        before = state_of(dict(place.psycopg()))
        proof = prove(deployment(lone_cluster, place, cache), wall_clock, (Way.DATABASE,), sections="BCDEFGHIJKLNOQ")
        after = state_of(dict(place.psycopg()))
        with psycopg.connect(**place.psycopg()) as owner:
            kept = owner.execute("select name from fleet.audience").fetchall()
    finally:
        with psycopg.connect(**place.psycopg()) as owner:
            for login in logins:
                owner.execute(f"alter role {login} nosuperuser".encode())
    assert not proof.holds
    assert len(proof.failed) > 250
    assert proof.left.rows == {}
    assert kept == [("real",)]
    for was, is_ in zip(before, after, strict=True):
        assert is_ == was
