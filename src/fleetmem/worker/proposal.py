"""What becomes of one distilled note: who may have it, who receives it, where it goes, and why a person must look."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import UUID

from fleetmem import landing
from fleetmem.errors import FleetmemError, RequestInvalid, WorkspaceRefused
from fleetmem.memory import block, note, safety, skill
from fleetmem.memory.kinship import Kin, Kinship
from fleetmem.memory.note import Citation, Draft, ResolvedNote
from fleetmem.memory.placing import Placing, Skill
from fleetmem.memory.policy import Policy
from fleetmem.memory.profile import Member, subject
from fleetmem.memory.reasons import Circumstances, Reason, reasons
from fleetmem.memory.redaction import MARKER
from fleetmem.memory.routing import Decision, Verdict
from fleetmem.worker import workspaces
from fleetmem.worker.recognition import Promoted, Recognition

if TYPE_CHECKING:
    from fleetmem.models.recognizer import Recognizer

NO_RECIPIENT: Final = "no_recipient"
ROUTING_FAILED: Final = "routing_failed"
DUPLICATE: Final = "duplicate"
DECIDED: Final = "decided_before"
COLLISION: Final = "skill_collision"
UNSAFE_KEY: Final = "skill_key:secret"
NONCE_BYTES: Final = block.NONCE_BYTES
PATIENCE_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Colleague:
    """An active member of the segment's team; `may_hold` is the audience rule's word, from the database."""

    name: str
    description: str = field(repr=False)
    instructions: str = field(repr=False)
    workspace: str | None
    target: str
    took_part: bool
    may_hold: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A note that people accepted for an agent."""

    agent: str
    description: str = field(repr=False)
    content: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """A note that holds in the team now."""

    id: UUID
    content: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a note is proposed into; `decided` are the words, folded, that people decided against in this segment."""

    colleagues: Sequence[Colleague]
    accepted: Sequence[Accepted]
    holding: Sequence[Holding]
    decided: frozenset[str] = field(repr=False)
    promoted: Promoted | None
    review_all: bool
    auto_grant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """One that is to receive; `skill` None puts the note into the instructions, `new_skill` founds the skill."""

    agent: str
    score: float
    match: Verdict
    skill: str | None
    new_skill: bool
    nonce: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """One that is not, and why."""

    agent: str
    reason: str
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A note as it is about to be kept. `withheld` says why it goes no further; then it has no recipients."""

    draft: Draft = field(repr=False)
    citations: Sequence[Citation]
    verdict: safety.Verdict = field(repr=False)
    withheld: str | None = None
    recipients: tuple[Recipient, ...] = ()
    denials: tuple[Denial, ...] = ()
    supersedes: UUID | None = None
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposer:
    """Proposes the notes of one segment, one after the other."""

    policy: Policy = field(repr=False)
    recognition: Recognition
    around: Surroundings
    skills: Mapping[str, Mapping[str, str]] = field(repr=False)

    def propose(self, resolved: ResolvedNote, earlier: Sequence[Proposal]) -> Proposal:
        """Decide one note; `earlier` are those of the same segment before it."""
        draft, verdict = _safe(self.policy, resolved.draft)
        bare = Proposal(
            draft=_kept(draft), citations=resolved.citations, verdict=verdict, denials=_denied(self.around.colleagues)
        )
        withheld = resolved.withheld or _unwritable(draft) or self._decided(bare.draft)
        if withheld is not None:
            return replace(bare, withheld=withheld)
        eligible = [each for each in self.around.colleagues if each.took_part and each.may_hold]
        if not eligible:
            return replace(bare, withheld=NO_RECIPIENT)
        try:
            with self.recognition.deciding(self.around.promoted) as recognizer:
                return self._routed(recognizer, bare, eligible, earlier)
        except FleetmemError as error:
            return replace(bare, withheld=f"{ROUTING_FAILED}: {error.rule or error.code}")
        except Exception as error:  # noqa: BLE001 -- a model may fail in any way, and a failure never guesses
            return replace(bare, withheld=f"{ROUTING_FAILED}: {type(error).__name__}")

    def _decided(self, draft: Draft) -> str | None:
        return DECIDED if folded(draft.content) in self.around.decided else None

    def _routed(
        self, recognizer: Recognizer, bare: Proposal, eligible: Sequence[Colleague], earlier: Sequence[Proposal]
    ) -> Proposal:
        kin = self._kin(recognizer, bare.draft, earlier)
        if kin.kin is Kin.SAME:
            return replace(bare, withheld=DUPLICATE)
        named = {each.name: each for each in eligible}
        rivals = [self._member(each) for each in self.around.colleagues if each.name not in named]
        text = subject(bare.draft.description, bare.draft.content)
        decision = recognizer.decide(text, [self._member(each) for each in eligible], rivals)
        recipients = list[Recipient]()
        for outcome in decision.outcomes:
            if outcome.verdict is not Verdict.BELOW_THRESHOLD:
                placed = self._placed(recognizer, bare.draft, named[outcome.agent])
                if placed is None:
                    return replace(bare, withheld=COLLISION)
                recipients.append(_recipient(outcome.agent, outcome.score, outcome.verdict, placed))
        below = tuple(
            Denial(agent=each.agent, reason=each.verdict.value, score=each.score)
            for each in decision.outcomes
            if each.verdict is Verdict.BELOW_THRESHOLD
        )
        supersedes = UUID(kin.note) if kin.kin is Kin.CORRECTION and kin.note else None
        routed = replace(bare, recipients=tuple(recipients), denials=(*bare.denials, *below), supersedes=supersedes)
        return replace(routed, reasons=self._reasons(routed, decision))

    def _kin(self, recognizer: Recognizer, draft: Draft, earlier: Sequence[Proposal]) -> Kinship:
        """Compare with what holds; and with what this segment has said already, where only the same counts."""
        said = [(str(place), each.draft.content) for place, each in enumerate(earlier) if each.withheld is None]
        if said:
            kin = recognizer.kinship(draft.content, said)
            if kin.kin is Kin.SAME:
                return kin
        return recognizer.kinship(draft.content, [(str(each.id), each.content) for each in self.around.holding])

    def _member(self, of: Colleague) -> Member:
        accepted = tuple(
            subject(each.description, each.content) for each in self.around.accepted if each.agent == of.name
        )
        return Member(of.name, of.description, of.instructions, accepted)

    def _placed(self, recognizer: Recognizer, draft: Draft, of: Colleague) -> tuple[str | None, bool] | None:
        """Return the skill a note goes into, and whether it is new; None where its key belongs to something else."""
        if draft.severity == "severe":
            return None, False
        there = [Skill(key, description) for key, description in self.skills.get(of.name, {}).items()]
        placement = recognizer.place(draft.content, there, Skill(draft.skill_key, draft.description))
        match placement.placing:
            case Placing.JOIN:
                return placement.key, False
            case Placing.NEW:
                return placement.key, True
            case Placing.WITHHELD:
                return None

    def _reasons(self, routed: Proposal, decision: Decision) -> tuple[Reason, ...]:
        return reasons(
            Circumstances(
                is_severe=routed.draft.severity == "severe",
                is_redacted=_is_redacted(routed),
                is_quarantined=routed.verdict.is_quarantined,
                is_fallback=decision.is_fallback,
                needs_new_skill=any(each.new_skill for each in routed.recipients),
                supersedes=routed.supersedes is not None,
                review_all=self.around.review_all,
                is_routed_by_model=self.recognition.is_real,
                may_grant=self.around.auto_grant,
            )
        )


