"""What a backup says of itself."""

from datetime import datetime
from typing import Final

import msgspec

FORMAT: Final = 1
# What is left out on purpose, and why its absence is no loss.
ABSENT: Final = (
    "signing keys (vault.signing_key): a restore makes new ones",
    "passwords of the logins: the owner's commands give new ones",
    "bearer tokens: only their SHA-256 was ever kept",
    "jobs (schema queue): the worker finds what is pending and defers it again",
    "files in workspaces: the worker's check finds each landing whose file is not there",
    "roles, policies, triggers, functions, grants (schemas fence and api): they come from the code",
)


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rows of one table: how many, and one hash over all of them in any order; `columns` as they are dumped."""

    columns: tuple[str, ...]
    rows: int
    sha256: str


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file inside the backup."""

    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of it. `ledger_head` is the number and hash of the ledger's last row; `fence` hashes the policies in force."""

    format: int
    fleetmem: str
    postgres: str
    migration: str
    fence: str
    created_at: datetime
    tables: dict[str, Table]
    ledger_head: str
    parts: dict[str, Part]
    absent: tuple[str, ...] = ABSENT

    @property
    def postgres_major(self) -> int:
        """The major version of the server that the rows came from."""
        return int(self.postgres.split(".")[0])
