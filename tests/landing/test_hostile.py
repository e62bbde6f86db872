"""Hostile workspaces: whatever is planted, no byte outside a block changes and nothing is written outside a workspace."""

import os
import resource
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fleetmem import landing
from fleetmem.errors import WorkspaceRefused
from fleetmem.landing import Memory, Workspace
from fleetmem.memory import block, skill
from tests.landing import steps
from tests.landing.places import (
    HAND_WRITTEN,
    JOINING,
    KEY,
    NOTE,
    PROPOSED,
    RULE,
    SEVERE,
    SKILL,
    Entry,
    outside,
    picture,
    without_folders,
    workspace,
)

DRAFT = ".AGENTS.md.fleetmem-draft"
SKILL_DRAFT = SKILL.replace("SKILL.md", ".SKILL.md.fleetmem-draft")
COMPONENTS = [
    ".agents",
    ".agents/skills",
    f".agents/skills/{KEY}",
    SKILL,
    "AGENTS.md",
    DRAFT,
    SKILL_DRAFT,
    ".git",
    ".git/HEAD",
]
BEGIN = f"<!-- fleetmem:begin note={NOTE} nonce={'a' * 32} seam=1+1 -->".encode()
END = f"<!-- fleetmem:end note={NOTE} nonce={'a' * 32} -->".encode()
DOCUMENTS = st.sampled_from(
    [
        *(
            b"",
            b"\xef\xbb\xbf",
            b"# Mine",
            b"# Mine\r\nmore\r\n",
            b"\xff\xc3( invalid\n",
            b"```\n",
            b"a\0b",
            b"\xff\xfea\0",
        ),
        *(
            BEGIN + b"\n",
            END + b"\n",
            END + b"\n" + BEGIN + b"\n",
            (BEGIN + b"\nx\n" + END + b"\n") * 2,
            BEGIN + b"\nx\n" + END,
        ),
        *(
            b"```\n" + BEGIN + b"\nx\n" + END + b"\n```\n",
            BEGIN + b"\n" + BEGIN + b"\n" + END,
            b"x" * 32_666,
            b"x" * 2**20,
        ),
        *(HAND_WRITTEN, b"---\nname: other\ndescription: d\n---\n", HAND_WRITTEN + BEGIN + b"\nx\n" + END + b"\n"),
    ]
) | st.binary(max_size=40)
MEMORIES = [SEVERE, PROPOSED, JOINING]


def plant_file(path: Path, _beside: Path, content: bytes) -> None:
    path.write_bytes(content)


def plant_read_only(path: Path, _beside: Path, content: bytes) -> None:
    path.write_bytes(content)
    path.chmod(0o444)


def plant_directory(path: Path, _beside: Path, _content: bytes) -> None:
    path.mkdir()


def plant_closed_directory(path: Path, _beside: Path, _content: bytes) -> None:
    path.mkdir(mode=0o555)


def plant_link_to_file(path: Path, beside: Path, _content: bytes) -> None:
    path.symlink_to(beside / "secret")


def plant_link_to_folder(path: Path, beside: Path, _content: bytes) -> None:
    path.symlink_to(beside)


def plant_dangling_link(path: Path, beside: Path, _content: bytes) -> None:
    path.symlink_to(beside / "new")


def plant_link_inwards(path: Path, _beside: Path, _content: bytes) -> None:
    path.symlink_to(".")


def plant_hard_link(path: Path, beside: Path, _content: bytes) -> None:
    path.hardlink_to(beside / "SKILL.md")


def plant_pipe(path: Path, _beside: Path, _content: bytes) -> None:
    os.mkfifo(path)


def plant_socket(path: Path, _beside: Path, _content: bytes) -> None:
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as listening:
        os.chdir(path.parent)  # a socket's path may have some hundred bytes only
        try:
            listening.bind(path.name)
        finally:
            os.chdir(here)


def plant_device(path: Path, _beside: Path, _content: bytes) -> None:
    if os.geteuid() == 0:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    else:
        os.mkfifo(path)


