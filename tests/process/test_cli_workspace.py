"""`fleetmem workspace`: the owner is told, workspace by workspace, what would be read across its border."""

import json
import os
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest

from fleetmem import landing

PROGRAM = Path(sys.executable).parent / "fleetmem"
ROSTER = """
audiences: [open]
agents:
  - {name: backend, description: Runs the backend., reads: [open], writes: [open], instructions: Keep the API small.}
  - {name: frontend, description: Draws the pages., reads: [open], writes: [open], workspace: pages, target: claude-code}
  - {name: alone, description: Is in no team., reads: [open], writes: [open]}
teams:
  - {name: site, description: Makes the site., members: [backend, frontend], audiences: [open]}
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
    assert {path.name for path in (folder / "workspaces").iterdir()} == {"backend", "pages", "alone"}
    fit = fleetmem(folder, "verify")
    assert (fit.returncode, fit.stderr) == (0, "")
    assert fit.stdout.count(": fit") == 3


def test_an_agent_in_no_team_needs_no_workspace_and_one_that_it_has_is_looked_at(folder: Path) -> None:
    for name in ("backend", "pages"):
        assert fleetmem(folder, "prepare", f"workspaces/{name}").returncode == 0
    fit = fleetmem(folder, "verify")
    assert (fit.returncode, fit.stdout.count(": fit")) == (0, 2)
    (folder / "workspaces" / "alone").mkdir()
    unfit = fleetmem(folder, "verify")
    assert unfit.returncode == 1
    assert "alone: not fit" in unfit.stdout


def test_what_is_wrong_is_told_by_place_and_rule(folder: Path) -> None:
    fleetmem(folder, "prepare")
    (folder / "workspaces" / "pages" / ".claude").symlink_to(folder)
    (folder / "workspaces" / "backend" / "AGENTS.md").write_text("<!-- fleetmem:end -->\n")
    answered = fleetmem(folder, "verify", "--json")
    assert answered.returncode == 1
    told = {
        Path(path).name: [fault["rule"] for fault in faults] for path, faults in json.loads(answered.stdout).items()
    }
    assert told == {"backend": ["malformed"], "pages": ["not-plain"], "alone": []}
    assert fleetmem(folder, "verify", "--target", "claude-code", "workspaces/backend").returncode == 0


def test_an_agent_is_held_to_the_rules_of_its_own_runtime_and_a_path_to_those_of_all(folder: Path) -> None:
    fleetmem(folder, "prepare")
    (folder / "workspaces" / "backend" / "CLAUDE.md").write_text("<!-- fleetmem:end -->\n")
    assert fleetmem(folder, "verify").returncode == 0
    assert fleetmem(folder, "verify", "workspaces/backend").returncode == 1
    (folder / "workspaces" / "pages" / "CLAUDE.md").write_text("<!-- fleetmem:end -->\n")
    assert fleetmem(folder, "verify").returncode == 1


def test_a_workspace_is_made_with_its_agents_instructions_and_never_given_others(folder: Path) -> None:
    fleetmem(folder, "prepare")
    instructions = folder / "workspaces" / "backend" / "AGENTS.md"
    assert instructions.read_text() == "Keep the API small.\n"
    assert not (folder / "workspaces" / "pages" / "CLAUDE.md").exists()
    instructions.write_text("By hand.\n")
    assert fleetmem(folder, "prepare").returncode == 0
    assert instructions.read_text() == "By hand.\n"


def test_instructions_are_written_anew_around_landed_memory(folder: Path) -> None:
    fleetmem(folder, "prepare")
    instructions = folder / "workspaces" / "backend" / "AGENTS.md"
    instructions.write_bytes(b"Old ones.\r\n")
    note = UUID("0197c0de-0000-7000-8000-000000000001")
    memory = landing.Memory(note=note, nonce="ab" * 16, content="The frontend needs the contract alone.")
    landed = landing.land(landing.Workspace(root=folder / "workspaces", name="backend"), memory)
    block = instructions.read_bytes().partition(b"<!-- fleetmem:begin")[2]
    answered = fleetmem(folder, "instruct", "--agent", "backend")
    assert (answered.returncode, answered.stdout) == (0, f"{instructions}: written\n")
    written = instructions.read_bytes()
    assert written.startswith(b"Keep the API small.")
    assert b"Old ones." not in written
    assert block.rstrip() in written
    assert landing.available(landing.Workspace(root=folder / "workspaces", name="backend"), landed)


def test_who_has_no_instructions_is_told_and_who_is_nobody_is_refused(folder: Path) -> None:
    fleetmem(folder, "prepare")
    answered = fleetmem(folder, "instruct")
    assert answered.returncode == 0
    assert "frontend has no instructions in the roster" in answered.stderr
    assert list((folder / "workspaces" / "pages").iterdir()) == [folder / "workspaces" / "pages" / ".git"]
    refused = fleetmem(folder, "instruct", "--agent", "backened")
    assert refused.returncode == 2
    assert "backened is no agent of the roster" in refused.stderr


def test_paths_that_lie_in_one_another_are_no_two_workspaces(folder: Path) -> None:
    assert fleetmem(folder, "prepare", "outer").returncode == 0
    inner = fleetmem(folder, "prepare", "outer/inner")
    assert inner.returncode == 78
    assert "another agent's workspace" in inner.stderr
    answered = fleetmem(folder, "verify", "outer", "outer/inner")
    assert answered.returncode == 1
    assert "lies inside" in answered.stdout
