"""Labelled notes read from a file: teams with their agents, and notes with whom each is for.

JSON lines with a `type`: `team` (`team`, `agents` of `id`, `name`, `description`, `instructions`) and `note` (`team`, `text`,
`recipients`, which may be empty: for nobody). Other fields are left alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from fleetmem.errors import RequestInvalid
from fleetmem.memory.profile import Member


class AgentLine(msgspec.Struct):
    """An agent of a team."""

    id: str
    name: str
    description: str
    instructions: str


class TeamLine(msgspec.Struct, tag_field="type", tag="team"):
    """A line with a team."""

    team: str
    agents: list[AgentLine]


class NoteLine(msgspec.Struct, tag_field="type", tag="note"):
    """A line with a note."""

    team: str
    text: str
    recipients: list[str]


@dataclass(frozen=True, slots=True)
class Note:
    """A labelled note: `recipients` are names of its team's members."""

    team: str
    text: str
    recipients: frozenset[str]

    @property
    def sentences(self) -> frozenset[str]:
        """Return its sentences; notes are sometimes made of others."""
        return frozenset(each.strip() for each in _SENTENCE.split(self.text))


@dataclass(frozen=True, slots=True)
class Corpus:
    """Teams by name, in the file's order, and their notes."""

    name: str
    sha256: str
    teams: dict[str, tuple[Member, ...]]
    notes: tuple[Note, ...]


def read(path: Path) -> Corpus:
    """Read a corpus.

    Raises:
        RequestInvalid: a line is malformed, or names a team or an agent that no line before it declares; it says which.
    """
    raw = path.read_bytes()
    teams: dict[str, tuple[Member, ...]] = {}
    names: dict[str, dict[str, str]] = {}
    notes = []
    for number, line in _lines(path, raw):
        if isinstance(line, TeamLine):
            teams[line.team] = tuple(Member(each.name, each.description, each.instructions) for each in line.agents)
            names[line.team] = {each.id: each.name for each in line.agents}
            continue
        known = names.get(line.team, {})
        unknown = [recipient for recipient in line.recipients if recipient not in known]
        if line.team not in teams or unknown:
            raise _refused(
                path,
                number,
                f"team {line.team!r} is unknown"
                if not known
                else f"{', '.join(map(repr, unknown))}: no agent of the team {line.team!r}",
            )
        notes.append(Note(line.team, line.text, frozenset(known[recipient] for recipient in line.recipients)))
    if not notes:
        raise RequestInvalid(f"{path} holds no note", field="FILE", rule="empty")
    return Corpus(path.name, hashlib.sha256(raw).hexdigest(), teams, tuple(notes))


def accepted(corpus: Corpus, note: Note, agent: str, most: int) -> tuple[str, ...]:
    """Return up to `most` other notes of the team that are for an agent, none of which shares a sentence with the note.

    Which ones is the same whatever the file's order.
    """
    held = (
        each.text
        for each in corpus.notes
        if each.team == note.team and agent in each.recipients and not each.sentences & note.sentences
    )
    return tuple(sorted(held, key=_digest)[:most])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _lines(path: Path, raw: bytes) -> Iterator[tuple[int, TeamLine | NoteLine]]:
    for number, line in enumerate(raw.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield number, msgspec.json.decode(line, type=TeamLine | NoteLine)
        except msgspec.DecodeError as error:
            raise _refused(path, number, str(error)) from error


def _refused(path: Path, number: int, why: str) -> RequestInvalid:
    return RequestInvalid(f"{path}, line {number}: {why}", field="FILE", rule="format")


def texts(corpus: Corpus) -> Sequence[str]:
    """Return the text of every note."""
    return [each.text for each in corpus.notes]


_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
