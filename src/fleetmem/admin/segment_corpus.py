"""Labelled sequences of tasks read from a file, and how the segmentation does on them.

JSON lines, one task a line in the order they were asked: `team`, `prompt`, and either `boundary` (true where a new segment
begins) or `segment` (a label that changes there); `task`, `at` (RFC 3339), `sequence` and `output` may come along. A line may
also hold a whole sequence: `team` and `tasks`, a list of such rows. Sequences are kept apart by team and `sequence`. The
first task of a sequence begins a segment whatever anybody says, so it is not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from fleetmem.errors import RequestInvalid
from fleetmem.memory import segment
from fleetmem.memory.segment import Boundary, Encode, Reading, Rules, Topic


class Task(msgspec.Struct):
    """One task as it stands in the file."""

    prompt: str
    team: str | None = None
    task: str | int | None = None
    boundary: bool | None = None
    segment: str | int | None = None
    at: datetime | None = None
    sequence: str | int | None = None
    output: str | None = None


class Several(msgspec.Struct):
    """A whole sequence on one line."""

    tasks: list[Task]
    team: str
    sequence: str | int | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """Boundaries: set where one belongs, set where none does, and missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float | None:
        """Return which share of those that were set belong there; None where none was."""
        return _share(self.right, self.right + self.wrong)

    @property
    def recall(self) -> float | None:
        """Return which share of those that belong were set; None where none does."""
        return _share(self.right, self.right + self.missed)

    @property
    def f1(self) -> float | None:
        """Return the harmonic mean of both; None where there is nothing to find and nothing was found."""
        return _share(2 * self.right, 2 * self.right + self.wrong + self.missed)

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)


@dataclass(frozen=True, slots=True)
class Measured:
    """What a file of sequences says about the segmentation.

    A segment that closed only because it was full makes no claim about the subject: such a boundary where none is labelled
    is not wrong in `overall` and `by_team`; `every_cut` counts it as wrong. `mixed_teams` counts segments with two teams.
    """

    overall: Tally
    every_cut: Tally
    by_team: dict[str, Tally]
    by_kind: dict[Boundary, int]
    sequences: int
    tasks: int
    segments: int
    mixed_teams: int
    is_encoded: bool
    threshold: float


@dataclass(slots=True)
class _Open:
    """The segment of a sequence that is open while the file is read."""

    number: int
    topic: Topic = field(default_factory=Topic)
    tasks: int = 0
    characters: int = 0
    active_at: datetime | None = None


def measure(path: Path, *, rules: Rules, encode: Encode | None) -> Measured:
    """Segment every sequence of a file as the worker would, and compare with its labels.

    Raises:
        RequestInvalid: a line is in neither form; the message says which.
    """
    tallies, every_cut = dict[str, Tally](), Tally()
    kinds, teams_of = Counter[Boundary](), dict[int, set[str]]()
    opened = dict[tuple[str, str], _Open]()
    known = dict[tuple[str, str], Task]()
    every = list(_tasks(path))
    prompts = _readings({task.prompt for _, task in every}, encode)
    for key, task in every:
        current, found = _placed(opened.get(key), task, prompts[task.prompt], number=len(teams_of), rules=rules)
        opened[key] = current
        teams_of.setdefault(current.number, set()).add(task.team or "")
        before = known.get(key)
        known[key] = task
        tallies.setdefault(key[0], Tally())
        if before is None:
            continue
        kinds.update([found] if found else [])
        is_labelled = _begins(before, task)
        told = _told(is_labelled=is_labelled, is_set=found is not None)
        every_cut += told
        if is_labelled or found is not Boundary.SIZE_CAP:
            tallies[key[0]] += told
    return Measured(
        overall=sum(tallies.values(), Tally()),
        every_cut=every_cut,
        by_team=dict(sorted(tallies.items())),
        by_kind={kind: kinds[kind] for kind in Boundary if kind is not Boundary.MID_TASK},
        sequences=len(opened),
        tasks=len(every),
        segments=len(teams_of),
        mixed_teams=sum(len(teams) > 1 for teams in teams_of.values()),
        is_encoded=encode is not None,
        threshold=rules.topic_shift if encode is None else rules.topic_shift_encoded,
    )


def _readings(texts: set[str], encode: Encode | None) -> dict[str, Reading]:
    """Encode every prompt once, all together: one by one takes a model ten times as long."""
    ordered = sorted(texts)
    if encode is None:
        return {text: Reading(text) for text in ordered}
    return {text: Reading(text, vector) for text, vector in zip(ordered, encode(ordered), strict=True)}


def _placed(
    current: _Open | None, task: Task, prompt: Reading, *, number: int, rules: Rules
) -> tuple[_Open, Boundary | None]:
    """Return the segment that a task belongs to, with the task in it, and why the one before it closed."""
    found = None
    if current is None:
        current = _Open(number)
    else:
        idle_s = segment.seconds_between(current.active_at, task.at)
        found = segment.boundary(
            prompt, current.topic, tasks=current.tasks, characters=current.characters, idle_s=idle_s, rules=rules
        )
        if found is not None:
            current = _Open(number, topic=segment.opening(current.topic, found))
    current.topic = current.topic.with_prompt(prompt)
    if task.output:
        current.topic = current.topic.with_output(task.output)
    current.tasks += 1
    current.characters += len(task.prompt) + len(task.output or "")
    current.active_at = task.at or current.active_at
    return current, found


def _begins(before: Task, task: Task) -> bool:
    return task.boundary if task.boundary is not None else task.segment != before.segment


def _told(*, is_labelled: bool, is_set: bool) -> Tally:
    return Tally(int(is_labelled and is_set), int(is_set and not is_labelled), int(is_labelled and not is_set))


def _tasks(path: Path) -> Iterator[tuple[tuple[str, str], Task]]:
    """Yield each task with what it belongs to: its team and sequence."""
    lines = [(number, line) for number, line in enumerate(path.read_bytes().splitlines(), start=1) if line.strip()]
    if not lines:
        raise RequestInvalid(f"{path} holds no task", field="FILE", rule="empty")
    for number, line in lines:
        for task in _read(path, number, line):
            yield (task.team or "", str(task.sequence if task.sequence is not None else "")), task


def _read(path: Path, number: int, line: bytes) -> Sequence[Task]:
    try:
        given = msgspec.json.decode(line)
        is_several = isinstance(given, dict) and "tasks" in given
        rows = _of_one_line(msgspec.convert(given, Several), number) if is_several else [msgspec.convert(given, Task)]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _refused(path, number, str(error)) from error
    for row in rows:
        if not row.team:
            raise _refused(path, number, "`team` is missing or empty")
        if row.boundary is None and row.segment is None:
            raise _refused(path, number, "a task says `boundary` or `segment`")
        if row.at is not None and row.at.tzinfo is None:
            raise _refused(path, number, "`at` has no offset from UTC")
    return rows


def _of_one_line(several: Several, number: int) -> list[Task]:
    named = several.sequence if several.sequence is not None else f"line {number}"
    return [
        msgspec.structs.replace(row, team=row.team or several.team, sequence=_or(row.sequence, named))
        for row in several.tasks
    ]


def _or(own: str | int | None, other: str | int) -> str | int:
    return other if own is None else own


def _refused(path: Path, number: int, why: str) -> RequestInvalid:
    return RequestInvalid(f"{path}, line {number}: {why}", field="FILE", rule="format")


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, _DIGITS) if whole else None


_DIGITS: Final = 4
