import json
from pathlib import Path
from typing import Any

import pytest

from fleetmem.admin import segment_corpus
from fleetmem.admin.segment_corpus import Measured
from fleetmem.errors import RequestInvalid
from fleetmem.memory.segment import Boundary, Rules

_SHOP = ["Add cursor pagination to the orders endpoint", "Test the pagination of the orders endpoint"]
_HIRE = ["Draft a job description for a senior backend engineer", "Shorten the job description of the engineer"]


def _measure(path: Path, *rows: dict[str, Any] | str) -> Measured:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return segment_corpus.measure(path, rules=Rules(), encode=None)


def test_boundaries_are_counted_by_either_label(tmp_path: Path) -> None:
    rows = [{"team": "t", "prompt": prompt} for prompt in (*_SHOP, *_HIRE)]
    flagged = [row | {"boundary": at == 2} for at, row in enumerate(rows)]
    labelled = [row | {"segment": "shop" if at < 2 else "hire"} for at, row in enumerate(rows)]
    for given in (flagged, labelled, [{"team": "t", "tasks": flagged}]):
        measured = _measure(tmp_path / "f", *given)
        assert (measured.overall.f1, measured.tasks, measured.sequences, measured.segments) == (1.0, 4, 1, 2)


def test_interleaved_teams_are_kept_apart(tmp_path: Path) -> None:
    rows = [
        {"team": team, "prompt": prompt, "boundary": False}
        for shop, hire in zip(_SHOP, _HIRE, strict=True)
        for team, prompt in (("a", shop), ("b", hire))
    ]
    measured = _measure(tmp_path / "f", *rows)
    assert (measured.overall.wrong, measured.mixed_teams, measured.segments) == (0, 0, 2)


def test_a_missed_and_a_wrong_boundary_are_told_apart(tmp_path: Path) -> None:
    rows = [(_SHOP[0], False), (_SHOP[1], True), (_HIRE[0], False)]
    measured = _measure(tmp_path / "f", *({"team": "t", "prompt": p, "boundary": b} for p, b in rows))
    assert (measured.overall.right, measured.overall.wrong, measured.overall.missed) == (0, 1, 1)
    assert measured.overall.f1 == 0


def test_a_segment_that_was_only_full_is_no_wrong_claim_but_is_counted(tmp_path: Path) -> None:
    rows = [{"team": "t", "prompt": _SHOP[at % 2], "boundary": False} for at in range(12)]
    measured = _measure(tmp_path / "f", *rows)
    assert measured.by_kind[Boundary.SIZE_CAP] == 1
    assert (measured.overall.wrong, measured.every_cut.wrong) == (0, 1)


def test_half_an_hour_of_silence_is_a_boundary(tmp_path: Path) -> None:
    rows = [("2026-05-01T12:00:00Z", False), ("2026-05-01T12:30:00Z", True)]
    measured = _measure(
        tmp_path / "f",
        *({"team": "t", "prompt": p, "boundary": b, "at": at} for p, (at, b) in zip(_SHOP, rows, strict=True)),
    )
    assert measured.overall.f1 == 1


@pytest.mark.parametrize(
    "wrong",
    [
        "{",
        "[1]",
        '{"team": "t", "prompt": "x"}',
        '{"prompt": "x", "boundary": true}',
        '{"team": "t", "prompt": 7, "boundary": true}',
        '{"team": "t", "prompt": "x", "boundary": "yes"}',
        '{"team": "t", "prompt": "x", "boundary": true, "at": "2026-05-01T12:00:00"}',
        '{"team": "t", "tasks": [{"prompt": "x"}]}',
    ],
)
def test_a_bad_line_is_refused_by_its_number(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(RequestInvalid, match="line 3: "):
        _measure(tmp_path / "f", {"team": "t", "prompt": "x", "boundary": False}, "", wrong)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestInvalid, match="no task"):
        _measure(tmp_path / "f", "")
