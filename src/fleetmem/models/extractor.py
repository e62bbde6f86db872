"""What every distiller of notes is: a transcript in, drafts out, and never an exception for what a model does."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from fleetmem.memory.note import Draft, Numbering, Withheld
from fleetmem.memory.transcript import Transcript


class Failure(StrEnum):
    """Why a segment gave no note."""

    TIMEOUT = "timeout"  # no whole answer within the time for it
    UNREACHABLE = "unreachable"  # no connection, or an endpoint that could not serve
    REFUSED = "refused"  # the endpoint or the model would not
    TRUNCATED = "truncated"  # the answer ended before its end
    TOO_LARGE = "too_large"  # the answer, or the question, is longer than allowed
    INVALID_JSON = "invalid_json"  # the answer is not in the form of the contract
    NO_NOTES = "no_notes"  # nothing durable was said, or nothing that kept the contract


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What came of one segment. `numbering` says what the drafts' sources count into; tokens are None where nobody told.

    `detail` is for a log: which status or which error, and nothing that anybody wrote.
    """

    provider: str
    notes: tuple[Draft, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    numbering: Numbering = field(default_factory=Numbering)
    failure: Failure | None = None
    detail: str | None = None
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None


class Extractor(Protocol):
    """A distiller."""

    @property
    def name(self) -> str:
        """Return the word of the setting that chooses it."""
        ...

    def extract(self, transcript: Transcript) -> Extraction:
        """Distil one segment."""
        ...


@dataclass(frozen=True, slots=True)
class Off:
    """Distils nothing."""

    name: str = "off"

    def extract(self, transcript: Transcript) -> Extraction:
        """Return nothing."""
        del transcript
        return Extraction(provider=self.name, failure=Failure.NO_NOTES)
