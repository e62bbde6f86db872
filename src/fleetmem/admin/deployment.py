"""One fleet's place: its database, and what its services find in the data directory.

::

    HOME/run/database.json          where the services' database is; no secret in it
    HOME/secrets/<login>/password   one file a login
    HOME/secrets/gateway/key.json   what the agents' gateway signs with
    HOME/secrets/console/*.json     what the operators' console signs with, one for operators and one for auditors
    HOME/tokens/<name>.token        the first token of everyone in the roster, minted once

Everything here is idempotent: what is there and works stays, what is missing or no longer fits is made.
"""

import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, cast

import psycopg
from psycopg.conninfo import conninfo_to_dict

from fleetmem.admin import database, keys, roster_sync, tokens
from fleetmem.admin.database import Conninfo
from fleetmem.admin.postgres import EmbeddedPostgres
from fleetmem.admin.postgres.place import own_directory, private_file
from fleetmem.config import Settings
from fleetmem.errors import ConfigInvalid, SetupInvalid
from fleetmem.fleet import claims, roster
from fleetmem.fleet.agent import Rol

DBNAME: Final = "fleetmem"
KEY_FILES: Final = {
    Rol.AGENT: Path("secrets/gateway/key.json"),
    Rol.OPERATOR: Path("secrets/console/operator.json"),
    Rol.AUDITOR: Path("secrets/console/auditor.json"),
}

Say = Callable[[str], None]
_Connection = psycopg.Connection[tuple[object, ...]]


def silent(line: str) -> None:
    """Say nothing: for callers that only want the work done."""
    del line


def external(settings: Settings) -> Conninfo | None:
    """The owner's way to a server of their own, from FLEETMEM_DATABASE_URL; None when the embedded one serves.

    Raises:
        ConfigInvalid: the URL is malformed. It is never repeated: it may hold a password.
    """
    if settings.database_url is None:
        return None
    try:
        parts = conninfo_to_dict(settings.database_url)
    except psycopg.Error as error:
        raise ConfigInvalid(
            "FLEETMEM_DATABASE_URL is not a connection URL such as postgresql://user@host:5432/fleetmem",
            field="FLEETMEM_DATABASE_URL",
        ) from error
    parts.setdefault("dbname", DBNAME)
    parts.setdefault("host", "localhost")
    return cast("Conninfo", {**parts, "port": int(parts.get("port") or 5432)})


def embedded(settings: Settings, *, fast: bool = False) -> EmbeddedPostgres:
    """The embedded server of this data directory, running or not."""
    return EmbeddedPostgres(settings.home, pg_bin=settings.pg_bin, fast=fast)


@contextmanager
def reach(settings: Settings, say: Say = silent, *, may_make: bool = False) -> Iterator[Conninfo]:
    """The owner's way to the fleet's database, for one command.

    An embedded server that `fleetmem up` runs is used as it is; one that does not run is started for the command and
    stopped after it. `may_make`: where the data directory holds no fleet, an empty server is made there.

    Raises:
        SetupInvalid: the data directory holds no fleet, and none may be made.
    """
    given = external(settings)
    if given is not None:
        yield given
        return
    exists = (settings.home / "postgres").exists()
    if not exists and not may_make:
        raise SetupInvalid(
            f"there is no fleet in {settings.home}: go to the folder of one, set FLEETMEM_HOME, or make one with `fleetmem up`",
            field="FLEETMEM_HOME",
        )
    server = embedded(settings)
    if exists and server.answers():
        yield server.conninfo(DBNAME).psycopg()
        return
    say("starting the embedded Postgres for this command …")
    with server:
        yield server.conninfo(DBNAME).psycopg()


def equip(settings: Settings, conninfo: Conninfo, say: Say = silent) -> None:
    """Bring database and data directory to what the services need: schema, fence, roster, passwords, keys, first tokens.

    Raises:
        RosterInvalid: the roster has errors; nothing of it is applied.
        SetupInvalid: what only the owner can decide.
    """
    home = own_directory(settings.home)
    done = database.prepare(conninfo)
    if done.migrations:
        say(f"migrated the database to {done.migrations[-1]}")
    if not done.policies.is_empty:
        say("applied the fence")
    for folder in ("run", "log", "tokens", "reports", "secrets"):
        own_directory(home / folder)
    _point_services(home, conninfo)
    _give_passwords(home, conninfo)
    declared = declared_roster(settings)
    with database.owner(conninfo) as connection:
        plan = roster_sync.sync(connection, declared)
        if plan.added:
            say(
                f"synced {settings.roster.name}: {len(declared.roles())} principals, {len(declared.audiences)} audiences"
            )
        else:
            for sentence in plan.sentences():
                say(f"synced {settings.roster.name}: {sentence}")
    with database.owner(conninfo) as connection:
        for rol in KEY_FILES:
            _ensure_key(connection, home, rol)
    with database.owner(conninfo) as connection:
        minted = [name for name in sorted(declared.roles()) if first_token(connection, home, name)]
    if minted:
        say(f"minted tokens for {', '.join(minted)} (in {home / 'tokens'})")


