"""Tables of what teams said and did. The agents write them; the operators' console reads none."""

from typing import Final

from fleetmem.admin.prove.rights.relations import (
    AGENT,
    ALL,
    AUDITOR,
    BACKUP,
    OWNER,
    READS,
    SCRIBE,
    VERIFIER,
    WORKER,
    May,
    Relation,
)

CAPTURE: Final = (
    Relation(
        "fleet.team", OWNER,
        "name description audiences two_person active last_seq",
        {
            VERIFIER: May(select="name active"),
            SCRIBE: May(select=ALL, update="last_seq"),
            AGENT: May(select="name description audiences"),
            WORKER: READS,
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.team_member", OWNER,
        "team agent position active",
        {
            VERIFIER: May(select="team agent active"),
            SCRIBE: READS,
            AGENT: READS,
            WORKER: READS,
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.task", OWNER,
        "id team opened_by prompt audience status opened_seq created_at settled_at",
        {
            SCRIBE: May(select=ALL, locks="settled_at"),
            AGENT: May(
                select="id team opened_by prompt audience status created_at settled_at",
                insert="team prompt audience",
                update="status",
            ),
            WORKER: READS,
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.run", OWNER,
        "id task team agent audience attempt node instruction status output failure started_at settled_at spans "
        "errors input_tokens output_tokens duration_ms",
        {
            SCRIBE: May(select=ALL, locks="settled_at"),
            AGENT: May(select=ALL, insert="task node instruction", update="status output failure"),
            WORKER: READS,
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.message", OWNER,
        "id team seq task run author speaker body audience created_at",
        {
            SCRIBE: READS,
            AGENT: May(
                select="id team task run author speaker body audience created_at",
                insert="team task run speaker body audience",
            ),
            WORKER: READS,
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.span", OWNER,
        "run seq kind name body is_error input_tokens output_tokens started_at ended_at arrived_at",
        {
            SCRIBE: READS,
            AGENT: May(select=ALL, insert="run seq kind name body is_error input_tokens output_tokens started_at ended_at"),
            WORKER: READS,
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.context_injection", OWNER,
        "run from_seq_exclusive to_seq_inclusive messages dependencies withheld text_sha256 created_at",
        {
            SCRIBE: READS,
            AGENT: May(
                select="run messages dependencies withheld text_sha256 created_at",
                insert="run messages dependencies withheld text_sha256",
            ),
            WORKER: READS,
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
)  # fmt: skip
