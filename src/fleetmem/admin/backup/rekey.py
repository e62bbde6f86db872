"""After a restore: no key of before is valid, so the fleet gets new ones, and everyone a new token."""

from pathlib import Path
from typing import Any

import psycopg

from fleetmem.admin import deployment, keys, tokens
from fleetmem.admin.postgres.place import own_directory, private_file


def rekey(connection: psycopg.Connection[Any], home: Path) -> None:
    """Register new signing keys and put each where its service reads it; keys that were there end after the overlap."""
    own_directory(home / "secrets")
    for rol in deployment.KEY_FILES:
        fresh = keys.register(connection, rol)
        keys.retire_others(connection, fresh)
        deployment.write_key(home, fresh)


def reissue(connection: psycopg.Connection[Any], home: Path) -> list[str]:
    """Mint a token for every active principal into HOME/tokens, in place of those that were revoked; returns the names."""
    own_directory(home / "tokens")
    names = [
        str(name)
        for (name,) in connection.execute("select name from fleet.principal where active order by name").fetchall()
    ]
    for name in names:
        _, token = tokens.issue(connection, name, label="after a restore")
        private_file(home / "tokens" / f"{name}.token", token + "\n")
    return names
