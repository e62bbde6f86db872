"""The catalogue of forged statements, section by section: data that an auditor can read."""

from typing import Final

from fleetmem.admin.prove.case import Group
from fleetmem.admin.prove.catalogue import (
    capture,
    disarming,
    doors,
    escalation,
    identity,
    interference,
    ledger,
    login,
    notes,
    reading,
    roles,
    worker,
    writing,
)

GROUPS: Final[tuple[Group, ...]] = (
    *identity.GROUPS,
    *login.GROUPS,
    *escalation.GROUPS,
    *disarming.GROUPS,
    *writing.GROUPS,
    *reading.GROUPS,
    *roles.GROUPS,
    *interference.GROUPS,
    *doors.GROUPS,
    *capture.GROUPS,
    *notes.GROUPS,
    *ledger.GROUPS,
    *worker.GROUPS,
)
