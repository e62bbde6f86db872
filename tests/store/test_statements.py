"""Every named statement is one that the database takes, with columns by name and values by placeholder."""

import re

import pytest

from fleetmem import sql
from fleetmem.store.session import Session
from tests.store.door import Door

CONSOLE_ONLY = {name for name in sql.names() if name.startswith("console_")}
WORKERS_ONLY = {name for name in sql.names() if name.startswith("worker_")}


@pytest.mark.parametrize("name", sorted(sql.names()))
async def test_the_statement_can_be_prepared_by_the_login_that_sends_it(door: Door, name: str) -> None:
    import asyncpg  # noqa: PLC0415

    login = (
        "fleetmem_console"
        if name in CONSOLE_ONLY
        else "fleetmem_worker"
        if name in WORKERS_ONLY
        else "fleetmem_gateway"
    )
    way = door.cluster.login(login, door.database.dbname)
    connection = await asyncpg.connect(
        host=way.host, port=way.port, user=way.user, password=way.password, database=way.dbname
    )
    try:
        await connection.prepare(sql.statement(name))
    finally:
        await connection.close()


@pytest.mark.parametrize("name", sorted(sql.names()))
def test_the_statement_selects_no_star(name: str) -> None:
    assert re.search(r"select\s+\*|\.\*", sql.statement(name)) is None


def test_an_undeclared_statement_is_an_error() -> None:
    with pytest.raises(KeyError):
        sql.statement("beat_delete")


async def test_a_row_that_is_not_there_is_none(door: Door) -> None:
    async with door.session() as session:
        assert isinstance(session, Session)
        assert await session.row("bearer_resolve", b"\0" * 32, "agent") is None
