"""Roles and the places they may go: schemas and the database; what each role is, and whom it may become."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from fleetmem.admin.prove.rights.relations import (
    AGENT,
    AUDITOR,
    BACKUP,
    CONSOLE,
    GATEWAY,
    OPERATOR,
    OWNER,
    SCRIBE,
    VERIFIER,
    WORKER,
)

# What each role is, besides being there. None is a superuser, makes roles or databases, replicates, or inherits.
ROLES: Final[Mapping[str, str]] = {
    OWNER: "",
    VERIFIER: "",
    SCRIBE: "",
    AGENT: "",
    OPERATOR: "",
    GATEWAY: "login",
    CONSOLE: "login",
    WORKER: "login",
    AUDITOR: "login",
    BACKUP: "login bypassrls",
}
# Who may become whom; never with the right to hand it on, and never by inheritance.
MEMBERSHIPS: Final = ((GATEWAY, AGENT), (CONSOLE, OPERATOR))
# Nobody else may connect, and nobody at all may make schemas or hold temporary tables.
CONNECTS: Final = (GATEWAY, CONSOLE, WORKER, AUDITOR, BACKUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """One schema: its owner, who may use what is in it, and who may make something in it."""

    owner: str
    users: tuple[str, ...] = ()
    makers: tuple[str, ...] = ()


SCHEMAS: Final[Mapping[str, Schema]] = {
    "fleet": Schema(owner=OWNER, users=(AGENT, OPERATOR, WORKER, AUDITOR, BACKUP, VERIFIER, SCRIBE)),
    "fence": Schema(
        owner=OWNER,
        users=(AGENT, OPERATOR, AUDITOR, GATEWAY, CONSOLE, WORKER, VERIFIER, SCRIBE),
        makers=(VERIFIER, SCRIBE),
    ),
    "vault": Schema(owner=VERIFIER, users=(OWNER, BACKUP)),
    "queue": Schema(owner=OWNER, users=(WORKER, SCRIBE)),
    "api": Schema(owner=OWNER, users=(AGENT, OPERATOR, GATEWAY, CONSOLE, VERIFIER), makers=(VERIFIER,)),
}
