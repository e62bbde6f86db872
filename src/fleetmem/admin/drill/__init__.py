"""`fleetmem drill`: does a backup restore into a fleet that is fenced as declared? Proved on a copy, which is then removed.

Safe on a production host: it reads the fleet's database once, for the backup, and otherwise works in scratch databases with
names of their own (or on a second server). `steps` is the drill itself, `wreck` the damage done on purpose, `claims` what
credentials of before are worth afterwards, `report` what is written down.
"""

from fleetmem.admin.drill.report import Drill, write
from fleetmem.admin.drill.run import run, throw_away

__all__ = ["Drill", "run", "throw_away", "write"]
