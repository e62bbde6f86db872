"""`fleetmem workspace`: the owner is told, workspace by workspace, what would be read across its border."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).parent / "fleetmem"
ROSTER = """
audiences: [open]
agents:
  - {name: backend, description: Runs the backend., reads: [open], writes: [open]}
  - {name: frontend, description: Draws the pages., reads: [open], writes: [open], workspace: pages}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "roster.yaml").write_text(ROSTER)
    return tmp_path


def fleetmem(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FLEETMEM_")}  # noqa: TID251 -- a child's
    return subprocess.run(
        [PROGRAM, "workspace", *arguments],
        cwd=folder,
        env=inherited,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_workspaces_of_the_roster_are_made_and_found_fit(folder: Path) -> None:
    missing = fleetmem(folder, "verify")
    assert missing.returncode == 1
    assert not (folder / "workspaces").exists()
    assert fleetmem(folder, "prepare").returncode == 0
    assert {path.name for path in (folder / "workspaces").iterdir()} == {"backend", "pages"}
    fit = fleetmem(folder, "verify")
    assert (fit.returncode, fit.stderr) == (0, "")
    assert fit.stdout.count(": fit") == 2


def test_what_is_wrong_is_told_by_place_and_rule(folder: Path) -> None:
    fleetmem(folder, "prepare")
    (folder / "workspaces" / "pages" / ".agents").symlink_to(folder)
    (folder / "workspaces" / "backend" / "CLAUDE.md").write_text("<!-- fleetmem:end -->\n")
    answered = fleetmem(folder, "verify", "--json")
    assert answered.returncode == 1
    told = {
        Path(path).name: [fault["rule"] for fault in faults] for path, faults in json.loads(answered.stdout).items()
    }
    assert told == {"backend": ["malformed"], "pages": ["not-plain"]}
    assert fleetmem(folder, "verify", "--target", "codex", "workspaces/backend").returncode == 0


def test_paths_that_lie_in_one_another_are_no_two_workspaces(folder: Path) -> None:
    assert fleetmem(folder, "prepare", "outer").returncode == 0
    inner = fleetmem(folder, "prepare", "outer/inner")
    assert inner.returncode == 78
    assert "another agent's workspace" in inner.stderr
    answered = fleetmem(folder, "verify", "outer", "outer/inner")
    assert answered.returncode == 1
    assert "lies inside" in answered.stdout
