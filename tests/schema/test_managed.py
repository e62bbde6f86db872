"""A server whose owner has no superuser, as managed ones are: what verify and backup say there."""

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import psycopg
import pytest

from fleetmem.admin import backup as backups
from fleetmem.admin import database, verify
from fleetmem.admin.database import Conninfo
from fleetmem.admin.postgres import EmbeddedPostgres
from fleetmem.errors import SetupInvalid

NOW: Final = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def rented() -> Iterator[Conninfo]:
    """The owner's way to a fleet that a login made which may create roles and databases, and nothing more."""
    with tempfile.TemporaryDirectory(prefix="fleetmem-managed-", ignore_cleanup_errors=True) as folder:
        server = EmbeddedPostgres(Path(folder), fast=True)
        server.start()
        try:
            with psycopg.connect(**server.conninfo().psycopg()) as superuser:
                superuser.execute("create role landlord login createrole createdb password 'rented'")
            here = server.conninfo("fleetmem", "landlord", "rented").psycopg()
            database.prepare(here)
            yield here
        finally:
            server.erase()


def test_it_is_held_to_what_its_owner_could_apply_and_says_what_it_could_not_look_at(rented: Conninfo) -> None:
    report = verify.verify(rented)
    assert report.is_clean, [finding.sentence() for finding in report.findings]
    assert any("not superuser" in what for what in report.unseen)


def test_a_change_is_found_there_too(rented: Conninfo) -> None:
    with database.owner(rented) as connection:
        expected = verify.declared(rented, connection)
        connection.execute("set local role fleetmem_owner")
        connection.execute("alter policy agent_reads on fleet.beat using (true)")
        connection.execute("reset role")
        named = [finding.what for finding in verify.inspect(connection, expected).findings]
        connection.rollback()
    assert any("agent_reads on fleet.beat" in what for what in named)


def test_a_backup_that_would_be_empty_there_is_refused(rented: Conninfo, tmp_path: Path) -> None:
    with pytest.raises(SetupInvalid, match="fleetmem_backup"):
        backups.backup(rented, tmp_path / "never.tar", now=NOW)
    assert list(tmp_path.iterdir()) == []
