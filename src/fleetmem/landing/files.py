"""Files of a workspace, reached one component at a time, relative to an open directory, and never through a link.

Whoever runs in a workspace may change it while we work. Each step therefore holds the directory it works in by its
descriptor, so that a directory swapped for a link between two steps leaves us in the old one or refuses us; what is not a
plain file with one name is not touched, because a hard link or a pipe would carry bytes in or out.

A file changes by rename: a draft beside it is written, synced and renamed over it, and the directory is synced, so that
lost power leaves the old file or the new one. The draft has one name per file, so that whoever comes next removes what a
killed lander left. Every failure is a `WorkspaceRefused`: `field` is the path within the workspace, `rule` one of
`not-plain`, `changed`, `read-only`, `owner`, `too-large`, `permission`, `no-space`, `system`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from fleetmem.errors import WorkspaceRefused

LARGEST_BYTES: Final = 1_048_576
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK a pipe put in a file's place would hold us until somebody writes into it.
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_RULES: Final = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "no-space"),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "permission"),
    **dict.fromkeys((errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.EXDEV, errno.ENXIO), "not-plain"),
    **dict.fromkeys((errno.EEXIST, errno.ENOENT), "changed"),
}


@dataclass(frozen=True, slots=True)
class Folder:
    """An open directory; `path` is what messages call it, relative to the workspace (empty for the workspace itself)."""

    descriptor: int
    path: str

    def names(self, name: str) -> str:
        """Return what messages call an entry."""
        return f"{self.path}/{name}" if self.path else name


@dataclass(frozen=True, slots=True)
class Found:
    """A plain file as it was read."""

    content: bytes
    status: os.stat_result


@contextmanager
def opened(parent: Folder, name: str, *, may_be_mount: bool = False) -> Iterator[Folder]:
    """Open a directory inside another one.

    Raises:
        FileNotFoundError: there is none.
        WorkspaceRefused: it is a link or no directory, or, unless `may_be_mount`, another file system is mounted there.
    """
    path = parent.names(name)
    what = kind(parent, name)
    if what not in {"directory", None}:
        raise WorkspaceRefused(f"{path} is a {what}, not a directory", field=path, rule="not-plain")
    with _told(path, absent_passes=True):
        descriptor = os.open(name, _DIRECTORY, dir_fd=parent.descriptor)
    try:
        if not may_be_mount and os.fstat(descriptor).st_dev != os.fstat(parent.descriptor).st_dev:
            raise WorkspaceRefused(f"{path} is another file system", field=path, rule="not-plain")
        yield Folder(descriptor, path)
    finally:
        os.close(descriptor)


@contextmanager
def made(parent: Folder, name: str) -> Iterator[Folder]:
    """Open a directory inside another one, making it where it is missing.

    Raises:
        FileNotFoundError: somebody removed it at once.
        WorkspaceRefused: as `opened`.
    """
    path = parent.names(name)
    is_new = False
    with _told(path), suppress(FileExistsError):
        _refuse_read_only(os.fstat(parent.descriptor), parent.path or ".")
        os.mkdir(_component(name), 0o700, dir_fd=parent.descriptor)
        is_new = True
    with opened(parent, name) as folder:
        if is_new:
            with _told(path):
                _hand_over(folder.descriptor, os.fstat(parent.descriptor), bits=0o777)
                os.fsync(parent.descriptor)
        yield folder


def kind(folder: Folder, name: str) -> str | None:
    """Return what an entry is, without opening it: `file`, `directory`, a word for what is refused, None for nothing."""
    try:
        with _told(folder.names(name), absent_passes=True):
            status = os.stat(_component(name), dir_fd=folder.descriptor, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return _kind(status)


def entries(folder: Folder) -> list[str]:
    """Return the names in a directory, in order."""
    with _told(folder.path or "."):
        return sorted(os.listdir(folder.descriptor))  # noqa: PTH208 -- a descriptor has no path


def read(folder: Folder, name: str) -> Found | None:
    """Read a plain file whole; None where there is none.

    Raises:
        WorkspaceRefused: it is a link, has a second name, is no plain file, or has more than 1 MiB.
    """
    path = folder.names(name)
    try:
        with _told(path, absent_passes=True):
            # Looked at before it is opened: opening a device can already do something.
            _refuse_odd(os.stat(_component(name), dir_fd=folder.descriptor, follow_symlinks=False), path)
            descriptor = os.open(name, _READ, dir_fd=folder.descriptor)
    except FileNotFoundError:
        return None
    with _told(path), os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        _refuse_odd(status, path)
        content = file.read(LARGEST_BYTES + 1)
        if len(content) > LARGEST_BYTES:
            raise WorkspaceRefused(f"{path} has more than {LARGEST_BYTES} bytes", field=path, rule="too-large")
        return Found(content, status)


def replace(folder: Folder, name: str, content: bytes, found: Found | None) -> None:
    """Put `content` in the place of what was read before as `found` (None: of nothing), whole or not at all.

    Raises:
        WorkspaceRefused: the file has changed since, is not ours to write, or the disk is full.
    """
    path, draft = folder.names(name), draft_of(_component(name))
    _refuse_read_only(os.fstat(folder.descriptor), folder.path or ".")
    if found is not None:
        _refuse_read_only(found.status, path)
        if os.geteuid() not in {0, found.status.st_uid}:
            raise WorkspaceRefused(f"{path} belongs to another user", field=path, rule="owner")
    with _told(path):
        sweep(folder, name)
        try:
            _write(folder, draft, content, found)
            _refuse_changed(folder, name, found)
            os.rename(draft, name, src_dir_fd=folder.descriptor, dst_dir_fd=folder.descriptor)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft, dir_fd=folder.descriptor)
            raise
        os.fsync(folder.descriptor)


def discard(folder: Folder, name: str, found: Found) -> None:
    """Remove a file that is still as it was read.

    Raises:
        WorkspaceRefused: it has changed since, or is not ours to remove.
    """
    with _told(folder.names(name)):
        _refuse_read_only(os.fstat(folder.descriptor), folder.path or ".")
        _refuse_changed(folder, name, found)
        os.unlink(name, dir_fd=folder.descriptor)
        os.fsync(folder.descriptor)


def discard_empty(parent: Folder, name: str) -> bool:
    """Remove a directory if nothing is in it, and tell whether it is gone."""
    try:
        os.rmdir(_component(name), dir_fd=parent.descriptor)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    os.fsync(parent.descriptor)
    return True


def sweep(folder: Folder, name: str) -> None:
    """Remove the draft that a killed lander left beside a file: it holds what was to be written."""
    draft = draft_of(name)
    with _told(folder.names(draft)), suppress(FileNotFoundError):
        os.unlink(draft, dir_fd=folder.descriptor)


def draft_of(name: str) -> str:
    """Return the name under which a file's next content is written."""
    return f".{name}.fleetmem-draft"


