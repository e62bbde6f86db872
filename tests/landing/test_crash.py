"""Killed between any two steps, a lander leaves the old file or the new one, and the next act finishes the work."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fleetmem import landing
from tests.landing import crash
from tests.landing.places import HAND_WRITTEN, MEMORIES, SKILL, picture, placed, without_folders, workspace

ROOT = Path(__file__).parents[2]


def made_ready(base: Path, verb: str, memory: str) -> None:
    place = workspace(base)
    (place.path / "AGENTS.md").write_bytes(b"# Mine\r\nno final line break")
    if memory == "joining":
        (place.path / SKILL).parent.mkdir(parents=True)
        (place.path / SKILL).write_bytes(HAND_WRITTEN)
    if verb == "remove":
        landing.land(place, MEMORIES[memory])


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("verb", ["land", "remove"])
def test_a_killed_lander_leaves_the_old_file_or_the_new_one(quick: Path, verb: str, memory: str) -> None:
    made_ready(quick / "ready", verb, memory)
    old = without_folders(picture(quick / "ready"))
    shutil.copytree(quick / "ready", quick / "whole")
    crash.acting(verb, memory, quick / "whole")()
    new = without_folders(picture(quick / "whole"))
    assert old != new
    command = [sys.executable, "-m", "tests.landing.crash", verb, memory, str(quick)]
    told = subprocess.run(command, cwd=ROOT, check=True, timeout=300, capture_output=True, text=True)
    total = int(told.stdout)
    assert total > 15
    for at in range(total):
        left = {
            path: entry for path, entry in without_folders(picture(quick / str(at))).items() if "-draft" not in path
        }
        assert left in (old, new), at
        crash.acting(verb, memory, quick / str(at))()
        assert without_folders(picture(quick / str(at))) == new, at
        assert landing.faults(placed(quick / str(at))) == ()


def test_a_draft_that_was_left_is_told_until_the_next_landing(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    (place.path / ".AGENTS.md.fleetmem-draft").write_bytes(b"half of a secr")
    assert [fault.rule for fault in landing.faults(place)] == ["left-over"]
    landing.land(place, MEMORIES["severe"])
    assert landing.faults(place) == ()
