"""What was measured, as a table to read and as JSON to keep."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Final

import msgspec

MISSING: Final = "-"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a section's table: figures by column name, in the order in which they are shown; None was not measured."""

    section: str
    what: str
    figures: dict[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A goal of the design, what was measured for it, and whether that meets it. `measured` None: it was not measured."""

    number: str
    says: str
    bound: float
    at_least: bool
    measured: float | None
    note: str = ""

    @property
    def verdict(self) -> str:
        """`met`, `MISSED` or `not measured`."""
        if self.measured is None:
            return "not measured"
        met = self.measured >= self.bound if self.at_least else self.measured <= self.bound
        return "met" if met else "MISSED"


@dataclass(slots=True)
class Report:
    """One run."""

    machine: dict[str, str]
    rows: list[Row] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)

    def add(self, rows: Iterable[Row], goals: Iterable[Goal] = ()) -> None:
        """Append a section."""
        self.rows.extend(rows)
        self.goals.extend(goals)

    def text(self) -> str:
        """The run as tables of plain text."""
        blocks = ["\n".join(f"  {name:<20}{value}" for name, value in self.machine.items())]
        for section, rows in groupby(self.rows, key=lambda row: row.section):
            blocks.append(section + "\n" + _table(list(rows)))
        blocks.append("goals\n" + _aligned([_goal_cells(goal) for goal in self.goals], ("", "goal", "measured", "")))
        return "\n\n".join(blocks)

    def json(self) -> bytes:
        """The run as one JSON document."""
        goals = [asdict(goal) | {"verdict": goal.verdict} for goal in self.goals]
        whole = {"machine": self.machine, "rows": [asdict(row) for row in self.rows], "goals": goals}
        return msgspec.json.format(msgspec.json.encode(whole)) + b"\n"


def _table(rows: Sequence[Row]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row.figures))
    cells = [(row.what, *(number(row.figures.get(name)) for name in columns)) for row in rows]
    return _aligned(cells, ("", *columns))


def _goal_cells(goal: Goal) -> tuple[str, ...]:
    sign = ">=" if goal.at_least else "<="
    says = f"{goal.says} {sign} {number(goal.bound)}"
    return goal.number, says, number(goal.measured), f"{goal.verdict} {goal.note}".strip()


def _aligned(cells: Sequence[tuple[str, ...]], header: tuple[str, ...]) -> str:
    """Columns side by side: words to the left, figures to the right."""
    lines = [header, *cells]
    widths = [max(len(line[at]) for line in lines) for at in range(len(header))]
    left = [not _is_figure(cells, at) for at in range(len(header))]
    return "\n".join(
        "  "
        + "  ".join(
            text.ljust(width) if to_left else text.rjust(width)
            for text, width, to_left in zip(line, widths, left, strict=True)
        ).rstrip()
        for line in lines
    )


def _is_figure(cells: Sequence[tuple[str, ...]], at: int) -> bool:
    return at > 0 and all(line[at] == MISSING or line[at].replace(",", "").replace(".", "").isdigit() for line in cells)


def number(value: float | None) -> str:
    """Three digits that count: 0.043, 1.24, 36.1, 420, 12,400."""
    if value is None:
        return MISSING
    if value >= 1000:  # noqa: PLR2004 -- from here on digits after the point are noise
        return f"{round(value, 3 - len(str(int(value)))):,.0f}"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3  # noqa: PLR2004 -- powers of ten
    return f"{value:.{digits}f}"
