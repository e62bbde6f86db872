"""Look over the gateway's shoulder while it works: no statement that another session can see may show a claim."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg

from fleetmem.admin.prove.case import GATEWAY
from fleetmem.admin.prove.sessions import Sessions
from fleetmem.admin.prove.setting import Connection
from fleetmem.admin.prove.verdict import Kind, Verdict, Way

_PAUSE_S: Final = 0.02
_LOOK: Final = """
select count(*), count(*) filter (where query ~ 'eyJ[A-Za-z0-9_-]{10}|fm_[A-Za-z0-9_-]{40}')
  from pg_stat_activity where pid <> pg_backend_pid() and usename = 'fleetmem_gateway' and query ~ 'api\\.'
"""


class Watch:
    """Counts, in a thread of its own, the statements that it sees and those that show a claim or a token."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.seen = 0
        self.shown = 0

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Stop looking."""
        self._done.set()
        self._thread.join(timeout=5)

    def verdict(self) -> Verdict:
        """Say what was seen; to have seen nothing at all proves nothing."""
        return Verdict(
            way=Way.WIRE,
            section="X",
            id="X02",
            kind=Kind.REFUSAL,
            who="gateway, another session",
            attempt="read pg_stat_activity all the while that the gateway works",
            expected="its statements, and no claim or token in any",
            got=f"{self.seen} statements seen, {self.shown} with a claim or a token",
            held=self.seen > 0 and self.shown == 0,
            why="whoever shares the login could present a claim again",
        )

    def _look(self) -> None:
        while not self._done.wait(_PAUSE_S):
            try:
                row = self._connection.execute(_LOOK.encode()).fetchone()
            except psycopg.Error:
                return
            seen, shown = (int(str(value)) for value in row or (0, 0))
            self.seen += seen
            self.shown += shown


@contextmanager
def watching(sessions: Sessions) -> Iterator[Watch]:
    """Watch for the length of a block."""
    watch = Watch(sessions.fresh(GATEWAY))
    watch.start()
    try:
        yield watch
    finally:
        watch.stop()
