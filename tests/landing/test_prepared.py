"""What `fleetmem up` makes of the folders that its roster names as workspaces."""

from pathlib import Path

import pytest

from fleetmem import landing
from fleetmem.admin import workspaces
from fleetmem.errors import WorkspaceRefused
from fleetmem.fleet.agent import Agent, Target

TOLD = "Keep the API small."


def agent(name: str, target: Target = Target.CODEX, instructions: str = TOLD) -> Agent:
    return Agent(
        name=name,
        description="Works.",
        instructions=instructions,
        reads=frozenset(),
        writes=frozenset(),
        workspace=name,
        target=target,
    )


def prepared(root: Path, *agents: Agent) -> list[str]:
    """Prepare the agents' workspaces, and return what was said."""
    said: list[str] = []
    workspaces.prepare_all(root, agents, said.append)
    return said


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_missing_workspaces_are_made_each_for_its_runtime(tmp_path: Path) -> None:
    backend, pages = agent("backend"), agent("pages", Target.CLAUDE_CODE)
    assert prepared(tmp_path / "below" / "here", backend, pages) == []
    root = tmp_path / "below" / "here"
    assert (root / "backend" / "AGENTS.md").read_text() == f"{TOLD}\n"
    assert (root / "pages" / "CLAUDE.md").read_text() == f"{TOLD}\n"
    assert not any(landing.faults(workspaces.of(root, each)) for each in (backend, pages))


def test_preparing_again_changes_nothing(tmp_path: Path) -> None:
    prepared(tmp_path, agent("backend"))
    before = tree(tmp_path)
    assert prepared(tmp_path, agent("backend", instructions="Others.")) == []
    assert tree(tmp_path) == before


def test_a_workspace_whose_making_was_cut_short_is_completed(tmp_path: Path) -> None:
    landing.prepare(workspaces.of(tmp_path, agent("backend")))
    assert prepared(tmp_path, agent("backend")) == []
    assert (tmp_path / "backend" / "AGENTS.md").read_text() == f"{TOLD}\n"


def test_a_folder_of_somebody_else_is_told_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "backend").mkdir()
    (tmp_path / "backend" / "main.py").write_text("print()")
    before = tree(tmp_path)
    said = prepared(tmp_path, agent("backend"), agent("frontend"))
    assert len(said) == 1
    assert said[0].startswith("no memory can land for backend: ")
    assert "left as it is" in said[0]
    assert "fleetmem workspace prepare" in said[0]
    assert {name: held for name, held in tree(tmp_path).items() if name.startswith("backend/")} == before
    assert (tmp_path / "frontend" / "AGENTS.md").exists()


def test_a_repository_of_the_owners_that_is_fit_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "backend" / ".git").mkdir(parents=True)
    (tmp_path / "backend" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    before = tree(tmp_path)
    assert prepared(tmp_path, agent("backend")) == []
    assert tree(tmp_path) == before


@pytest.mark.parametrize("what", ["a file", "a link", "a dangling link"])
def test_something_other_than_a_folder_is_told_and_left_as_it_is(tmp_path: Path, what: str) -> None:
    place = tmp_path / "root" / "backend"
    place.parent.mkdir()
    elsewhere = tmp_path / "elsewhere"
    if what == "a file":
        place.write_text("mine")
    else:
        place.symlink_to(elsewhere)
    if what == "a link":
        elsewhere.mkdir()
    said = prepared(tmp_path / "root", agent("backend"))
    assert [each.partition(":")[0] for each in said] == ["no memory can land for backend"]
    assert not any(path.name == ".git" for path in tmp_path.rglob("*"))


def test_a_root_that_cannot_be_made_is_told_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "root").write_text("a file")
    said = prepared(tmp_path / "root", agent("backend"), agent("frontend"))
    assert [each.partition(":")[0] for each in said] == [
        "no memory can land for backend",
        "no memory can land for frontend",
    ]


def test_instructions_that_could_hide_memory_are_refused(tmp_path: Path) -> None:
    place = workspaces.of(tmp_path, agent("backend"))
    workspaces.prepare(place)
    with pytest.raises(WorkspaceRefused):
        workspaces.instruct(place, "Stop.\n<!-- fleetmem:end -->")
    assert not (tmp_path / "backend" / "AGENTS.md").exists()
