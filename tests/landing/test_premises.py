"""Which workspaces are fit: their own git root, below nothing that would be read in them, with nothing odd inside."""

import ast
import os
from pathlib import Path

import pytest

import fleetmem
from fleetmem import landing
from fleetmem.errors import WorkspaceRefused
from fleetmem.landing import Workspace
from fleetmem.memory.target import Target
from tests.landing.places import HAND_WRITTEN, KEY, PROPOSED, SEVERE, SKILL, placed, workspace


def rules(place: Workspace) -> list[str | None]:
    return [fault.rule for fault in landing.faults(place)]


@pytest.mark.parametrize("target", Target)
def test_a_prepared_workspace_is_fit_and_preparing_it_again_changes_nothing(tmp_path: Path, target: Target) -> None:
    place = workspace(tmp_path, target=target)
    (place.path / ".git" / "config").write_text("[core]\n\tbare = false\n[user]\n\tname = x\n")
    landing.prepare(place)
    assert (place.path / ".git" / "config").read_text().endswith("name = x\n")
    assert rules(place) == []


def test_a_workspace_that_is_missing_or_no_git_root_is_not_fit(tmp_path: Path) -> None:
    assert rules(placed(tmp_path)) == ["absent"]
    place = workspace(tmp_path)
    (place.path / ".git" / "HEAD").unlink()
    assert rules(place) == ["git-root"]
    (place.path / ".git").rename(tmp_path / "git")
    assert rules(place) == ["git-root"]
    (place.path / ".git").write_text(f"gitdir: {tmp_path / 'git'}\n")
    assert rules(place) == ["git-root"]
    with pytest.raises(WorkspaceRefused):
        landing.land(place, SEVERE)
    with pytest.raises(WorkspaceRefused):
        landing.prepare(place)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../outside"])
def test_a_name_that_is_no_single_component_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(WorkspaceRefused):
        landing.prepare(placed(tmp_path, name))
    assert {path.name for path in tmp_path.iterdir()} <= {"workspaces"}


def test_a_workspace_inside_another_one_is_refused(tmp_path: Path) -> None:
    outer = workspace(tmp_path)
    inner = Workspace(root=outer.path / "below", name="inner")
    with pytest.raises(WorkspaceRefused) as refused:
        landing.prepare(inner)
    assert refused.value.rule == "nested"
    assert landing.nested([inner.path, outer.path]) == [(inner.path, outer.path)]
    alias = tmp_path / "alias"
    alias.symlink_to(outer.path)
    assert (alias, outer.path) in landing.nested([alias, outer.path])


@pytest.mark.parametrize(
    ("target", "carrier", "in_repository", "rule"),
    [
        (Target.CODEX, "AGENTS.md", True, "carrier-above"),
        (Target.CODEX, "AGENTS.override.md", True, "carrier-above"),
        (Target.CODEX, ".agents/skills", True, "carrier-above"),
        (Target.CODEX, "AGENTS.md", False, None),
        (Target.CODEX, "CLAUDE.md", True, None),
        (Target.CLAUDE_CODE, "CLAUDE.md", False, "carrier-above"),
        (Target.CLAUDE_CODE, ".claude/rules", False, "carrier-above"),
        (Target.CLAUDE_CODE, ".claude/skills", False, None),
        (Target.CLAUDE_CODE, ".claude/skills", True, "carrier-above"),
        (Target.CLAUDE_CODE, "AGENTS.md", True, None),
    ],
)
@pytest.mark.parametrize("depth", ["", "deeper"])
def test_what_would_be_read_from_above_is_refused(  # noqa: PLR0917 -- a table of cases
    tmp_path: Path,
    target: Target,
    carrier: str,
    in_repository: bool,  # noqa: FBT001
    rule: str | None,
    depth: str,
) -> None:
    place = workspace(tmp_path / "repository" / "deeper", target=target)
    if in_repository:
        (tmp_path / "repository" / ".git").mkdir()
    carried = tmp_path / "repository" / depth / carrier
    carried.mkdir(parents=True)
    assert rules(place) == ([rule] if rule else [])
    if rule:
        with pytest.raises(WorkspaceRefused) as refused:
            landing.land(place, SEVERE)
        assert refused.value.field == str(carried)


def test_what_stands_above_a_linked_root_counts_where_it_really_is(tmp_path: Path) -> None:
    place = workspace(tmp_path / "repository")
    (tmp_path / "repository" / ".git").mkdir()
    (tmp_path / "repository" / "AGENTS.md").touch()
    (tmp_path / "link").symlink_to(place.root)
    assert rules(Workspace(root=tmp_path / "link", name=place.name)) == ["carrier-above"]


def test_instructions_that_are_replaced_by_others_are_refused(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    (place.path / "AGENTS.override.md").touch()
    assert rules(place) == ["shadowed"]
    with pytest.raises(WorkspaceRefused):
        landing.land(place, SEVERE)


def test_everything_odd_inside_is_told(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    landing.land(place, PROPOSED)
    skills = place.path / ".agents" / "skills"
    (skills / "README.md").touch()
    (skills / "by-hand").mkdir()
    (skills / "by-hand" / "SKILL.md").write_bytes(b"not even a frontmatter")
    assert rules(place) == []
    (skills / "linked").symlink_to(tmp_path)
    os.mkfifo(skills / "pipe")
    (place.path / SKILL).write_bytes((place.path / SKILL).read_bytes().replace(KEY.encode(), b"another", 1))
    (skills / "by-hand" / "SKILL.md").write_bytes(HAND_WRITTEN + b"<!-- fleetmem:end -->\n")
    (place.path / "AGENTS.md").write_bytes(b"x" * 40_000)
    assert sorted(map(str, rules(place))) == ["budget", "malformed", "name", "not-plain", "not-plain"]


WRITING = frozenset(
    {
        *(
            "write_text",
            "write_bytes",
            "open",
            "fdopen",
            "touch",
            "truncate",
            "mkdir",
            "makedirs",
            "rmdir",
            "removedirs",
        ),
        *("unlink", "remove", "rename", "rmtree", "copy", "copy2", "copyfile", "copytree", "move", "chmod", "chown"),
        *("symlink", "symlink_to", "link", "hardlink_to", "mkfifo", "mknod"),
    }
)


def _is_of_landing(called: ast.expr) -> bool:
    return isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "landing"


def test_no_module_but_landing_writes_where_it_knows_a_workspace() -> None:
    """Hold contract 6 where an import contract cannot: whoever is told where workspaces are opens nothing by itself."""
    source = Path(fleetmem.__file__).parent
    aware = dict[str, set[str]]()
    for path in source.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call) and not _is_of_landing(node.func)]
        calls = {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in called}
        if path.parent.name != "landing" and ("workspaces" in names or "fleetmem.landing" in imported):
            aware[str(path.relative_to(source))] = calls & WRITING
    assert "cli/owner_workspace.py" in aware
    assert {path: calls for path, calls in aware.items() if calls} == {}
