"""Connections as each login, kept for the whole run, and one statement tried over them and undone."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import Cursor, errors

from fleetmem.admin.database import Conninfo
from fleetmem.admin.prove.case import ADMIN, Who
from fleetmem.admin.prove.setting import Connection
from fleetmem.errors import Unavailable

_COPY: Final = "copy "
_SET_OPTION_SINCE: Final = 160_000
# An attempt that gets through must not hold up the fleet that it is tried on.
_PATIENCE: Final = "set local lock_timeout = '3s'; set local statement_timeout = '20s';"


@dataclass(frozen=True, slots=True)
class Got:
    """What a statement came to: its SQLSTATE and message where it failed, else rows and first value; warnings' SQLSTATEs."""

    state: str | None = None
    message: str = ""
    rows: int = 0
    first: object = None
    warnings: tuple[str, ...] = ()


class Sessions:
    """One connection a login, opened when it is first needed; `fresh` opens another for a scenario of several."""

    def __init__(self, admin: Conninfo, logins: Mapping[str, Conninfo]) -> None:
        self._ways = {ADMIN: admin, **logins}
        self._kept: dict[str, Connection] = {}
        self._opened: list[Connection] = []

    def of(self, login: str) -> Connection:
        """Return the kept connection of a login; opened again where the server ended it."""
        kept = self._kept.get(login)
        if kept is None or kept.closed:
            kept = self._kept[login] = self.fresh(login)
        return kept

    def fresh(self, login: str) -> Connection:
        """Open one more connection as a login.

        Raises:
            Unavailable: the server does not let it in.
        """
        try:
            opened: Connection = psycopg.connect(
                **self._ways[login],
                autocommit=True,
                prepare_threshold=None,  # psycopg would discard every prepared statement with a rollback, ours too
                application_name="fleetmem prove",
                connect_timeout=10,
            )
        except psycopg.OperationalError as error:
            raise Unavailable(f"no connection as {login}: {str(error).strip().splitlines()[-1]}") from error
        self._opened.append(opened)
        return opened

    def may_be(self, who: Who) -> bool:
        """Whether this identity can be had: the owner's login may become any role only where it is a superuser."""
        if who.login != ADMIN or who.role is None:
            return True
        admin = self.of(ADMIN)
        option = "set" if admin.info.server_version >= _SET_OPTION_SINCE else "member"
        return admin.execute("select pg_has_role(%s, %s)", [who.role, option]).fetchone() == (True,)

    def close(self) -> None:
        """End every connection that was opened."""
        for opened in self._opened:
            opened.close()


@contextmanager
def entered(connection: Connection, who: Who, token: str | None) -> Iterator[None]:
    """Stand in a transaction as `who`, with a claim bound; whatever happens in it is undone."""
    role = f"set local role {who.role};" if who.role else ""
    connection.execute(f"begin; {_PATIENCE} {role}".encode())
    try:
        if token is not None:
            connection.execute("select pg_catalog.set_config('fence.token', %s, true)", [token])
        yield
    finally:
        with suppress(psycopg.Error):
            connection.execute("rollback")


def attempt(connection: Connection, statement: str) -> Got:
    """Send a statement, or several, and say what came of the last one. Never raises for what the server refuses."""
    warned: list[str] = []

    def note(diagnostic: errors.Diagnostic) -> None:
        warned.append(diagnostic.sqlstate or "")

    connection.add_notice_handler(note)
    try:
        got = _copied(connection, statement) if statement.startswith(_COPY) else _executed(connection, statement)
    except psycopg.Error as error:
        got = Got(state=error.sqlstate or "lost", message=error.diag.message_primary or type(error).__name__)
    finally:
        connection.remove_notice_handler(note)
    return Got(got.state, got.message, got.rows, got.first, tuple(warned))


def _executed(connection: Connection, statement: str) -> Got:
    cursor: Cursor[Any] = connection.execute(statement.encode())
    while cursor.nextset():
        pass
    first = cursor.fetchone() if cursor.description else None
    return Got(rows=max(cursor.rowcount, 0), first=first[0] if first else None)


def _copied(connection: Connection, statement: str) -> Got:
    cursor = connection.cursor()
    with cursor.copy(statement.encode()) as copy:
        rows = sum(1 for _ in copy.rows()) if "to stdout" in statement else 0
    return Got(rows=rows)
