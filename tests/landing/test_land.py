"""Landing: what is written where, what is read back, and what removal leaves."""

import subprocess
import threading
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from fleetmem import landing
from fleetmem.errors import RequestInvalid, WorkspaceRefused
from fleetmem.landing import Landed, Memory, Removal, Standing
from fleetmem.memory import block, skill
from fleetmem.memory.target import Target
from tests.landing.places import (
    DESCRIPTION,
    HAND_WRITTEN,
    JOINING,
    KEY,
    NOTE,
    PROPOSED,
    RULE,
    SEVERE,
    SKILL,
    picture,
    workspace,
)

OTHER = UUID("0197c0de-0000-7000-8000-000000000002")


def test_a_severe_memory_becomes_a_block_of_the_instructions(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    (place.path / "AGENTS.md").write_bytes(b"# Mine\n")
    landed = landing.land(place, SEVERE)
    content = (place.path / "AGENTS.md").read_bytes()
    (found,) = block.scan(content)
    assert landed == Landed(note=NOTE, skill=None, path="AGENTS.md", sha256=found.sha256(content))
    assert RULE.encode() in content
    assert landing.available(place, landed)
    assert landing.remove(place, landed) is Removal.BLOCK
    assert (place.path / "AGENTS.md").read_bytes() == b"# Mine\n"
    assert landing.inspect(place, landed) is Standing.MISSING


def test_any_other_memory_becomes_a_skill_and_takes_it_away_with_it(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    before = picture(place.path)
    landed = landing.land(place, PROPOSED)
    content = (place.path / SKILL).read_bytes()
    assert landed.path == SKILL
    assert skill.read(content, KEY) == DESCRIPTION
    assert landing.remove(place, landed) is Removal.SKILL
    left = picture(place.path)
    assert {path for path in left if path not in before} == {".agents", ".agents/skills"}
    assert landing.remove(place, landed) is Removal.ABSENT


def test_a_memory_joins_a_skill_that_a_person_wrote_and_leaves_it_as_it_was(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    (place.path / SKILL).parent.mkdir(parents=True)
    (place.path / SKILL).write_bytes(HAND_WRITTEN)
    landed = landing.land(place, JOINING)
    assert (place.path / SKILL).read_bytes().startswith(HAND_WRITTEN)
    assert landing.remove(place, landed) is Removal.BLOCK
    assert (place.path / SKILL).read_bytes() == HAND_WRITTEN


def test_a_skill_that_another_memory_has_joined_outlives_the_first(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    first = landing.land(place, PROPOSED)
    second = landing.land(place, replace(JOINING, note=OTHER, nonce="b" * 32, content="Ask for the schema."))
    assert landing.remove(place, first) is Removal.BLOCK
    assert landing.available(place, second)
    assert RULE.encode() not in (place.path / SKILL).read_bytes()
    assert landing.remove(place, second) is Removal.SKILL


def test_files_that_others_put_beside_a_skill_stay_when_it_goes(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    landed = landing.land(place, PROPOSED)
    (place.path / SKILL).with_name("notes.txt").write_text("mine")
    assert landing.remove(place, landed) is Removal.SKILL
    assert [path.name for path in (place.path / SKILL).parent.iterdir()] == ["notes.txt"]


def test_claude_code_has_its_own_files(tmp_path: Path) -> None:
    place = workspace(tmp_path, target=Target.CLAUDE_CODE)
    assert landing.land(place, SEVERE).path == "CLAUDE.md"
    assert landing.land(place, replace(PROPOSED, note=OTHER, nonce="b" * 32)).path == f".claude/skills/{KEY}/SKILL.md"
    assert not (place.path / "AGENTS.md").exists()
    assert not (place.path / ".agents").exists()


@pytest.mark.parametrize("memory", [SEVERE, PROPOSED], ids=["severe", "skill"])
def test_landing_twice_changes_nothing_and_a_new_text_takes_the_old_ones_place(tmp_path: Path, memory: Memory) -> None:
    place = workspace(tmp_path)
    landed = landing.land(place, memory)
    status = (place.path / landed.path).stat()
    assert landing.land(place, memory) == landed
    assert (place.path / landed.path).stat().st_ino == status.st_ino
    edited = landing.land(place, replace(memory, nonce="c" * 32, content="Never anything else."))
    assert not landing.available(place, landed)
    assert landing.inspect(place, landed) is Standing.EDITED
    assert landing.available(place, edited)
    assert (place.path / landed.path).read_bytes().count(b"fleetmem:begin") == 1


@pytest.mark.parametrize("memory", [SEVERE, PROPOSED], ids=["severe", "skill"])
def test_a_preview_is_what_lands_and_writes_nothing(tmp_path: Path, memory: Memory) -> None:
    place = workspace(tmp_path)
    (place.path / "AGENTS.md").write_bytes(b"# Mine\n")
    before = picture(tmp_path)
    shown = landing.preview(place, memory)
    assert picture(tmp_path) == before
    assert shown.before == (b"# Mine\n" if memory is SEVERE else None)
    landed = landing.land(place, memory)
    assert (place.path / landed.path).read_bytes() == shown.after


def test_drift_is_told_apart(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    landed = landing.land(place, PROPOSED)
    file = place.path / SKILL
    content = file.read_bytes()
    file.write_bytes(content.replace(b"only", b"not only"))
    assert landing.inspect(place, landed) is Standing.EDITED
    file.write_bytes(content.replace(b"fleetmem:end", b"fleetmem:End"))
    assert landing.inspect(place, landed) is Standing.REFUSED
    file.write_bytes(content)
    file.parent.rename(file.parent.with_name("elsewhere"))
    assert landing.inspect(place, landed) is Standing.MOVED
    (place.path / ".agents").rename(tmp_path / "gone")
    assert landing.inspect(place, landed) is Standing.MISSING
    place.path.rename(tmp_path / "gone-too")
    assert landing.inspect(place, landed) is Standing.MISSING


def test_a_proposed_skill_never_merges_into_another_one(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    (place.path / SKILL).parent.mkdir(parents=True)
    for name, content in {"SKILL.md": HAND_WRITTEN, "run.sh": b"echo"}.items():
        (place.path / SKILL).with_name(name).write_bytes(content)
        before = picture(tmp_path)
        with pytest.raises(WorkspaceRefused) as refused:
            landing.land(place, PROPOSED)
        assert refused.value.rule == "skill-exists"
        assert picture(tmp_path) == before
        (place.path / SKILL).unlink(missing_ok=True)


def test_nothing_joins_a_skill_that_is_not_there(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    before = picture(tmp_path)
    with pytest.raises(WorkspaceRefused) as refused:
        landing.land(place, JOINING)
    assert refused.value.rule == "no-skill"
    assert picture(tmp_path) == before


@pytest.mark.parametrize("key", ["../../x", "/etc/x", "a/../b", "..", "con", "", "A", "x" * 65])
def test_a_key_that_climbs_is_refused_before_anything_is_opened(tmp_path: Path, key: str) -> None:
    place = workspace(tmp_path)
    before = picture(tmp_path)
    for memory in (replace(PROPOSED, skill=key), replace(JOINING, skill=key)):
        with pytest.raises(RequestInvalid):
            landing.land(place, memory)
    with pytest.raises((RequestInvalid, WorkspaceRefused)):
        landing.remove(place, Landed(note=NOTE, skill=key, path="", sha256=""))
    assert picture(tmp_path) == before


@pytest.mark.parametrize(
    ("size", "fits"), [(0, True), (32_300, True), (32_667, False), (32_768, False), (40_000, False)]
)
def test_instructions_that_the_runtime_would_cut_take_no_block(tmp_path: Path, size: int, fits: bool) -> None:  # noqa: FBT001
    place = workspace(tmp_path)
    held = ("é" * size)[: size // 2].encode()
    (place.path / "AGENTS.md").write_bytes(held)
    if fits:
        landing.land(place, SEVERE)
        assert (place.path / "AGENTS.md").stat().st_size <= 32_768
        return
    with pytest.raises(WorkspaceRefused) as refused:
        landing.land(place, SEVERE)
    assert refused.value.rule == "budget"
    assert (place.path / "AGENTS.md").read_bytes() == held


def test_two_landers_at_once_leave_both_memories(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    (place.path / "AGENTS.md").write_bytes(b"# Mine")
    memories = [replace(SEVERE, note=UUID(int=n), nonce=f"{n:032x}", content=f"Rule {n}.") for n in range(1, 25)]
    threads = [threading.Thread(target=landing.land, args=(place, memory)) for memory in memories]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    content = (place.path / "AGENTS.md").read_bytes()
    assert {each.note for each in block.scan(content)} == {memory.note for memory in memories}
    for memory in memories:
        content = block.remove(content, memory.note)
    assert content == b"# Mine"


def test_a_new_file_is_read_by_whoever_reads_the_workspace_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    place.path.chmod(0o750)
    landing.land(place, PROPOSED)
    assert (place.path / SKILL).stat().st_mode & 0o777 == 0o640
    assert (place.path / SKILL).parent.stat().st_mode & 0o777 == 0o750
    (place.path / "AGENTS.md").touch()
    (place.path / "AGENTS.md").chmod(0o604)
    landing.land(place, replace(SEVERE, note=OTHER, nonce="b" * 32))
    assert (place.path / "AGENTS.md").stat().st_mode & 0o777 == 0o604


def test_instructions_that_are_written_anew_keep_the_memory_in_them(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    landing.instruct(place, "# Frontend\n\nDraw the pages.\n")
    landed = landing.land(place, SEVERE)
    landing.instruct(place, "# Frontend\n\nDraw fewer pages.\n")
    assert landing.available(place, landed)
    assert (place.path / "AGENTS.md").read_bytes().startswith(b"# Frontend\n\nDraw fewer pages.\n")
    before = picture(tmp_path)
    for text, rule in {
        f"x\n{RULE}\nfleetmem:begin": "malformed",
        "```\nx": "open-fence",
        "x" * 32_700: "budget",
    }.items():
        with pytest.raises(WorkspaceRefused) as refused:
            landing.instruct(place, text)
        assert refused.value.rule == rule
    assert picture(tmp_path) == before
    landing.remove(place, landed)
    assert (place.path / "AGENTS.md").read_bytes() == b"# Frontend\n\nDraw fewer pages.\n"


def test_a_workspace_is_a_repository_to_git_itself(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    place = workspace(tmp_path)
    answered = subprocess.run(
        ["git", "rev-parse", "--show-toplevel"], cwd=place.path, capture_output=True, text=True, check=True
    )
    assert Path(answered.stdout.strip()) == place.path.resolve()