def folded(content: str) -> str:
    """Return a note's words as they are compared with decided ones: composed, and with every gap as one space."""
    return " ".join(unicodedata.normalize("NFC", content).split())


def skills_of(colleagues: Sequence[Colleague], root: Path) -> dict[str, dict[str, str]]:
    """Return what each that may receive has in its own workspace, by key; asked before any model is held.

    One whose workspace is not to be had has nothing to join, and its preview says why: whoever works in one workspace holds up
    no note of the others.
    """
    found = dict[str, dict[str, str]]()
    for each in colleagues:
        if each.took_part and each.may_hold:
            with suppress(WorkspaceRefused):
                workspace = workspaces.of(root, each.workspace, each.target)
                found[each.name] = landing.skills(workspace, patience_s=PATIENCE_S)
    return found


def _is_redacted(routed: Proposal) -> bool:
    """Tell whether a secret was taken out, now or where the note comes from."""
    return bool(routed.verdict.redacted_by) or any(MARKER in text for text in routed.verdict.texts.values())


def _recipient(agent: str, score: float, match: Verdict, placed: tuple[str | None, bool]) -> Recipient:
    key, is_new = placed
    return Recipient(
        agent=agent, score=score, match=match, skill=key, new_skill=is_new, nonce=secrets.token_hex(NONCE_BYTES)
    )


def _safe(policy: Policy, draft: Draft) -> tuple[Draft, safety.Verdict]:
    """Redact a draft before anything else sees it, and judge it; a key becomes the name of a folder, so it is judged too."""
    texts = {
        "content": draft.content,
        "description": draft.description,
        "rationale": draft.rationale,
        "skill_key": draft.skill_key,
    }
    verdict = safety.judge(policy, texts)
    said = verdict.texts
    safe = replace(
        draft,
        content=said["content"],
        description=said["description"],
        rationale=said["rationale"],
        skill_key=said["skill_key"],
    )
    return safe, verdict


def _kept(draft: Draft) -> Draft:
    """Return a draft that its row can hold: the marker may have made a text longer than a note may be."""
    return replace(
        draft,
        content=draft.content[: block.LONGEST_CONTENT],
        description=draft.description[: skill.LONGEST_DESCRIPTION],
        rationale=draft.rationale[: note.LONGEST_RATIONALE],
    )


def _unwritable(draft: Draft) -> str | None:
    """Return why a note could be written nowhere, after what safety made of it."""
    if MARKER in draft.skill_key:
        return UNSAFE_KEY
    try:
        block.check_content(draft.content)
        skill.check_key(draft.skill_key)
        skill.check_description(draft.description)
    except RequestInvalid as error:
        return f"{error.field}:{error.rule}"
    return None


def _denied(colleagues: Sequence[Colleague]) -> tuple[Denial, ...]:
    """Return who may not hold the note, and who took no part; the audience's word comes first."""
    return tuple(
        Denial(agent=each.name, reason="took_no_part" if each.may_hold else "audience")
        for each in colleagues
        if not (each.may_hold and each.took_part)
    )
