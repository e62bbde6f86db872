"""Scratch databases: one for a piece of work, gone with it, also after Ctrl-C; those of killed runs are swept.

Each is held, for as long as its run lives, by an advisory lock in the server's maintenance database. A scratch database
whose lock is free belongs to nobody any more.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, cast
from zlib import crc32

import psycopg
from psycopg import sql

from fleetmem.admin.database import Conninfo, owner

PREFIX: Final = "fleetmem_scratch_"
_LOCK_CLASS: Final = 0x5C7A7C  # "scratch"; the second half of the lock's key is the name's checksum


@contextmanager
def scratch(conninfo: Conninfo) -> Iterator[Conninfo]:
    """A new, empty database on the same server, dropped when the block ends, however it ends."""
    dbname = PREFIX + secrets.token_hex(6)
    with keeper(conninfo) as connection:
        sweep(connection)
        hold(connection, dbname)
        try:
            connection.execute(
                sql.SQL("create database {} template template0 encoding 'UTF8'").format(sql.Identifier(dbname))
            )
            yield cast("Conninfo", {**conninfo, "dbname": dbname})
        finally:
            drop(connection, dbname)


@contextmanager
def keeper(conninfo: Conninfo) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A connection to the maintenance database outside any transaction, as CREATE DATABASE and the locks want it."""
    with owner(cast("Conninfo", {**conninfo, "dbname": "postgres"})) as connection:
        connection.autocommit = True
        yield cast("psycopg.Connection[tuple[Any, ...]]", connection)


def hold(connection: psycopg.Connection[Any], dbname: str) -> None:
    """Mark a scratch database as a living run's, until the connection ends."""
    connection.execute("select pg_advisory_lock(%s, %s)", [_LOCK_CLASS, _key(dbname)])


def sweep(connection: psycopg.Connection[Any]) -> int:
    """Drop the scratch databases that killed runs left behind; how many there were."""
    swept = 0
    for dbname in abandoned(connection):
        with _held(connection, dbname) as is_free:
            if is_free:
                drop(connection, dbname)
                swept += 1
    return swept


def abandoned(connection: psycopg.Connection[Any]) -> list[str]:
    """The scratch databases that no living run holds."""
    rows = connection.execute("select datname from pg_database where starts_with(datname, %s) order by 1", [PREFIX])
    found = []
    for (dbname,) in rows.fetchall():
        with _held(connection, dbname) as is_free:
            found += [str(dbname)] if is_free else []
    return found


def drop(connection: psycopg.Connection[Any], dbname: str) -> None:
    """Drop a scratch database and whoever is connected to it."""
    connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(dbname)))


def _key(dbname: str) -> int:
    return crc32(dbname.encode()) - 2**31


@contextmanager
def _held(connection: psycopg.Connection[Any], dbname: str) -> Iterator[bool]:
    """Hold a scratch database's lock if nobody else does; whether it was free."""
    key = [_LOCK_CLASS, _key(dbname)]
    is_free = connection.execute("select pg_try_advisory_lock(%s, %s)", key).fetchone() == (True,)
    try:
        yield is_free
    finally:
        if is_free:
            connection.execute("select pg_advisory_unlock(%s, %s)", key)
