"""Where a client speaks to, and with which token."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx

from fleetmem import config
from fleetmem.errors import ConfigInvalid, Unauthenticated
from fleetmem.ids import is_bearer


@dataclass(frozen=True, slots=True)
class Access:
    """An address that may be told a token, and the token, which no `repr` shows; `token_file` where it was read from one."""

    url: httpx.URL
    token: str = field(repr=False)
    token_file: Path | None = None

    @property
    def is_encrypted(self) -> bool:
        """Whether requests travel over TLS."""
        return self.url.scheme == "https"

    def headers(self) -> dict[str, str]:
        """Return what every request carries."""
        return {"authorization": f"Bearer {self.token}", "accept": "application/json"}

    def reread(self) -> Access:
        """Return access with the token that its file holds by now; itself where that is the same, or cannot be told."""
        if self.token_file is None:
            return self
        try:
            token = _token(None, self.token_file)
        except ConfigInvalid:
            return self
        return self if token in {None, self.token} else replace(self, token=token)


def find(
    *, url: str | None, token: str | None, token_file: Path | None, insecure: bool, to_console: bool = False
) -> Access:
    """Take what was given, and the rest from the environment: FLEETMEM_URL, FLEETMEM_TOKEN, FLEETMEM_TOKEN_FILE.

    `to_console` means the operators' console, which is FLEETMEM_CONSOLE_URL.

    Raises:
        ConfigInvalid: the address is unusable, would send the token in the clear to another machine, or a token is
            none by its shape; the token is never repeated.
        Unauthenticated: there is no token anywhere.
    """
    settings = config.load()
    if token is None and token_file is None:
        token, token_file = settings.token, settings.token_file
    return Access(
        url=_address(url or (settings.console_url if to_console else settings.url), insecure=insecure),
        token=_token(token, token_file) or _missing(),
        token_file=token_file if token is None else None,
    )


def _address(text: str, *, insecure: bool) -> httpx.URL:
    try:
        url = httpx.URL(text.rstrip("/") + "/")
    except httpx.InvalidURL as error:
        raise ConfigInvalid("the gateway's address is not a URL", field="FLEETMEM_URL", rule="value") from error
    if url.scheme not in {"http", "https"} or not url.host or url.userinfo or url.query or url.fragment:
        raise ConfigInvalid(
            "the gateway's address must be http:// or https:// with a host, and hold no credentials and no query",
            field="FLEETMEM_URL",
            rule="value",
        )
    if url.scheme == "http" and not insecure and not is_loopback(url.host):
        raise ConfigInvalid(
            f"{url.host} is another machine, and http:// would send the token there in the clear; use https://",
            field="FLEETMEM_URL",
            rule="insecure",
        )
    return url


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine, by name or number; a name that merely resolves to it is not."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _token(token: str | None, token_file: Path | None) -> str | None:
    if token is None and token_file is not None:
        try:
            token = token_file.read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "not a text"
            raise ConfigInvalid(
                f"the token file {token_file} cannot be read: {why}", field="FLEETMEM_TOKEN_FILE", rule="unreadable"
            ) from error
    if token is None:
        return None
    token = token.strip()
    if not is_bearer(token):
        raise ConfigInvalid(
            "the token is not one of fleetmem's: `fm_` and 43 characters", field="FLEETMEM_TOKEN", rule="format"
        )
    return token


def _missing() -> str:
    raise Unauthenticated("no token: set FLEETMEM_TOKEN_FILE to the file that `fleetmem token issue` wrote")
