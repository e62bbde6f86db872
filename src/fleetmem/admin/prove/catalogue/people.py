"""Who sends the statements of the catalogue."""

from typing import Final

from fleetmem.admin.prove.case import ADMIN, AGENT, AUDITOR, CONSOLE, GATEWAY, OPERATOR, WORKER, Who

KIT: Final = Who(GATEWAY, AGENT, "kit")
ZOE: Final = Who(GATEWAY, AGENT, "zoe")
MAX: Final = Who(GATEWAY, AGENT, "max")
LEE: Final = Who(GATEWAY, AGENT, "lee")
UNCLAIMED: Final = Who(GATEWAY, AGENT)  # the agents' role in reach, and nobody's word for who it is
BARE: Final = Who(GATEWAY, None, "kit")  # the login with a good claim, that has not taken its role
CHIEF: Final = Who(CONSOLE, OPERATOR, "chief")
DEPUTY: Final = Who(CONSOLE, OPERATOR, "deputy")
SAGE: Final = Who(CONSOLE, OPERATOR, "sage")  # an auditor at the console
BARE_CONSOLE: Final = Who(CONSOLE, None, "chief")
WORKS: Final = Who(WORKER)  # the memory pipeline's login: no role, no claim
READER: Final = Who(AUDITOR)  # the auditors' login at a prompt
HERE: Final = Who(ADMIN)  # the owner's own login, past every policy and no trigger
OWNER: Final = Who(ADMIN, "fleetmem_owner")
VERIFIER: Final = Who(ADMIN, "fleetmem_verifier")
SCRIBE: Final = Who(ADMIN, "fleetmem_scribe")
BACKER: Final = Who(ADMIN, "fleetmem_backup")  # copies rows; has no password until the owner gives it one
