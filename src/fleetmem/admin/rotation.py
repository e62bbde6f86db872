"""Replace a credential under running services, with no moment in which neither the old nor the new one is valid.

Each rotation is three steps, each in a transaction of its own and safe to stop after: the new one is valid, its holder's
file changes whole, the old one ends. Stopped in between it leaves one credential too many, which the next rotation ends.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from fleetmem.admin import database, deployment, keys, tokens
from fleetmem.admin.database import Conninfo
from fleetmem.admin.postgres.place import private_file
from fleetmem.admin.tokens import Token
from fleetmem.fleet.agent import Rol

AT_ONCE: Final = timedelta(0)
# For a key that leaked: the half second in which a gateway notices its new file, and time for what is in flight to end.
KEY_AT_ONCE: Final = timedelta(seconds=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRotated:
    """The key that signs now, its file, and when the one before ends; None where there was none."""

    kid: str
    path: Path
    old_until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRotated:
    """The new token's id and file, and the tokens that end for it, with `expires_at` or `revoked_at` saying when."""

    id: str
    path: Path
    ended: tuple[Token, ...]


def rotate_key(home: Path, conninfo: Conninfo, rol: Rol, *, overlap: timedelta = keys.OVERLAP) -> KeyRotated:
    """Give the service that signs for `rol` a new key."""
    with database.owner(conninfo) as connection:
        fresh = keys.register(connection, rol)
    path = deployment.write_key(home, fresh)
    with database.owner(conninfo) as connection:
        until = keys.retire_others(connection, fresh, overlap=overlap)
    return KeyRotated(kid=fresh.kid, path=path, old_until=until)


def rotate_token(
    path: Path, conninfo: Conninfo, principal: str, *, overlap: timedelta = AT_ONCE, only: str | None = None
) -> TokenRotated:
    """Put a new token of a principal into the file `path`, and end its others, or the one of the id `only`.

    Raises:
        Absent: nobody active has this name, or no live token that id; nothing is changed.
    """
    draft = path.with_name(f"{path.name}.new")
    with database.owner(conninfo) as connection:
        if only is not None:
            tokens.require_live(connection, only, principal)
        label = _label(tokens.listed(connection, principal), only)
        token_id, secret = tokens.issue(connection, principal, label=label)
        private_file(draft, secret + "\n")
    draft.replace(path)
    with database.owner(conninfo) as connection:
        ended = tokens.end_others(connection, token_id, overlap=overlap, only=only)
    return TokenRotated(id=token_id, path=path, ended=tuple(ended))


def _label(known: list[Token], only: str | None) -> str:
    """Carry the replaced token's label over: it says which place the token is for."""
    replaced = [each.label for each in known if each.revoked_at is None and only in {None, each.id}]
    return replaced[-1] if replaced else ""
