"""Which of the two services a process is, and where its database, password and keys are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

from fleetmem.config import Settings
from fleetmem.errors import ConfigInvalid
from fleetmem.fleet.agent import Rol
from fleetmem.store.pool import Address

_DEFAULT_PORT: Final = 5432


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One of the two: its database login, the one role it may become, and the bearers it may vouch for."""

    title: str
    login: str
    role: str
    keys: Mapping[Rol, str]


AGENTS: Final = Service(
    title="fleetmem: the agents' gateway",
    login="fleetmem_gateway",
    role="fleetmem_agent",
    keys={Rol.AGENT: "gateway/key.json"},
)
CONSOLE: Final = Service(
    title="fleetmem: the operators' console",
    login="fleetmem_console",
    role="fleetmem_operator",
    keys={Rol.OPERATOR: "console/operator.json", Rol.AUDITOR: "console/auditor.json"},
)


class _Recorded(msgspec.Struct):
    """run/database.json, as `fleetmem up` writes it."""

    host: str
    port: int
    dbname: str
    sslmode: str | None = None
    sslrootcert: str | None = None


def address(settings: Settings) -> Address:
    """Return where the database is: by setting, else as the data directory says.

    Raises:
        ConfigInvalid: the data directory does not say.
    """
    if settings.service_database_url is not None:
        return _from_url(settings.service_database_url, "FLEETMEM_SERVICE_DATABASE_URL")
    path = settings.home / "run" / "database.json"
    try:
        recorded = msgspec.json.decode(path.read_bytes(), type=_Recorded)
    except (OSError, msgspec.DecodeError) as error:
        raise ConfigInvalid(
            f"set FLEETMEM_SERVICE_DATABASE_URL, or run `fleetmem up` first: {path} cannot be read",
            field="FLEETMEM_SERVICE_DATABASE_URL",
        ) from error
    tls = (("sslmode", recorded.sslmode), ("sslrootcert", recorded.sslrootcert))
    options = tuple((name, value) for name, value in tls if value is not None)
    return Address(host=recorded.host, port=recorded.port, dbname=recorded.dbname, options=options)


def standby_address(settings: Settings, service: Service) -> Address | None:
    """Return where the standby is that answers this service's reads; the console always reads the primary.

    Raises:
        ConfigInvalid: the setting has no usable port.
    """
    if settings.read_url is None or service is not AGENTS:
        return None
    return _from_url(settings.read_url, "FLEETMEM_READ_URL")


def password(settings: Settings, service: Service) -> str:
    """Read the password of the service's login.

    Raises:
        ConfigInvalid: its file cannot be read, or is empty.
    """
    path = settings.service_password_file or settings.home / "secrets" / service.login / "password"
    try:
        word = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigInvalid(
            f"the password of {service.login} cannot be read from {path}: {error.strerror}",
            field="FLEETMEM_SERVICE_PASSWORD_FILE",
        ) from error
    if not word:
        raise ConfigInvalid(f"the password file {path} is empty", field="FLEETMEM_SERVICE_PASSWORD_FILE")
    return word


def key_paths(settings: Settings, service: Service) -> dict[Rol, Path]:
    """Return the file of each signing key: the console's two share one folder."""
    if settings.service_key_file is None:
        return {rol: settings.home / "secrets" / name for rol, name in service.keys.items()}
    if len(service.keys) == 1:
        return dict.fromkeys(service.keys, settings.service_key_file)
    return {rol: settings.service_key_file / Path(name).name for rol, name in service.keys.items()}


def _from_url(url: str, variable: str) -> Address:
    """Read a postgresql:// URL; its user and password are left aside."""
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    try:
        host = options.pop("host", None) or unquote(parts.hostname or "localhost")
        port = int(options.pop("port", 0) or parts.port or _DEFAULT_PORT)
    except ValueError as error:
        raise ConfigInvalid(f"{variable} has a port that is no number", field=variable) from error
    for taken in ("user", "password"):
        options.pop(taken, None)
    return Address(
        host=host, port=port, dbname=unquote(parts.path.lstrip("/")) or "fleetmem", options=tuple(options.items())
    )