PLANTS = [plant for name, plant in sorted(globals().items()) if name.startswith("plant_")]
Plant = Callable[[Path, Path, bytes], None]


def put(place: Workspace, beside: Path, component: str, plant: Plant, content: bytes) -> None:
    """Plant something at one component, if what leads there is a plain directory so far."""
    path = place.path
    for name in component.split("/")[:-1]:
        path /= name
        if not os.path.lexists(path):
            path.mkdir()
        if not stat.S_ISDIR(path.lstat().st_mode) or not path.stat().st_mode & stat.S_IWUSR:
            return
    path /= component.rpartition("/")[2]
    if path.is_dir() and not path.is_symlink():
        if any(path.iterdir()):
            path.rename(path.with_name(f"{path.name}-kept-{len(list(path.parent.iterdir()))}"))
        else:
            path.rmdir()
    path.unlink(missing_ok=True)
    plant(path, beside, content)


def try_all(place: Workspace, memory: Memory) -> None:
    """Land, look and remove; hold each to its promise against pictures taken before and after."""
    base = place.root.parent
    before = picture(base)
    try:
        landed = landing.land(place, memory)
    except WorkspaceRefused:
        # Empty folders may have been made on the way; a stale draft may have gone.
        assert kept(before) == kept(picture(base))
        landed = landing.Landed(note=NOTE, skill=memory.skill, path="", sha256="")
    else:
        after = picture(base)
        own = f"workspaces/{place.name}/{landed.path}"
        assert kept(before, own) == kept(after, own)
        content = after[own][2]
        former = before[own][2] if own in before else None
        assert RULE.encode() in content
        if former is not None and NOTE not in {each.note for each in block.scan(former)}:
            assert block.remove(content, NOTE) == former
        assert landing.available(place, landed)
    landing.faults(place)
    landing.inspect(place, landed)
    before = picture(base)
    # What can be taken away is, also where another file keeps the rest: nothing but the note's blocks may go.
    with suppress(WorkspaceRefused):
        landing.remove(place, landed)
    after = kept(picture(base))
    for path, entry in kept(before).items():
        if after.get(path) != entry:
            assert path.startswith(f"workspaces/{place.name}/")
            left = block.remove(entry[2], NOTE)
            assert after[path][2] == left if path in after else skill.is_skeleton(left, path.split("/")[-2])
    assert after.keys() <= kept(before).keys()


def kept(seen: dict[str, Entry], *own: str) -> dict[str, Entry]:
    return {path: entry for path, entry in without_folders(seen).items() if path not in own and "-draft" not in path}


@settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(
    planted=st.lists(st.tuples(st.sampled_from(COMPONENTS), st.sampled_from(PLANTS), DOCUMENTS), max_size=3),
    documents=st.tuples(DOCUMENTS, DOCUMENTS),
    memory=st.sampled_from(MEMORIES),
)
@example(planted=[("AGENTS.md", plant_hard_link, b"")], documents=(b"", HAND_WRITTEN), memory=SEVERE)
@example(planted=[(DRAFT, plant_link_to_file, b"")], documents=(b"", HAND_WRITTEN), memory=SEVERE)
@example(planted=[(DRAFT, plant_hard_link, b"")], documents=(b"", HAND_WRITTEN), memory=SEVERE)
@example(planted=[(DRAFT, plant_directory, b"")], documents=(b"", HAND_WRITTEN), memory=SEVERE)
def test_a_hostile_workspace_changes_nothing_but_the_block(
    quick: Path, planted: list[tuple[str, Plant, bytes]], documents: tuple[bytes, bytes], memory: Memory
) -> None:
    with TemporaryDirectory(dir=quick) as folder:
        base = Path(folder)
        place, beside = workspace(base), outside(base)
        for component, document in zip(("AGENTS.md", SKILL), documents, strict=True):
            if document and memory is not PROPOSED:
                put(place, beside, component, plant_file, document)
        for component, plant, content in planted:
            put(place, beside, component, plant, content)
        try_all(place, memory)


