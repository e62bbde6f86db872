"""The embedded PostgreSQL server: where it lives, as whom it runs, how it starts, stops and recovers.

Importing this starts nothing and touches nothing. `EmbeddedPostgres` is the whole surface:
`account` says who may run a server, `place` where it keeps its files, `binaries` which programs it is made of,
`settings` what it is told, `leftovers` what an earlier run may have left behind, `server` its life.
"""

from fleetmem.admin.postgres.binaries import server_major
from fleetmem.admin.postgres.conninfo import ConnInfo
from fleetmem.admin.postgres.server import EmbeddedPostgres

__all__ = ["ConnInfo", "EmbeddedPostgres", "server_major"]
