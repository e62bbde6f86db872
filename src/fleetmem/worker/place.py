"""Where the worker's database is, and the login and password it opens it with."""

from __future__ import annotations

import json
from typing import Any, Final, TypedDict, cast

import psycopg
from psycopg.conninfo import conninfo_to_dict

from fleetmem.config import Settings
from fleetmem.errors import ConfigInvalid

LOGIN: Final = "fleetmem_worker"
_TAKEN: Final = ("host", "port", "dbname", "sslmode", "sslrootcert")


class Address(TypedDict, total=False):
    """How to reach the database, as psycopg spells it."""

    host: str
    port: int
    user: str
    password: str
    dbname: str
    sslmode: str
    sslrootcert: str
    application_name: str


def address(settings: Settings) -> Address:
    """Return where the database is, by setting or as the data directory says, and how this process logs in.

    Raises:
        ConfigInvalid: neither says where it is, or the password cannot be read.
    """
    where = _told(settings) if settings.service_database_url is not None else _recorded(settings)
    named = {name: where[name] for name in _TAKEN if where.get(name) is not None}
    named |= {"port": int(named.get("port", 5432)), "dbname": named.get("dbname", "fleetmem")}
    own = {"user": LOGIN, "password": _password(settings), "application_name": "fleetmem worker"}
    return cast("Address", named | own)


def _told(settings: Settings) -> dict[str, Any]:
    variable = "FLEETMEM_SERVICE_DATABASE_URL"
    try:
        return {"host": "localhost", **conninfo_to_dict(settings.service_database_url or "")}
    except psycopg.Error as error:
        raise ConfigInvalid(f"{variable} is not a connection URL", field=variable) from error


def _recorded(settings: Settings) -> dict[str, Any]:
    path = settings.home / "run" / "database.json"
    try:
        recorded: dict[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigInvalid(
            f"set FLEETMEM_SERVICE_DATABASE_URL, or run `fleetmem up` first: {path} cannot be read",
            field="FLEETMEM_SERVICE_DATABASE_URL",
        ) from error
    return recorded


def _password(settings: Settings) -> str:
    path = settings.service_password_file or settings.home / "secrets" / LOGIN / "password"
    try:
        word = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigInvalid(
            f"the password of {LOGIN} cannot be read from {path}: {error.strerror}",
            field="FLEETMEM_SERVICE_PASSWORD_FILE",
        ) from error
    if not word:
        raise ConfigInvalid(f"the password file {path} is empty", field="FLEETMEM_SERVICE_PASSWORD_FILE")
    return word