@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__.removeprefix("plant_"))
def test_each_plant_at_each_component(tmp_path: Path, component: str, plant: Plant) -> None:
    place, beside = workspace(tmp_path), outside(tmp_path)
    put(place, beside, SKILL, plant_file, HAND_WRITTEN)
    put(place, beside, "AGENTS.md", plant_file, b"# Mine\n")
    put(place, beside, component, plant, b"planted\n")
    for memory in (SEVERE, JOINING):
        try_all(place, memory)
    try_all(place, PROPOSED)


ODD = [
    plant
    for plant in PLANTS
    if not plant.__name__.endswith(("_file", "read_only", "directory")) or "link" in plant.__name__
]


@pytest.mark.parametrize("component", ["AGENTS.md", ".agents", ".agents/skills", f".agents/skills/{KEY}", SKILL])
@pytest.mark.parametrize("plant", ODD, ids=lambda plant: plant.__name__.removeprefix("plant_"))
def test_whatever_is_not_plain_on_the_way_is_refused_by_every_act(tmp_path: Path, component: str, plant: Plant) -> None:
    place, beside = workspace(tmp_path), outside(tmp_path)
    memory = SEVERE if component == "AGENTS.md" else JOINING
    put(place, beside, SKILL, plant_file, HAND_WRITTEN)
    landed = landing.land(place, memory)
    put(place, beside, component, plant, b"")
    for act in (partial(landing.land, place, memory), partial(landing.remove, place, landed)):
        with pytest.raises(WorkspaceRefused) as refused:
            act()
        assert (refused.value.rule, refused.value.field) == ("not-plain", component)
    assert landing.inspect(place, landed) is landing.Standing.REFUSED
    assert "not-plain" in {fault.rule for fault in landing.faults(place)}


def swap_for_link(path: Path, to: Path) -> None:
    path.rename(path.with_name(f"{path.name}-moved"))
    path.symlink_to(to)


Race = Callable[[Path, Path], object]
ANYWHERE: dict[str, Race] = {
    "the workspace": swap_for_link,
    "the repository": lambda ws, beside: swap_for_link(ws / ".git", beside),
}
AT_INSTRUCTIONS: dict[str, Race] = {
    "the instructions": lambda ws, beside: swap_for_link(ws / "AGENTS.md", beside / "secret"),
    "a draft": lambda ws, beside: (ws / DRAFT).symlink_to(beside / "secret"),
    "a hard link": lambda ws, beside: cleared(ws / "AGENTS.md").hardlink_to(beside / "secret"),
    "a pipe": lambda ws, _beside: os.mkfifo(cleared(ws / "AGENTS.md")),
}
AT_SKILLS: dict[str, Race] = {
    "the folder of runtimes": lambda ws, beside: swap_for_link(ws / ".agents", beside),
    "the folder of skills": lambda ws, beside: swap_for_link(ws / ".agents/skills", beside / "skills"),
    "the skill": lambda ws, beside: swap_for_link((ws / SKILL).parent, beside / KEY),
    "the skill, taken outside": lambda ws, beside: (ws / SKILL).parent.rename(beside / "taken"),
    "the skill's file": lambda ws, beside: swap_for_link(ws / SKILL, beside / "secret"),
    "a skill's draft": lambda ws, beside: (ws / SKILL_DRAFT).symlink_to(beside / "secret"),
    "a skill's hard link": lambda ws, beside: cleared(ws / SKILL).hardlink_to(beside / "secret"),
}
RACES = [(SEVERE, name, race) for name, race in (ANYWHERE | AT_INSTRUCTIONS).items()]
RACES += [(memory, name, race) for memory in (PROPOSED, JOINING) for name, race in (ANYWHERE | AT_SKILLS).items()]


def cleared(path: Path) -> Path:
    """Make room at a path, keeping what was there."""
    with suppress(FileNotFoundError):
        path.rename(path.with_name(f"{path.name}-moved"))
    return path


