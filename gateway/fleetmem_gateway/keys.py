"""The signing keys of one process: files that are read again when they change, so that a rotation needs no restart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from fleetmem.errors import ConfigInvalid
from fleetmem.fleet import claims
from fleetmem.fleet.agent import Rol
from fleetmem.fleet.claims import SigningKey

# How often a running process looks whether a key file was replaced. `fleetmem key rotate --now` lets the old key live for
# two seconds more, so that every process has let go of it by then.
LOOK_S: Final = 0.5


class KeyFile:
    """One key.json. A file that is away or half written for a moment leaves the key that was read before."""

    __slots__ = ("_key", "_looked_s", "_path", "_seen")

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            ConfigInvalid: it cannot be read, or holds no key.
        """
        self._path = path
        self._looked_s = float("-inf")
        try:
            self._seen = path.stat().st_mtime_ns
            self._key = claims.read_key(path.read_bytes())
        except OSError as error:
            raise ConfigInvalid(f"the signing key {path} cannot be read: {error.strerror}") from error

    def current(self) -> SigningKey:
        """Return the key, read again where the file's modification time is another."""
        try:
            seen = self._path.stat().st_mtime_ns
            if seen != self._seen:
                self._key, self._seen = claims.read_key(self._path.read_bytes()), seen
        except (OSError, ConfigInvalid):
            return self._key
        return self._key

    def lately(self, now_s: float) -> SigningKey:
        """Return the key as it was less than half a second ago; cheap enough to ask for each request."""
        if now_s - self._looked_s >= LOOK_S:
            self._looked_s = now_s
            self.current()
        return self._key


class Keyring:
    """The keys of one process, one for each kind of bearer it may vouch for."""

    __slots__ = ("_files",)

    def __init__(self, paths: Mapping[Rol, Path]) -> None:
        """Read every key.

        Raises:
            ConfigInvalid: a file is unreadable, or its key vouches for another kind of bearer.
        """
        self._files = {rol: KeyFile(path) for rol, path in paths.items()}
        for rol, file in self._files.items():
            if file.current().rol is not rol:
                raise ConfigInvalid(f"the signing key {paths[rol]} is not one for the role {rol}")

    @property
    def rols(self) -> tuple[Rol, ...]:
        """The kinds of bearer this process may vouch for."""
        return tuple(self._files)

    def mint(self, rol: Rol, *, subject: str, bearer_id: str, unix_s: float) -> str:
        """Sign a claim for a bearer, for a minute."""
        return claims.mint(self._files[rol].current(), subject, bearer_id, unix_s)

    def lately(self, rol: Rol, *, now_s: float) -> SigningKey:
        """Return the key that signs now, or did half a second ago; `now_s` is on the monotonic clock."""
        return self._files[rol].lately(now_s)

    def header(self, rol: Rol) -> str:
        """Return the JOSE header of the claims minted now, as PyJWT really writes it."""
        return self.mint(rol, subject="self-check", bearer_id="self-check", unix_s=0).partition(".")[0]
