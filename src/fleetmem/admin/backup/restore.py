"""Bring a backup back, into an empty database, in one transaction.

Roles first, then the tables as they were when the backup was made, then the rows; only then the later migrations and the
policies. While rows are loaded there are no triggers yet, so nothing restamps who wrote a record and when; afterwards
everything that fences them is this version's own, triggers enabled ALWAYS included.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, cast

import psycopg
from psycopg import sql
from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import NullPool

from fleetmem.admin import database, migrate, policies
from fleetmem.admin.backup import archive, content, ledger
from fleetmem.admin.backup.archive import Archive
from fleetmem.admin.backup.manifest import Manifest
from fleetmem.admin.database import Conninfo
from fleetmem.errors import SetupInvalid

_Driver = psycopg.Connection[Any]
_ROWS_AT_ONCE: Final = 500
_OCCUPIED = """
select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
 where n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'
"""


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did: the backup's manifest, the migrations run after loading, and how many tokens it revoked.

    `ledger_faults` is what is wrong with the ledger's chain, which then was so when the backup was made.
    """

    manifest: Manifest
    migrated: tuple[str, ...]
    revoked: int
    ledger_faults: tuple[str, ...] = ()


def restore(conninfo: Conninfo, path: Path, *, keep_tokens: bool = False, pg_bin: Path | None = None) -> Restored:
    """Restore the file into the database that `conninfo` names, creating it where it does not exist.

    Every bearer token from before is revoked unless `keep_tokens`; one that was revoked stays so either way. No signing
    key comes back, so nothing can be read until new ones are registered.

    Raises:
        SetupInvalid: the database is not empty, or the file is damaged, foreign, too new, or not what its manifest says;
            the database is as it was.
    """
    with archive.opened(path) as opened:
        _check_known(opened.manifest)
        created = database.create(conninfo)
        try:
            return _restore(conninfo, opened, keep_tokens=keep_tokens, pg_bin=pg_bin)
        except BaseException:
            if created:
                _drop(conninfo)
            raise


def _restore(conninfo: Conninfo, backup: Archive, *, keep_tokens: bool, pg_bin: Path | None) -> Restored:
    manifest = backup.manifest
    with _transaction(conninfo) as (connection, driver):
        _check_fit(driver, manifest)
        policies.apply_roles(driver)
        connection.exec_driver_sql("create schema if not exists fence authorization fleetmem_owner")
        migrate.upgrade(connection, manifest.migration)
        _load(driver, backup, pg_bin)
        check(driver, manifest)
        faults = ledger.faults(driver, manifest.ledger_head)
        later = tuple(migrate.pending(connection))
        if later:
            migrate.upgrade(connection)
        policies.apply(driver)
        revoked = 0 if keep_tokens else _revoke_tokens(driver)
    return Restored(manifest, later, revoked, faults)


def check(connection: _Driver, manifest: Manifest) -> None:
    """Compare every table with the manifest, by count and content hash, and the ledger's head.

    Raises:
        SetupInvalid: a table differs; the message names each.
    """
    wrong = differing(connection, manifest)
    if wrong:
        raise SetupInvalid(f"what was restored is not what the manifest says: {'; '.join(wrong)}")


def differing(connection: _Driver, manifest: Manifest, *, but: tuple[str, ...] = ()) -> list[str]:
    """The tables that are not what the manifest says, each in words; `but` names those not to look at."""
    wrong = []
    with connection.transaction():
        connection.execute(content.CANONICAL)
        for name, expected in manifest.tables.items():
            if name in but:
                continue
            try:
                with connection.transaction():
                    found = content.measure(connection, name, expected.columns)
            except psycopg.Error as error:
                wrong.append(f"{name} cannot be read ({str(error).splitlines()[0]})")
                continue
            if found.rows != expected.rows:
                wrong.append(f"{name} has {found.rows} rows, not {expected.rows}")
            elif found != expected:
                wrong.append(f"{name} has the right number of rows and other content")
        if "fleet.ledger" not in but and manifest.ledger_head != ledger.ABSENT:
            wrong += _moved_ledger(connection, manifest.ledger_head)
    return wrong


def _moved_ledger(connection: _Driver, said: str) -> list[str]:
    try:
        with connection.transaction():
            found = ledger.head(connection)
    except psycopg.Error as error:
        return [f"the ledger cannot be read ({str(error).splitlines()[0]})"]
    return [] if found == said else [f"the ledger's head is {found}, not {said}"]


def _load(driver: _Driver, backup: Archive, pg_bin: Path | None) -> None:
    expected = backup.manifest.tables
    loaded = set()
    for name, columns, rows in backup.tables(pg_bin, driver.info.server_version // 10_000):
        if name not in expected or columns != expected[name].columns or name in loaded:
            raise SetupInvalid(f"the backup holds rows of {name} that its manifest does not speak of")
        loaded.add(name)
        into = sql.SQL("copy {} ({}) from stdin").format(
            sql.Identifier(*name.split(".")), sql.SQL(", ").join(map(sql.Identifier, columns))
        )
        try:
            # A migration may have put a first row there; the backup's stands in its place.
            driver.execute(sql.SQL("delete from {}").format(sql.Identifier(*name.split("."))))
            with driver.cursor() as cursor, cursor.copy(into) as copying:
                while block := b"".join(islice(rows, _ROWS_AT_ONCE)):
                    copying.write(block)
        except psycopg.Error as error:
            raise SetupInvalid(f"the rows of {name} cannot be loaded: {str(error).splitlines()[0]}") from error


def _revoke_tokens(driver: _Driver) -> int:
    return driver.execute("update vault.bearer set revoked_at = clock_timestamp() where revoked_at is null").rowcount


def _check_known(manifest: Manifest) -> None:
    if manifest.migration not in migrate.revisions():
        raise SetupInvalid(
            f"the backup's tables are of migration {manifest.migration}, which this version does not know: restore it with"
            f" fleetmem {manifest.fleetmem} or later"
        )


def _check_fit(driver: _Driver, manifest: Manifest) -> None:
    if driver.execute(_OCCUPIED).fetchone() != (0,):
        raise SetupInvalid(
            f"the database {driver.info.dbname} is not empty, and a restore never overwrites anything: name another one with"
            " --into, or set FLEETMEM_HOME to a new data directory"
        )
    if driver.execute("select rolsuper from pg_roles where rolname = current_user").fetchone() != (True,):
        raise SetupInvalid("a restore writes every row past row security, which takes a superuser's login")
    if driver.info.server_version // 10_000 < manifest.postgres_major:
        raise SetupInvalid(
            f"the backup is PostgreSQL {manifest.postgres}'s, which the programs of {driver.info.server_version // 10_000}"
            " cannot read: restore it into that version or a later one"
        )


def _drop(conninfo: Conninfo) -> None:
    with database.owner(cast("Conninfo", {**conninfo, "dbname": "postgres"})) as connection:
        connection.commit()
        connection.autocommit = True
        connection.execute(
            sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(conninfo["dbname"]))
        )


@contextmanager
def _transaction(conninfo: Conninfo) -> Iterator[tuple[Connection, _Driver]]:
    engine = create_engine(
        "postgresql+psycopg://", poolclass=NullPool, connect_args={**conninfo, "application_name": "fleetmem restore"}
    )
    with engine.connect() as connection, connection.begin():
        yield connection, cast("_Driver", connection.connection.driver_connection)
    engine.dispose()
