"""Distil one closed segment into notes: read as of one moment, think outside any transaction, keep all of it in one.

The segment is flushed by the transaction that keeps its notes, so it is distilled once, whatever dies in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from fleetmem.memory import note, screen
from fleetmem.memory.transcript import Message, Prompt, Run, Span, Transcript
from fleetmem.models.extractor import Extraction, Failure
from fleetmem.worker.means import Means
from fleetmem.worker.proposal import Accepted, Colleague, Holding, Proposal, Proposer, Surroundings, folded, skills_of
from fleetmem.worker.recognition import Promoted
from fleetmem.worker.session import Transaction

# The endpoint's doing for the moment: the same segment may be distilled in a while.
_PASSING: Final = frozenset({Failure.UNREACHABLE, Failure.TIMEOUT})
_LONGEST: Final = 200


class Unserved(Exception):  # noqa: N818 -- it is what happened, and the queue's to try again
    """The extractor did not answer. Its text is the failure, and nothing that anybody wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Segment:
    id: UUID
    team: str
    status: str
    generation: int
    is_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    review_all: bool
    auto_grant: bool


def run(means: Means, *, segment: UUID) -> None:
    """Distil a segment that is complete. Without a recognizer or an extractor it waits: no note is routed by a guess.

    Raises:
        Unserved: the extractor could not be asked, or not be waited for.
    """
    if not means.distils:
        return
    with means.session.snapshot() as snapshot:
        held = snapshot.one(_Segment, "worker_segment", segment)
        if held is None or held.status != "closed" or not held.is_complete:
            return
        transcript, around = _transcript(snapshot, held), _surroundings(snapshot, held)
    extraction = means.extractor.extract(screen.screened(means.policy.secrets, transcript))
    if extraction.failure in _PASSING:
        raise Unserved(_failure(extraction))
    skills = skills_of(around.colleagues, means.workspaces)
    proposer = Proposer(means.policy, means.recognition, around, skills)
    proposals = list[Proposal]()
    for draft in extraction.notes:
        proposals.append(proposer.propose(note.resolve(draft, extraction.numbering), proposals))
    if _keep(means, held, extraction, proposals, grants=around.auto_grant):
        for each in proposals:
            outcome = "candidate" if each.withheld is None else "withheld"
            means.metrics.note(
                outcome, redacted_by=each.verdict.redacted_by, quarantined_by=each.verdict.quarantined_by
            )
        means.log.info("distilled", segment=segment, notes=len(proposals), failure=extraction.failure)


def fail(means: Means, segment: UUID, why: str) -> None:
    """Flush a segment that cannot be distilled, and say how it may be after all."""
    with means.session.transaction() as transaction:
        transaction.run("worker_ledger_lock")
        if transaction.value("worker_segment_flush", segment, "failed", why) is not None:
            _report(transaction, segment, why)


def _transcript(snapshot: Transaction, held: _Segment) -> Transcript:
    return Transcript(
        held.team,
        tuple(snapshot.rows(Prompt, "worker_segment_prompts", held.id)),
        tuple(snapshot.rows(Message, "worker_segment_messages", held.id)),
        tuple(snapshot.rows(Run, "worker_segment_runs", held.id)),
        tuple(snapshot.rows(Span, "worker_segment_spans", held.id)),
    )


def _surroundings(snapshot: Transaction, held: _Segment) -> Surroundings:
    rule = snapshot.one(_Rule, "worker_memory_rule")
    return Surroundings(
        colleagues=snapshot.rows(Colleague, "worker_segment_members", held.id),
        accepted=snapshot.rows(Accepted, "worker_notes_accepted", held.team),
        holding=snapshot.rows(Holding, "worker_notes_holding", held.team),
        decided=frozenset(folded(each) for each in snapshot.values("worker_notes_decided", held.id)),
        promoted=snapshot.one(Promoted, "worker_calibration"),
        review_all=rule is None or rule.review_all,
        auto_grant=rule is not None and rule.auto_grant and not rule.review_all,
    )


def _keep(means: Means, held: _Segment, extraction: Extraction, proposals: Sequence[Proposal], *, grants: bool) -> bool:
    """Write everything down, once; False where somebody else has flushed the segment meanwhile."""
    with means.session.transaction() as transaction:
        transaction.run("worker_ledger_lock")
        if transaction.value("worker_segment_take", held.id, held.generation) is None:
            return False
        for ordinal, each in enumerate(proposals, start=1):
            _propose(transaction, held, ordinal, each, extraction, grants=grants)
        outcome, detail = _outcome(extraction, proposals)
        transaction.value("worker_segment_flush", held.id, outcome, detail)
        if outcome == "failed":
            _report(transaction, held.id, str(detail))
    return True


def _report(transaction: Transaction, segment: UUID, why: str) -> None:
    rescue = f"once that is mended, `fleetmem review reset {segment}` has it distilled again"
    transaction.run(
        "worker_report_job", None, None, f"no memory came of segment {segment} ({why[:_LONGEST]}); {rescue}"
    )


def _propose(
    transaction: Transaction, held: _Segment, ordinal: int, proposal: Proposal, extraction: Extraction, *, grants: bool
) -> None:
    draft, verdict = proposal.draft, proposal.verdict
    made = transaction.value(
        "worker_note_propose",
        *(held.id, ordinal, draft.severity, draft.content, draft.description, draft.skill_key, draft.rationale),
        *([reason.value for reason in proposal.reasons], proposal.withheld),
        *(list(verdict.redacted_by), list(verdict.quarantined_by), verdict.policy_version),
        *(extraction.model or extraction.provider, proposal.supersedes),
    )
    for place, cited in enumerate(proposal.citations, start=1):
        transaction.run("worker_note_cite", made, place, cited.message, cited.run, cited.span_seq)
    for each in proposal.recipients:
        placed = (each.skill, each.new_skill, each.nonce)
        transaction.run("worker_note_grant", made, each.agent, each.score, each.match.value, *placed)
    for denied in proposal.denials:
        transaction.run("worker_note_deny", made, denied.agent, denied.reason, denied.score)
    if grants and proposal.withheld is None and not proposal.reasons:
        transaction.value("worker_note_approve", made)


def _outcome(extraction: Extraction, proposals: Sequence[Proposal]) -> tuple[str, str | None]:
    """Return how a segment ended, and what broke the contract or failed; never a text."""
    broken = ", ".join(f"note {each.ordinal} {each.reason}" for each in extraction.withheld)
    if proposals:
        return "notes", broken or None
    if extraction.failure in {None, Failure.NO_NOTES}:
        return "nothing", broken or None
    return "failed", _failure(extraction)


def _failure(extraction: Extraction) -> str:
    return f"{extraction.failure}: {extraction.detail}" if extraction.detail else str(extraction.failure)