def _write(folder: Folder, draft: str, content: bytes, found: Found | None) -> None:
    descriptor = os.open(draft, _CREATE, 0o600, dir_fd=folder.descriptor)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        like = found.status if found is not None else os.fstat(folder.descriptor)
        _hand_over(descriptor, like, bits=0o777 if found is not None else 0o666)
        os.fsync(descriptor)


def _hand_over(descriptor: int, like: os.stat_result, *, bits: int) -> None:
    """Give what we made the mode of its neighbour, and as root its owner: an agent reads it where it reads the rest."""
    if os.geteuid() == 0:
        os.fchown(descriptor, like.st_uid, like.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(like.st_mode) & bits & 0o777 | 0o600)


def _refuse_changed(folder: Folder, name: str, found: Found | None) -> None:
    path = folder.names(name)
    try:
        now = os.stat(name, dir_fd=folder.descriptor, follow_symlinks=False)
    except FileNotFoundError:
        now = None
    if (now and _identity(now)) != (found and _identity(found.status)):
        raise WorkspaceRefused(f"{path} was changed by somebody else meanwhile", field=path, rule="changed")


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_nlink, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _refuse_odd(status: os.stat_result, path: str) -> None:
    what = _kind(status)
    if what != "file":
        raise WorkspaceRefused(f"{path} is a {what}, not a plain file", field=path, rule="not-plain")


def _refuse_read_only(status: os.stat_result, path: str) -> None:
    # Asked of the mode and not of the system: a rename would replace a read-only file, and root may write anything.
    if not status.st_mode & stat.S_IWUSR:
        raise WorkspaceRefused(f"{path} is read-only", field=path, rule="read-only")


def _kind(status: os.stat_result) -> str:
    if stat.S_ISREG(status.st_mode):
        return "file" if status.st_nlink == 1 else "file with a second name (hard link)"
    words = {stat.S_IFDIR: "directory", stat.S_IFLNK: "symbolic link", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}
    return words.get(stat.S_IFMT(status.st_mode), "device")


def _component(name: str) -> str:
    """Hold a name to one path component; the callers' own rules are stricter, and this is the last look."""
    if name in {"", ".", ".."} or "/" in name or "\0" in name:
        raise WorkspaceRefused("a path within a workspace would leave it", field=repr(name), rule="not-plain")
    return name


@contextmanager
def _told(path: str, *, absent_passes: bool = False) -> Iterator[None]:
    """Turn what the system refuses into a refusal of ours; `absent_passes` lets FileNotFoundError through."""
    try:
        yield
    except OSError as error:
        if absent_passes and isinstance(error, FileNotFoundError):
            raise
        rule = _RULES.get(error.errno or 0, "system")
        raise WorkspaceRefused(f"{path}: {error.strerror}", field=path, rule=rule) from error
