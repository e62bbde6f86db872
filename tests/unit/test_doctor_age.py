"""What doctor makes of the reports in the data directory."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from fleetmem.admin.doctor import State, age

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)


def proof(folder: Path, at: datetime, *, holds: bool) -> None:
    told = {"started_at": at.isoformat(), "holds": holds, "verdicts": []}
    (folder / f"prove-{at:%Y%m%dT%H%M%SZ}.json").write_text(json.dumps(told))


def states(folder: Path) -> dict[str, State]:
    return {finding.what: finding.state for finding in age.reports(folder, NOW)}


def test_a_place_without_reports_leaves_both_questions_open(tmp_path: Path) -> None:
    assert states(tmp_path) == {"last proof": State.OPEN, "last drill": State.OPEN}
    assert states(tmp_path / "absent") == {"last proof": State.OPEN, "last drill": State.OPEN}


def test_the_newest_report_counts_and_grows_old(tmp_path: Path) -> None:
    proof(tmp_path, NOW - timedelta(days=40), holds=True)
    assert states(tmp_path)["last proof"] is State.OPEN
    proof(tmp_path, NOW - timedelta(days=2), holds=False)
    assert states(tmp_path)["last proof"] is State.BROKEN
    proof(tmp_path, NOW - timedelta(days=1), holds=True)
    assert states(tmp_path)["last proof"] is State.SOUND


def test_a_damaged_report_is_passed_over_for_the_one_before(tmp_path: Path) -> None:
    proof(tmp_path, NOW - timedelta(days=1), holds=True)
    (tmp_path / "prove-20270301T110000Z.json").write_text('{"started_at": ')
    assert states(tmp_path)["last proof"] is State.SOUND


def test_a_drill_is_told_by_its_colour(tmp_path: Path) -> None:
    told = {"at": (NOW - timedelta(hours=3)).isoformat(), "green": True}
    (tmp_path / "drill-20270301T090000Z.json").write_text(json.dumps(told))
    assert states(tmp_path)["last drill"] is State.SOUND
