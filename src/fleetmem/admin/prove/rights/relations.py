"""Tables and columns: who owns each, and what else each role may do with which column. No record is ever deleted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

OWNER: Final = "fleetmem_owner"
VERIFIER: Final = "fleetmem_verifier"
SCRIBE: Final = "fleetmem_scribe"
AGENT: Final = "fleetmem_agent"
OPERATOR: Final = "fleetmem_operator"
GATEWAY: Final = "fleetmem_gateway"
CONSOLE: Final = "fleetmem_console"
WORKER: Final = "fleetmem_worker"
AUDITOR: Final = "fleetmem_auditor"
BACKUP: Final = "fleetmem_backup"
PUBLIC: Final = "public"
EVERYONE: Final = (OWNER, VERIFIER, SCRIBE, AGENT, OPERATOR, GATEWAY, CONSOLE, WORKER, AUDITOR, BACKUP, PUBLIC)

ALL: Final = "*"  # every column


@dataclass(frozen=True, slots=True, kw_only=True)
class May:
    """The columns that one role may select, insert and update, with spaces between; `*` is all of them.

    `locks`: the right to update them serves to lock a row alone, and a trigger refuses every change.
    """

    select: str = ""
    insert: str = ""
    update: str = ""
    locks: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """One table: its owner (None: whoever installed the fleet), its columns, and who else may do what."""

    name: str
    owner: str | None
    columns: str
    may: Mapping[str, May]


READS: Final = May(select=ALL)

RECORDS: Final = (
    Relation(
        "fleet.audience", OWNER, "name description active",
        {AGENT: May(select="name description"), OPERATOR: READS, AUDITOR: READS, BACKUP: READS},
    ),
    Relation(
        "fleet.principal", OWNER,
        "name rol description instructions reads writes workspace active suspended_at tokens_from target",
        {
            AGENT: May(select="name description rol active"),
            OPERATOR: May(select=ALL, update="suspended_at"),
            WORKER: May(select="name rol description instructions reads workspace active suspended_at target"),
            AUDITOR: READS,
            BACKUP: READS,
            VERIFIER: READS,
            SCRIBE: READS,
        },
    ),
    Relation(
        "fleet.beat", OWNER, "id author topic topic_key body audience created_at expires_at ended_at ended_as",
        {
            AGENT: May(select=ALL, insert="topic body audience expires_at", update="ended_as"),
            SCRIBE: May(select=ALL, update="ended_as"),
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.handoff", OWNER,
        "id sender recipient request audience status flags created_at due_at updated_at reply",
        {
            AGENT: May(select=ALL, insert="recipient request audience due_at flags", update="status reply"),
            OPERATOR: May(select="id sender recipient audience status flags created_at due_at updated_at"),
            SCRIBE: May(select="id sender audience created_at"),
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.handoff_transition", OWNER, "id handoff from_status to_status made_by made_at reply",
        {AGENT: READS, SCRIBE: May(select="id handoff from_status made_by made_at", insert=ALL), AUDITOR: READS, BACKUP: READS},
    ),
    Relation(
        "fleet.idempotency", OWNER, "principal key request_sha256 status answer created_at",
        {
            AGENT: May(select="principal key request_sha256 status answer", insert="key request_sha256 status answer"),
            OPERATOR: May(select="principal key request_sha256 status answer", insert="key request_sha256 status answer"),
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "vault.signing_key", VERIFIER,
        "header kid ipad opad pepper login rol must created_at not_before not_after revoked", {},
    ),
    Relation("vault.bearer", VERIFIER, "id sha256 principal label created_at expires_at revoked_at", {BACKUP: READS}),
    Relation("fence.applied", OWNER, "file sha256 applied_at", {GATEWAY: READS, CONSOLE: READS, WORKER: READS, AUDITOR: READS}),
    Relation("fence.casefold", OWNER, "from_char to_text", {AGENT: READS, SCRIBE: READS}),
    Relation("fence.migration", None, "version_num", {}),
)  # fmt: skip
# What a grant could allow besides, and none may.
NEVER_GRANTED: Final = ("delete", "truncate", "references", "trigger")
NEVER_GRANTED_17: Final = (*NEVER_GRANTED, "maintain")
