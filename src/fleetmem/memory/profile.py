"""What is known of an agent when a memory is routed: its name, description and instructions, taken apart into phrases.

A whole profile blurs what an agent does; a note is usually about one of its duties. Each sentence is a phrase and so is each
part of an enumeration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

Similar = Callable[[Sequence[str], Sequence[str]], Sequence[Sequence[float]]]
"""Cosines of texts: one row for each of the first, one column for each of the second, each from -1 to 1."""


@dataclass(frozen=True, slots=True)
class Member:
    """An agent that may receive. `exemplars` are texts of notes that were accepted for it earlier, newest first."""

    agent: str
    description: str
    instructions: str
    exemplars: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the profile as one text."""
        return f"{self.agent}: {self.description} {self.instructions}"


def subject(description: str, content: str) -> str:
    """Return what is routed of a note: when to load it, then what it says."""
    lead = description.strip()
    return f"{lead} {content}" if lead.endswith((".", "!", "?")) or not lead else f"{lead}. {content}"


def phrases(member: Member) -> tuple[str, ...]:
    """Return the phrases of a profile, in the order in which they stand there, each once; never empty."""
    sentences = [each for text in (member.description, member.instructions) for each in _SENTENCE.split(text)]
    found = [_spoken(member.agent)]
    for sentence in sentences:
        found += [sentence.strip(), *(part.strip(" .") for part in _PART.split(sentence))]
    return tuple(dict.fromkeys(phrase for phrase in found if len(phrase) >= _SHORTEST)) or (member.agent,)


def _spoken(agent: str) -> str:
    return _FILLER.sub(" ", agent).strip()


_SHORTEST: Final = 3
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_PART: Final = re.compile(r"[,;:]|\band\b|\bor\b")
_FILLER: Final = re.compile(r"[-_/.]|\bagent\b", re.IGNORECASE)
