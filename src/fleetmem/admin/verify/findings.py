"""What a verification finds, in words."""

from dataclasses import dataclass
from enum import StrEnum


class Source(StrEnum):
    """How a finding was come by."""

    DIFFERENCE = "difference"  # the live fence is not the declared one
    INVARIANT = "invariant"  # something that must hold whatever is declared
    SERVER = "server"  # the server's version or its settings


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing that is not as declared: what it is, and what it opens."""

    source: Source
    kind: str
    object: str
    what: str
    opens: str

    def sentence(self) -> str:
        """The finding as one line for a person."""
        return f"{self.what}: {self.opens}" if self.opens else self.what


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome: clean where there are no findings; `unseen` says what this login could not look at."""

    findings: tuple[Finding, ...]
    rows: int
    unseen: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether the live fence is the declared one."""
        return not self.findings