def quietly(act: Callable[[], object]) -> None:
    """Let a refusal pass, and an intruder that could not do its worst at this moment."""
    with suppress(WorkspaceRefused, OSError):
        act()


@pytest.mark.parametrize(
    ("memory", "race"),
    [(memory, race) for memory, _, race in RACES],
    ids=[f"{('severe', 'proposed', 'joining')[MEMORIES.index(memory)]}: {name}" for memory, name, _ in RACES],
)
@pytest.mark.parametrize("verb", ["land", "remove"])
def test_a_swap_between_any_two_steps_leads_nowhere(quick: Path, memory: Memory, race: Race, verb: str) -> None:
    mine = b"# Mine\nno final line break"
    at, was_met = 0, True
    while was_met:
        base = quick / f"{at}"
        place, beside = workspace(base), outside(base)
        (place.path / "AGENTS.md").write_bytes(mine)
        if memory is JOINING:
            put(place, beside, SKILL, plant_file, HAND_WRITTEN)
        act: Callable[[], object] = partial(landing.land, place, memory)
        if verb == "remove":
            act = partial(landing.remove, place, landing.land(place, memory))
        intrude = partial(quietly, partial(race, place.path, beside))
        before = without_folders(picture(beside))
        was_met = steps.interrupted(partial(quietly, act), at, intrude)
        # A folder that was taken out of the workspace while we held it is still the one that we hold.
        after = {
            path: entry for path, entry in without_folders(picture(beside)).items() if not path.startswith("taken/")
        }
        assert after == before, at
        assert_mine_is_kept(place.root, mine)
        at += 1
    assert at > 15


def edited(ws: Path) -> None:
    content = (ws / "AGENTS.md").read_bytes()
    (ws / "AGENTS.md").write_bytes(content.replace(b"only", b"not only"))


def moved(ws: Path) -> None:
    ws.rename(ws.with_name("renamed"))


@pytest.mark.parametrize(("intruder", "rule"), [(edited, "read-back"), (moved, "moved")])
def test_a_landing_that_did_not_stay_is_not_called_one(
    quick: Path, intruder: Callable[[Path], None], rule: str
) -> None:
    """Only what happens after the last look, in the last few steps of closing up, is left for `inspect` to find."""
    answers = list[str | None]()
    unnoticed = list[int]()
    at, was_met = -1, True
    while was_met:
        at += 1
        place = workspace(quick / f"{at}")
        (place.path / "AGENTS.md").write_bytes(b"# Mine\n")
        was_met = steps.interrupted(
            partial(answered, partial(landing.land, place, SEVERE), answers), at, partial(intruder, place.path)
        )
        content = place.path / "AGENTS.md"
        if answers[at] is None and not (content.exists() and RULE.encode() in content.read_bytes()):
            unnoticed.append(at)
    assert rule in answers
    assert unnoticed == list(range(at - len(unnoticed), at))
    assert len(unnoticed) < 10


def answered(act: Callable[[], object], answer: list[str | None]) -> None:
    try:
        act()
    except WorkspaceRefused as refused:
        answer.append(refused.rule)
    else:
        answer.append(None)


def assert_mine_is_kept(root: Path, mine: bytes) -> None:
    """Find the instructions wherever they went, and in them, outside a block, what their owner wrote."""
    held = [path for path in root.rglob("AGENTS.md*") if path.is_file() and not path.is_symlink()]
    contents = [path.read_bytes() for path in held]
    assert any(
        content == mine or (block.find(content, NOTE) and block.remove(content, NOTE) == mine) for content in contents
    )


