"""How many attempts of which kind each section has, and how many did not hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from fleetmem.admin.prove.verdict import Kind, Verdict, Way

SECTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "S": "Setting the stage",
        "A": "Forged identity",
        "B": "A login by itself",
        "C": "Escalation",
        "D": "Disarming the fence",
        "E": "Writing as somebody else",
        "F": "Reading what is not yours, and oracles",
        "G": "The other roles",
        "H": "Interference",
        "I": "The key",
        "J": "What a session sets for itself",
        "K": "The functions that requests call",
        "L": "The ledger, and its reasons",
        "N": "What a team says and does",
        "O": "Memories: who reads, decides and receives them",
        "Q": "The worker's login, and its queue",
        "M": "Rights: every role, object and verb",
        "V": "The live fence against the declared one",
        "X": "Several sessions, and time",
        "R": "The roster's shape: every reader, audience and verb",
        "P": "Each other's records, each verb",
        "W": "Forged over the wire",
    }
)


@dataclass(frozen=True, slots=True)
class Total:
    """One line of the table."""

    way: str
    section: str
    title: str
    refusals: int
    controls: int
    states: int
    limits: int
    failed: int


def totals(verdicts: Iterable[Verdict]) -> list[Total]:
    """Count by way and section, in the order in which they were tried."""
    grouped: dict[tuple[Way, str], list[Verdict]] = {}
    for verdict in verdicts:
        grouped.setdefault((verdict.way, verdict.section), []).append(verdict)
    return [_total(way.value, section, SECTIONS.get(section, ""), each) for (way, section), each in grouped.items()]


def whole(verdicts: Iterable[Verdict]) -> Total:
    """Count everything."""
    return _total("", "", "all", list(verdicts))


def _total(way: str, section: str, title: str, verdicts: list[Verdict]) -> Total:
    def of(kind: Kind) -> int:
        return sum(verdict.kind is kind for verdict in verdicts)

    failed = sum(not verdict.held for verdict in verdicts)
    return Total(way, section, title, of(Kind.REFUSAL), of(Kind.CONTROL), of(Kind.STATE), of(Kind.LIMIT), failed)
