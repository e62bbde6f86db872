"""`fleetmem backup` and `fleetmem restore`: every record in one file that says what it holds, and the way back.

`content` counts and hashes tables, `ledger` reads the chain, `manifest` is what the file says of itself, `programs` finds
pg_dump and pg_restore, `archive` is the file, `dump` makes one, `restore` brings one back. Only rows are kept: tables, roles, policies, triggers and
functions come from the code, so a restore can never bring back an old or a tampered fence.
"""

from fleetmem.admin.backup.archive import Archive
from fleetmem.admin.backup.dump import backup
from fleetmem.admin.backup.manifest import Manifest
from fleetmem.admin.backup.restore import Restored, restore

__all__ = ["Archive", "Manifest", "Restored", "backup", "restore"]