@pytest.mark.parametrize(
    ("memory", "verb"),
    [(SEVERE, "land"), (JOINING, "land"), (JOINING, "remove"), (PROPOSED, "remove")],
    ids=["severe", "joining", "leaving", "leaving a skill that goes"],
)
def test_an_edit_that_is_saved_before_the_last_look_is_never_lost(quick: Path, memory: Memory, verb: str) -> None:
    saved, lost = list[int](), list[int]()
    at, was_met = 0, True
    while was_met:
        base = quick / f"{at}"
        place, beside = workspace(base), outside(base)
        put(place, beside, "AGENTS.md", plant_file, b"# Mine\n")
        if memory is JOINING:
            put(place, beside, SKILL, plant_file, HAND_WRITTEN)
        act: Callable[[], object] = partial(landing.land, place, memory)
        if verb == "remove":
            act = partial(landing.remove, place, landing.land(place, memory))
        path = place.path / ("AGENTS.md" if memory is SEVERE else SKILL)
        was_met = steps.interrupted(partial(quietly, act), at, partial(edit, path, partial(saved.append, at)))
        if at in saved and not (path.exists() and b"EDIT" in path.read_bytes()):
            lost.append(at)
        at += 1
    # The one moment that a rename leaves: between the last look at the file and the rename itself.
    assert len(lost) <= 1 < len(saved)


def edit(path: Path, note: Callable[[], None]) -> None:
    if path.exists():
        with path.open("ab") as file:
            file.write(b"EDIT\n")
        note()


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("memory", [SEVERE, JOINING], ids=["severe", "joining"])
@pytest.mark.parametrize("verb", ["land", "remove"])
def test_a_file_that_cannot_grow_stays_as_it_was(tmp_path: Path, memory: Memory, verb: str) -> None:
    place = workspace(tmp_path)
    beside = outside(tmp_path)
    put(place, beside, SKILL, plant_file, HAND_WRITTEN)
    put(place, beside, "AGENTS.md", plant_file, b"# Mine\n" * 20)
    landed = landing.land(place, memory) if verb == "remove" else None
    before = picture(tmp_path)
    with no_file_longer_than(40), pytest.raises(WorkspaceRefused) as refused:
        landing.land(place, memory) if landed is None else landing.remove(place, landed)
    assert refused.value.rule == "no-space"
    assert picture(tmp_path) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def fill(disk: Path) -> None:
    with suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(b"x" * 4_096)


@pytest.mark.parametrize("memory", MEMORIES, ids=["severe", "proposed", "joining"])
def test_a_full_disk_leaves_the_old_file(small_disk: Path, memory: Memory) -> None:
    place = workspace(small_disk)
    (place.path / "AGENTS.md").write_bytes(b"# Mine\n" * 300)
    if memory is JOINING:
        put(place, small_disk, SKILL, plant_file, HAND_WRITTEN + b"x" * 4_000)
    fill(small_disk)
    before = picture(small_disk)
    with pytest.raises(WorkspaceRefused) as refused:
        landing.land(place, memory)
    assert refused.value.rule == "no-space"
    assert kept(before) == kept(picture(small_disk))
    assert kept(before).keys() == set(without_folders(picture(small_disk)))


def test_a_read_only_file_or_folder_is_left_alone(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    (place.path / "AGENTS.md").write_bytes(b"# Mine\n")
    for path, mode in ((place.path / "AGENTS.md", 0o444), (place.path, 0o555)):
        path.chmod(mode)
        with pytest.raises(WorkspaceRefused) as refused:
            landing.land(place, SEVERE)
        assert refused.value.rule == "read-only"
        assert (place.path / "AGENTS.md").read_bytes() == b"# Mine\n"
        path.chmod(0o755)
    landing.land(place, SEVERE)


def test_another_file_system_inside_a_workspace_is_refused(tmp_path: Path, small_disk: Path) -> None:
    place = workspace(tmp_path)
    (place.path / ".agents").mkdir()
    subprocess.run(["mount", "--bind", small_disk, place.path / ".agents"], check=True)
    try:
        with pytest.raises(WorkspaceRefused) as refused:
            landing.land(place, PROPOSED)
        assert refused.value.rule == "not-plain"
        assert list(small_disk.iterdir()) == []
    finally:
        subprocess.run(["umount", place.path / ".agents"], check=True)
