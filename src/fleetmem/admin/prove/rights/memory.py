"""Tables of memory: the worker proposes, operators decide, the scribe tells. No agent reads one of them."""

from typing import Final

from fleetmem.admin.prove.rights.relations import (
    ALL,
    AUDITOR,
    BACKUP,
    OPERATOR,
    OWNER,
    READS,
    SCRIBE,
    WORKER,
    May,
    Relation,
)

MEMORY: Final = (
    Relation(
        "fleet.segment", OWNER,
        "id team ordinal status boundary generation from_seq to_seq characters topics opened_at active_at "
        "closed_at flushed_at outcome detail",
        {
            SCRIBE: May(select=ALL, update="status boundary generation to_seq"),
            WORKER: May(
                select=ALL,
                insert="team status from_seq topics",
                update="status boundary to_seq characters topics active_at outcome detail",
            ),
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.segment_task", OWNER,
        "segment task",
        {
            SCRIBE: READS,
            WORKER: May(select=ALL, insert=ALL),
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.segment_run", OWNER,
        "run segment",
        {
            SCRIBE: READS,
            WORKER: May(select=ALL, insert=ALL),
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.note", OWNER,
        "id segment team ordinal generation status severity content description skill_key rationale audiences "
        "reasons withheld_because redacted_by quarantined_by policy_version extractor supersedes revision "
        "created_at decided_at decided_by",
        {
            SCRIBE: May(select=ALL, update="status reasons"),
            OPERATOR: May(
                select=ALL,
                update="status severity content description skill_key reasons redacted_by quarantined_by policy_version "
            ),
            WORKER: May(
                select=ALL,
                insert="segment ordinal severity content description skill_key rationale reasons withheld_because "
                       "redacted_by quarantined_by policy_version extractor supersedes",
                update="status",
            ),
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.note_citation", OWNER,
        "note ordinal message run span_seq",
        {
            SCRIBE: READS,
            OPERATOR: READS,
            WORKER: May(select=ALL, insert=ALL),
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.note_recipient", OWNER,
        "note agent score match skill new_skill nonce active",
        {
            SCRIBE: May(select=ALL, update="active"),
            OPERATOR: May(
                select=ALL,
                insert="note agent score match skill new_skill nonce",
                update="skill new_skill active",
            ),
            WORKER: May(select=ALL, insert="note agent score match skill new_skill nonce"),
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.note_denial", OWNER,
        "note agent reason score",
        {
            SCRIBE: May(select=ALL, insert=ALL, update="reason score"),
            OPERATOR: READS,
            WORKER: May(select=ALL, insert=ALL),
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.note_review", OWNER,
        "id note revision reviewer decision remark at",
        {
            SCRIBE: READS,
            OPERATOR: May(select=ALL, insert="note revision decision remark"),
            WORKER: READS,
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.landing_preview", OWNER,
        "note revision agent path before_sha256 after refused made_at",
        {
            SCRIBE: READS,
            OPERATOR: READS,
            WORKER: May(
                select=ALL,
                insert="note revision agent path before_sha256 after refused",
                update="path before_sha256 after refused",
            ),
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.landing", OWNER,
        "id note agent nonce skill new_skill status path sha256 reason requested_at landed_at ended_at",
        {
            SCRIBE: May(select=ALL, insert=ALL, update="status reason"),
            OPERATOR: READS,
            WORKER: May(select=ALL, update="status path sha256 reason"),
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.incident", OWNER,
        "id kind status note landing agent detail rules opened_at closed_at closed_by remark",
        {
            SCRIBE: May(select=ALL, insert=ALL, update="status remark"),
            OPERATOR: May(select=ALL, update="status remark"),
            WORKER: READS,
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.ledger", OWNER,
        "seq at event note agent actor reason detail prev hash",
        {
            SCRIBE: May(select=ALL, insert=ALL),
            OPERATOR: READS,
            WORKER: READS,
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.calibration", OWNER,
        "id kind active file_name file_sha256 labels model model_sha256 threshold precision precision_low recall "
        "recall_low evidence promoted_by promoted_at",
        {
            SCRIBE: READS,
            OPERATOR: READS,
            AUDITOR: READS,
            WORKER: May(select="id kind active evidence"),
            BACKUP: READS,
        },
    ),
    Relation(
        "fleet.memory_rule", OWNER,
        "one review_all auto_grant least_precision on_narrowing",
        {
            SCRIBE: READS,
            OPERATOR: READS,
            WORKER: READS,
            AUDITOR: READS,
            BACKUP: READS,
        },
    ),
)  # fmt: skip
