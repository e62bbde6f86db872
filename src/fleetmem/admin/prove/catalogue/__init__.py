"""The catalogue of forged statements, section by section: data that an auditor can read."""

from typing import Final

from fleetmem.admin.prove.case import Group
from fleetmem.admin.prove.catalogue import (
    disarming,
    doors,
    escalation,
    identity,
    interference,
    login,
    reading,
    roles,
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
)
