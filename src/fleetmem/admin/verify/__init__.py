"""`fleetmem fence verify`: is the live fence the declared one?

`rows` reads a database's fence, `declaration` builds the one that migrations and policies declare, `compare` sets them against
each other, `words` says each difference and what it opens, `invariants` holds what needs no declaration.
"""

from pathlib import Path
from typing import Any

import psycopg

from fleetmem.admin.database import Conninfo, owner
from fleetmem.admin.verify.compare import differences
from fleetmem.admin.verify.declaration import declared
from fleetmem.admin.verify.findings import Finding, Report, Source
from fleetmem.admin.verify.invariants import broken_rules, server, unseen
from fleetmem.admin.verify.rows import Row, render
from fleetmem.admin.verify.words import findings

__all__ = ["Finding", "Report", "Row", "Source", "declared", "inspect", "verify"]


def verify(conninfo: Conninfo, *, cache: Path | None = None) -> Report:
    """Verify the database of `conninfo`, which is the owner's; `cache` keeps the declared side between runs.

    Raises:
        Unavailable: the server does not answer.
    """
    with owner(conninfo) as connection:
        return inspect(connection, declared(conninfo, connection, cache=cache))


def inspect(connection: psycopg.Connection[Any], expected: frozenset[Row]) -> Report:
    """Compare what this connection's transaction sees with the declared rows; nothing is changed."""
    live = render(connection)
    found = [finding for difference in differences(expected, live) for finding in findings(difference)]
    found.extend(broken_rules(connection))
    found.extend(server(connection))
    return Report(tuple(found), rows=len(live), unseen=unseen(connection))
