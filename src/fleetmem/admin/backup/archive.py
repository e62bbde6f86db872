"""The file: a tar of `manifest.json` and `rows.dump` (pg_dump's custom format), complete or not there at all."""

import hashlib
import os
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Final

import msgspec

from fleetmem.admin.backup import programs
from fleetmem.admin.backup.manifest import FORMAT, Manifest, Part
from fleetmem.errors import SetupInvalid

MANIFEST: Final = "manifest.json"
ROWS: Final = "rows.dump"
_COPY: Final = re.compile(rb'COPY "?([a-z_]+)"?\."?([a-z_]+)"? \(([a-z_0-9", ]*)\) FROM stdin;\n')
_MOST_MANIFEST_BYTES: Final = 10_000_000
_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Archive:
    """A backup that was read and found whole; `rows` is its dump, on disk for as long as the archive is open."""

    manifest: Manifest
    rows: Path

    def tables(self, pg_bin: Path | None, major: int) -> Iterator[tuple[str, tuple[str, ...], Iterator[bytes]]]:
        """Every table in the dump, in an order that foreign keys accept: name, columns, rows as COPY text, one a line."""
        yield from read_rows(programs.find("pg_restore", major, pg_bin), self.rows)


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """Open a backup, having checked that every part of it is what its manifest says.

    Raises:
        SetupInvalid: it is no backup, of a later format, or damaged.
    """
    with tempfile.TemporaryDirectory(prefix="fleetmem-restore-") as folder:
        try:
            with tarfile.open(path, "r:") as tar:
                manifest = _manifest(tar)
                rows = Path(folder) / ROWS
                for name, part in manifest.parts.items():
                    _unpack(tar, name, part, rows if name == ROWS else None)
        except (tarfile.TarError, KeyError, EOFError) as error:
            raise SetupInvalid(f"{path} is no backup of fleetmem, or only a piece of one ({error})") from error
        if ROWS not in manifest.parts:
            raise SetupInvalid(f"{path} holds no rows")
        yield Archive(manifest, rows)


def write(path: Path, manifest: Manifest, rows: Path) -> None:
    """Write the file: whole under its own name, or not at all; readable by its owner alone.

    The draft stands beside `rows`, which must be on the file system of `path`.
    """
    descriptor, draft = tempfile.mkstemp(dir=rows.parent)  # of mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            with tarfile.open(fileobj=file, mode="w") as tar:
                encoded = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
                _add(tar, MANIFEST, BytesIO(encoded), len(encoded), manifest)
                with rows.open("rb") as source:
                    _add(tar, ROWS, source, rows.stat().st_size, manifest)
            file.flush()
            os.fsync(descriptor)
        Path(draft).replace(path)
        _sync(path.parent)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def part(path: Path) -> Part:
    """Measure a file that is to become a part."""
    with path.open("rb") as source:
        return Part(size=path.stat().st_size, sha256=hashlib.file_digest(source, "sha256").hexdigest())


def read_rows(pg_restore: Path, dump: Path) -> Iterator[tuple[str, tuple[str, ...], Iterator[bytes]]]:
    """Turn a dump into its tables' rows. Nothing in it is executed: pg_restore prints, and only rows are picked out.

    The rows of one table must be taken before the next table is asked for.
    """
    command = [str(pg_restore), "--data-only", "--file=-", str(dump)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={"LC_ALL": "C"}) as printing:
        if printing.stdout is None or printing.stderr is None:
            raise AssertionError
        try:
            for line in printing.stdout:
                header = _COPY.fullmatch(line)
                if header is not None:
                    columns = tuple(name.strip(' "') for name in header[3].decode().split(","))
                    yield f"{header[1].decode()}.{header[2].decode()}", columns, _block(printing.stdout)
            complaint = printing.stderr.read().decode(errors="replace").strip()
            printing.wait()
        except BaseException:
            printing.kill()
            raise
    if printing.returncode != 0:
        raise SetupInvalid(f"pg_restore cannot read the backup: {complaint}")


def _block(lines: IO[bytes]) -> Iterator[bytes]:
    for line in lines:
        if line == b"\\.\n":
            return
        yield line
    raise SetupInvalid("the backup ends in the middle of a table")


def _manifest(tar: tarfile.TarFile) -> Manifest:
    member = tar.extractfile(MANIFEST)
    if member is None:
        raise KeyError(MANIFEST)
    raw = member.read(_MOST_MANIFEST_BYTES)
    try:
        if msgspec.json.decode(raw)["format"] > FORMAT:
            raise SetupInvalid("the backup was made by a later version of fleetmem; restore it with that one")
        return msgspec.json.decode(raw, type=Manifest)
    except (msgspec.DecodeError, KeyError, TypeError) as error:
        raise SetupInvalid(f"the backup's manifest cannot be read: {error}") from error


def _unpack(tar: tarfile.TarFile, name: str, expected: Part, target: Path | None) -> None:
    member = tar.extractfile(name)
    if member is None:
        raise KeyError(name)
    digest, size = hashlib.sha256(), 0
    with open(target or os.devnull, "wb") as file:  # noqa: PTH123 -- one call for both
        while block := member.read(_BLOCK):
            digest.update(block)
            size += len(block)
            file.write(block)
    if (size, digest.hexdigest()) != (expected.size, expected.sha256):
        raise SetupInvalid(f"the backup is damaged: {name} is not what its manifest says")


def _add(tar: tarfile.TarFile, name: str, source: IO[bytes], size: int, manifest: Manifest) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = size, 0o600, int(manifest.created_at.timestamp())
    tar.addfile(member, source)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
