"""Where a server keeps its files.

::

    HOME/postgres/                  0700, ours; as root a link to /var/lib/fleetmem/<id>/ (root's, 0711), because the
        data/        PGDATA         user a root's server runs as cannot enter HOME, which is 0700
        run/         the socket     (as root; otherwise HOME/run)
        postgresql.conf pg_hba.conf written anew at every start, outside the data, so that the server cannot plant
        lock         who runs it    a link for root to write through
    HOME/secrets/postgres/password  0600, the superuser's
    HOME/log/postgres.log           0600

A socket's path has a limit of about 100 bytes: one too long goes to a private directory under the system's temporary one.
"""

import hashlib
import os
import secrets
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fleetmem.admin.postgres import account as accounts
from fleetmem.admin.postgres.account import Account
from fleetmem.errors import SetupInvalid

OUTSIDE: Final = Path("/var/lib/fleetmem")
# sun_path holds 104 bytes on macOS and 108 on Linux, a closing NUL included; the longest name is .s.PGSQL.65535.lock.
_SOCKET_PATH_BYTES: Final = 103
_TEMPORARY_PREFIX: Final = "fleetmem-"
_LONGEST_SOCKET: Final = ".s.PGSQL.65535"
# A comma separates hosts for libpq and directories for the server; quotes and backslashes are syntax to both.
_AWKWARD: Final = frozenset(",'\"\\%@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The files of one server, and as whom it runs."""

    folder: Path
    account: Account
    sockets: Path
    password: Path
    log: Path

    @property
    def data(self) -> Path:
        """PGDATA; it exists once initdb has finished."""
        return self.folder / "data"

    @property
    def config(self) -> Path:
        """postgresql.conf."""
        return self.folder / "postgresql.conf"

    @property
    def hba(self) -> Path:
        """pg_hba.conf."""
        return self.folder / "pg_hba.conf"

    @property
    def lock(self) -> Path:
        """Held, for as long as it lives, by the process that supervises the server."""
        return self.folder / "lock"


def settle(home: Path, *, outside: Path = OUTSIDE) -> Place:
    """Return the place of the server that belongs to `home`, making the directories that are missing.

    Raises:
        SetupInvalid: a directory that should be ours is another user's, a link, or open to others.
    """
    home = home.resolve()
    if "\n" in str(home):
        raise SetupInvalid("the data directory's path holds a line break", field="FLEETMEM_HOME")
    home.parent.mkdir(parents=True, exist_ok=True)
    own_directory(home)
    for name in ("secrets", "secrets/postgres", "log", "run"):
        own_directory(home / name)
    as_root = os.geteuid() == 0
    folder = _root_folder(home, outside) if as_root else own_directory(home / "postgres")
    data = folder / "data"
    account = accounts.choose(data.lstat() if data.exists() else None)
    sockets = folder / "run" if as_root else home / "run"
    return Place(
        folder=folder,
        account=account,
        sockets=_sockets(sockets, account),
        password=home / "secrets" / "postgres" / "password",
        log=home / "log" / "postgres.log",
    )


def vacate(here: Place) -> None:
    """Remove what a stopped server leaves outside its folder and its home: a temporary directory for its socket."""
    if _is_temporary(here.sockets):
        shutil.rmtree(here.sockets, ignore_errors=True)


def own_directory(path: Path, *, mode: int = 0o700, owner: Account | None = None) -> Path:
    """Make the directory, or accept one that is real, belongs to `owner` (None: to us) and none but it may write.

    Raises:
        SetupInvalid: something else is there, such as a directory or a link that somebody planted.
    """
    owner_uid = os.geteuid() if owner is None else owner.uid
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        found = path.lstat()
        ours = stat.S_ISDIR(found.st_mode) and found.st_uid == owner_uid and not found.st_mode & 0o022
        if not ours:
            raise SetupInvalid(
                f"{path} must be a directory that belongs to user {owner_uid} and that no other may write"
            ) from None
        return path
    if owner is not None and owner.drops_root:
        os.chown(path, owner.uid, owner.gid, follow_symlinks=False)
    path.chmod(mode)
    return path


def _root_folder(home: Path, outside: Path) -> Path:
    """Return what HOME/postgres points to, choosing it on the first run.

    The name is random and only the link says it: whoever deletes HOME begins anew, and one who moves it keeps the data.
    """
    link = home / "postgres"
    if link.is_symlink():
        return _linked(link)
    if link.exists():
        raise SetupInvalid(f"{link} is a normal user's server; run fleetmem as that user, not as root")
    own_directory(outside, mode=0o755)
    folder = own_directory(outside / secrets.token_hex(6), mode=0o711)
    (folder / "home").write_text(f"{home}\n", encoding="utf-8")  # for people: nothing reads it
    link.symlink_to(folder)
    return folder


def _linked(link: Path) -> Path:
    folder = link.readlink()
    if not folder.is_dir():
        raise SetupInvalid(f"{link} points to {folder}, which is gone; restore it, or remove the link to begin anew")
    return own_directory(folder)


def _sockets(preferred: Path, account: Account) -> Path:
    """Return a directory for the socket: `preferred`, or where its path cannot be used a private temporary one."""
    digest = hashlib.sha256(os.fsencode(preferred)).hexdigest()[:12]
    name = f"{_TEMPORARY_PREFIX}{os.geteuid()}-{digest}"
    # own_directory refuses one that somebody else made first.
    folders = (tempfile.gettempdir(), "/tmp")  # noqa: S108
    for path in (preferred, *(Path(folder).resolve() / name for folder in folders)):
        if not _AWKWARD & set(str(path)) and len(os.fsencode(path / _LONGEST_SOCKET)) <= _SOCKET_PATH_BYTES:
            return own_directory(path, owner=account)
    raise SetupInvalid(f"no directory has a path short enough for a socket: neither {preferred} nor {folders[0]}")


def _is_temporary(sockets: Path) -> bool:
    return sockets.name.startswith(_TEMPORARY_PREFIX)


def private_file(path: Path, text: str, *, mode: int = 0o600, owner: Account | None = None) -> None:
    """Write a file that appears whole or not at all, readable by `owner` (None: by us) as `mode` says."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(descriptor)
        if owner is not None and owner.drops_root:
            os.fchown(descriptor, owner.uid, owner.gid)
        os.fchmod(descriptor, mode)
    draft.replace(path)
