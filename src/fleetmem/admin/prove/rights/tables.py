"""Every table there is a decided line for."""

from typing import Final

from fleetmem.admin.prove.rights.capture import CAPTURE
from fleetmem.admin.prove.rights.memory import MEMORY
from fleetmem.admin.prove.rights.queue import QUEUE
from fleetmem.admin.prove.rights.relations import RECORDS

RELATIONS: Final = (*RECORDS, *CAPTURE, *MEMORY, *QUEUE)
# A job that is done goes away: the one kind of row that a login deletes.
DELETED_BY: Final = {relation.name: ("fleetmem_worker",) for relation in QUEUE}
