"""Embedded servers of a test's own, to be killed and broken, and what tests do with them."""

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import psycopg

from fleetmem.admin.postgres import EmbeddedPostgres

Make = Callable[..., EmbeddedPostgres]


def ask(server: EmbeddedPostgres, statement: str) -> Any:
    """Run one statement as the superuser and return the first value it answers, None where it answers nothing."""
    with psycopg.connect(**server.conninfo().psycopg()) as connection:
        cursor = connection.execute(statement)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def kill(server: EmbeddedPostgres) -> None:
    """End the server as a crash would, and wait until it is gone."""
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    while server.is_running:
        time.sleep(0.01)