def declared_roster(settings: Settings) -> roster.Roster:
    """The roster as its file declares it.

    Raises:
        ConfigInvalid: the file cannot be read.
        RosterInvalid: it has errors.
    """
    return roster.parse(_roster_bytes(settings.roster), name=settings.roster.name)


def first_token(connection: _Connection, home: Path, name: str) -> bool:
    """Mint a principal's first token into HOME/tokens, unless it ever had one; True when it was minted now."""
    if tokens.listed(connection, name):
        return False
    _, token = tokens.issue(connection, name, label="first token")
    private_file(home / "tokens" / f"{name}.token", token + "\n")
    return True


def write_key(home: Path, key: claims.SigningKey) -> Path:
    """Put a key where its service reads it; the file changes whole or not at all."""
    path = home / KEY_FILES[key.rol]
    own_directory(path.parent)
    draft = path.with_suffix(".new")
    private_file(draft, claims.write_key(key).decode())
    draft.replace(path)
    return path


def read_password(home: Path, login: str) -> str:
    """The password of one of the product's logins.

    Raises:
        ConfigInvalid: the file is not there.
    """
    path = home / "secrets" / login / "password"
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigInvalid(f"{path} cannot be read: {error.strerror}; `fleetmem up` makes it") from error


def as_login(home: Path, conninfo: Conninfo, login: str) -> Conninfo:
    """The way to the same database as one of the product's logins."""
    return cast("Conninfo", {**conninfo, "user": login, "password": read_password(home, login)})


def _roster_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigInvalid(
            f"the roster {path} cannot be read: {error.strerror}; `fleetmem init` writes one", field="FLEETMEM_ROSTER"
        ) from error


def _point_services(home: Path, conninfo: Conninfo) -> None:
    wanted = {name: conninfo[name] for name in ("host", "port", "dbname", "sslmode", "sslrootcert") if name in conninfo}
    draft = home / "run" / "database.new"
    private_file(draft, json.dumps(wanted) + "\n")
    draft.replace(home / "run" / "database.json")


def _give_passwords(home: Path, conninfo: Conninfo) -> None:
    """Give each login a password of its own, unless the one in its file already opens the database."""
    for login in database.LOGINS:
        folder = own_directory(home / "secrets" / login)
        path = folder / "password"
        if path.exists() and _opens(as_login(home, conninfo, login)):
            continue
        with database.owner(conninfo) as connection:
            if not path.exists():
                _refuse_to_lock_out(connection, login)
                private_file(path, secrets.token_urlsafe(32) + "\n")
            database.set_password(connection, login, read_password(home, login))


def _refuse_to_lock_out(connection: _Connection, login: str) -> None:
    """Roles belong to the cluster: a new password here would lock out another fleet on the same server."""
    others = connection.execute(
        "select d.datname from pg_database d, aclexplode(d.datacl) a where a.grantee = %s::regrole"
        " and a.privilege_type = 'CONNECT' and d.datname <> current_database() and not d.datistemplate limit 1",
        [login],
    ).fetchone()
    if others is not None:
        raise SetupInvalid(
            f"the login {login} already serves the database {others[0]} of this server: copy its "
            f"secrets/{login}/password from that fleet's data directory into this one"
        )


def _opens(conninfo: Conninfo) -> bool:
    try:
        psycopg.connect(**conninfo, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def _ensure_key(connection: _Connection, home: Path, rol: Rol) -> None:
    path = home / KEY_FILES[rol]
    try:
        key = claims.read_key(path.read_bytes())
    except (OSError, ConfigInvalid):
        key = None
    if key is None or not keys.is_registered(connection, key):
        fresh = keys.register(connection, rol)
        keys.retire_others(connection, fresh)
        write_key(home, fresh)
