"""Why a person must see a candidate before it lands. Without a reason, and where the owner allows it, none has to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """One reason; the database keeps them by these words."""

    SEVERE = "severe"  # it would always be loaded
    REDACTED = "redacted"  # a secret was taken out of it
    QUARANTINED = "quarantined"  # it tries to steer its reader
    FALLBACK = "fallback"  # nobody was near enough, so the nearest was taken
    NEW_SKILL = "new_skill"  # a recipient would get a skill that it has not
    SUPERSEDES = "supersedes"  # it corrects a memory that has landed
    REVIEW_ALL = "review_all"  # the roster asks for it
    REVIEW_FIRST = "review_first"  # a model told whom it is for, and nothing allows it to grant


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What is known of a candidate when it is proposed.

    `is_routed_by_model`: a real recognizer scored its recipients; `may_grant`: the roster's `auto_grant` is on, which it
    only can be on evidence.
    """

    is_severe: bool
    is_redacted: bool
    is_quarantined: bool
    is_fallback: bool
    needs_new_skill: bool
    supersedes: bool
    review_all: bool
    is_routed_by_model: bool
    may_grant: bool


def reasons(of: Circumstances) -> tuple[Reason, ...]:
    """Return every reason that holds, in the order of `Reason`; none means that no person has to look."""
    held = {
        Reason.SEVERE: of.is_severe,
        Reason.REDACTED: of.is_redacted,
        Reason.QUARANTINED: of.is_quarantined,
        Reason.FALLBACK: of.is_fallback,
        Reason.NEW_SKILL: of.needs_new_skill,
        Reason.SUPERSEDES: of.supersedes,
        Reason.REVIEW_ALL: of.review_all,
        Reason.REVIEW_FIRST: of.is_routed_by_model and not of.may_grant,
    }
    return tuple(reason for reason, holds in held.items() if holds)
