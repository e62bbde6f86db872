"""A service refuses to start where it could do harm, and says in one sentence what to repair."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from fleetmem.errors import ConfigInvalid, FleetmemError, SetupInvalid
from fleetmem.fleet import claims
from fleetmem.fleet.agent import Rol
from fleetmem.store.pool import Address, open_pool
from fleetmem.store.session import Session
from fleetmem_gateway import app, startup
from fleetmem_gateway.keys import Keyring
from fleetmem_gateway.service import AGENTS, CONSOLE, Service, key_paths
from tests.http.fleet import Fleet


async def start_as(fleet: Fleet, service: Service, *, password: str) -> None:
    database = fleet.database
    address = Address(host=database.host, port=database.port, dbname=database.dbname)
    async with await open_pool(address, login=service.login, password=password, size=1) as pool:
        await startup.check(Session(pool, wait_s=5), service, Keyring(key_paths(fleet.settings, AGENTS)))


@contextmanager
def login(fleet: Fleet, powers: str, *, member_of: tuple[str, ...] = ()) -> Iterator[Service]:
    """Make a login of this server's own for one test; roles are shared by every database of a server."""
    name = f"fleetmem_test_{secrets.token_hex(4)}"
    with fleet.owner() as owner:
        owner.execute(sql.SQL("create role {} login noinherit password 'x' " + powers).format(sql.Identifier(name)))
        database = sql.Identifier(fleet.database.dbname)
        owner.execute(sql.SQL("grant connect on database {} to {}").format(database, sql.Identifier(name)))
        owner.execute(sql.SQL("grant usage on schema api to {}").format(sql.Identifier(name)))
        for role in member_of:
            owner.execute(sql.SQL("grant {} to {}").format(sql.Identifier(role), sql.Identifier(name)))
        try:
            yield Service(title="test", login=name, role="fleetmem_agent", keys={Rol.AGENT: "gateway/key.json"})
        finally:
            owner.execute(sql.SQL("drop owned by {} cascade").format(sql.Identifier(name)))
            owner.execute(sql.SQL("drop role {}").format(sql.Identifier(name)))


@pytest.mark.parametrize("power", ["superuser", "bypassrls", "createrole", "createdb", "replication"])
async def test_a_login_with_a_power_no_service_may_have_is_refused(fleet: Fleet, power: str) -> None:
    with login(fleet, power, member_of=("fleetmem_agent",)) as service, pytest.raises(SetupInvalid, match=power):
        await start_as(fleet, service, password="x")


async def test_a_login_that_owns_a_table_is_refused(fleet: Fleet) -> None:
    with login(fleet, "", member_of=("fleetmem_agent",)) as service:
        with fleet.owner() as owner:
            owner.execute("create schema if not exists attic")
            owner.execute("create table attic.thing (id int)")
            owner.execute(sql.SQL("alter table attic.thing owner to {}").format(sql.Identifier(service.login)))
        with pytest.raises(SetupInvalid, match="owner"):
            await start_as(fleet, service, password="x")


@pytest.mark.parametrize(
    "roles", [(), ("fleetmem_operator",), ("fleetmem_agent", "fleetmem_operator"), ("pg_read_all_data",)]
)
async def test_a_login_that_is_member_of_anything_but_its_one_role_is_refused(
    fleet: Fleet, roles: tuple[str, ...]
) -> None:
    with login(fleet, "", member_of=roles) as service, pytest.raises(SetupInvalid, match="alone"):
        await start_as(fleet, service, password="x")


async def test_the_products_own_logins_are_taken(fleet: Fleet) -> None:
    await app.preflight(AGENTS, fleet.settings)
    await app.preflight(CONSOLE, fleet.settings)


async def test_another_fence_is_refused(fleet: Fleet) -> None:
    with fleet.owner() as owner:
        owner.execute("update fence.applied set sha256 = reverse(sha256) where file = '10_claims.sql'")
        try:
            with pytest.raises(SetupInvalid, match="policies"):
                await app.preflight(AGENTS, fleet.settings)
        finally:
            owner.execute("update fence.applied set sha256 = reverse(sha256) where file = '10_claims.sql'")


async def test_a_key_the_database_does_not_know_is_refused(fleet: Fleet, tmp_path: Path) -> None:
    stranger = claims.SigningKey(kid="agent-stranger", key=b"\1" * 32, aud="fleetmem:x", rol=Rol.AGENT)
    path = tmp_path / "key.json"
    path.write_bytes(claims.write_key(stranger))
    with pytest.raises(SetupInvalid, match="key rotate"):
        await app.preflight(AGENTS, fleet.told(service_key_file=path))


async def test_a_key_for_operators_is_refused_by_the_agents_gateway(fleet: Fleet) -> None:
    path = fleet.settings.home / "secrets" / "console" / "operator.json"
    with pytest.raises(ConfigInvalid, match="role agent"):
        await app.preflight(AGENTS, fleet.told(service_key_file=path))


async def test_a_wrong_password_is_told_without_it(fleet: Fleet, tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("not-the-password\n")
    with pytest.raises(FleetmemError) as refused:
        await app.preflight(AGENTS, fleet.told(service_password_file=path))
    assert "not-the-password" not in refused.value.detail


@pytest.mark.parametrize(
    "missing", ["run/database.json", "secrets/fleetmem_gateway/password", "secrets/gateway/key.json"]
)
async def test_a_data_directory_without_a_part_is_refused_by_name(fleet: Fleet, tmp_path: Path, missing: str) -> None:
    for part in ("run/database.json", "secrets/fleetmem_gateway/password", "secrets/gateway/key.json"):
        if part != missing:
            (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / part).write_bytes((fleet.settings.home / part).read_bytes())
    with pytest.raises(ConfigInvalid, match=missing.rpartition("/")[2]):
        await app.preflight(AGENTS, fleet.told(home=tmp_path))


async def test_a_database_url_lends_its_place_and_not_its_user(fleet: Fleet) -> None:
    database = fleet.database
    url = f"postgresql://postgres:whatever@/{database.dbname}?host={database.host}&port={database.port}"
    await app.preflight(AGENTS, fleet.told(service_database_url=url))


def test_nothing_in_the_catalogue_is_left_by_these_tests(fleet: Fleet) -> None:
    with psycopg.connect(**fleet.database.psycopg()) as owner:
        assert owner.execute("select rolname from pg_roles where rolname like 'fleetmem_test_%'").fetchall() == []
