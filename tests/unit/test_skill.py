"""Skills: every file that is written is one a runtime loads, and no key is ever a path."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from fleetmem.errors import RequestInvalid, WorkspaceRefused
from fleetmem.memory import skill

DESCRIPTION = "Load this when the frontend asks for configuration."


@given(description=st.text(max_size=80))
@example(description="a: b")
@example(description="# no comment")
@example(description="\"quoted\" and 'quoted' and \\ and \\n")
@example(description="[x, {y}] *a &b !c | > % @ `")
@example(description="- item")
@example(description="---")
@example(description="null")
@example(description="1e3")
@example(description="日本 😀")
@example(description="x" * 1_024)
@example(description="x" * 1_025)
def test_a_description_comes_back_as_it_was_or_is_refused(description: str) -> None:
    try:
        document = skill.skeleton("public-contract", description)
    except RequestInvalid as refused:
        assert refused.field == "description"  # noqa: PT017 -- refusing is one of two right answers
        return
    assert skill.read(document, "public-contract") == description
    assert skill.is_skeleton(document, "public-contract")
    head = document.decode().split("\n")
    assert (head[0], head[3]) == ("---", "---")
    assert YAML(typ="safe", pure=True).load("\n".join(head[1:3])) == {
        "name": "public-contract",
        "description": description,
    }


@pytest.mark.parametrize(
    "key", ["a", "on", "null", "123", "1e3", "public-contract", "a-1-b", "console", "com", "x" * 64]
)
def test_a_kebab_case_key_becomes_a_skill_of_that_name(key: str) -> None:
    assert skill.read(skill.skeleton(key, DESCRIPTION), key) == DESCRIPTION


NO_KEYS = {
    "no kebab-case": ["", "-a", "a-", "a--b", "A", "a_b", "a.b", " a", "a b", "a\n", "~", "-", "C:", "a\0b", "x" * 65],
    "a path": ["..", ".", "../../x", "/etc/x", "a/../b", "a\\b"],
    "a device": ["con", "nul", "aux", "prn", "com1", "lpt9", "com0"],
    "another script": ["\N{FULLWIDTH LATIN SMALL LETTER A}", "\N{CYRILLIC SMALL LETTER A}", "\u00e9"],
}


@pytest.mark.parametrize("key", [key for keys in NO_KEYS.values() for key in keys])
def test_a_key_that_is_no_plain_directory_name_everywhere_is_refused(key: str) -> None:
    with pytest.raises(RequestInvalid) as refused:
        skill.check_key(key)
    assert refused.value.field == "skill_key"


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        (b"", "frontmatter"),
        (b"no frontmatter\n", "frontmatter"),
        (b"---\nname: here\n", "frontmatter"),
        (b"\n---\nname: here\ndescription: d\n---\n", "frontmatter"),
        (b"\xef\xbb\xbf---\nname: here\ndescription: d\n---\n", "frontmatter"),
        (b"---\nname: here\ndescription: a: b\n---\n", "frontmatter"),
        (b"---\n- name\n---\n", "frontmatter"),
        (b"---\n? [\n---\n", "frontmatter"),
        (b"---\nname: here\ndescription: d\x07\n---\n", "frontmatter"),
        (b"---\n" + b"[" * 9_000 + b"\n---\n", "frontmatter"),
        (b"---\nname: here\ndescription: d\nx: " + b"y" * 20_000 + b"\n---\n", "frontmatter"),
        (b"---\nname: there\ndescription: d\n---\n", "name"),
        (b"---\nname: [here]\ndescription: d\n---\n", "name"),
        (b"---\ndescription: d\n---\n", "name"),
        (b"---\nname: here\n---\n", "description"),
        (b"---\nname: here\ndescription: ''\n---\n", "description"),
        (b"---\nname: here\ndescription: 7\n---\n", "description"),
        (b"---\nname: here\ndescription: " + b"x" * 1_025 + b"\n---\n", "description"),
        (b"---\nname: here\ndescription: d\n---\n\xff", "encoding"),
        (b"---\nname: here\ndescription: d\n---\n" + b"x" * 32_768, "too-large"),
    ],
)
def test_a_skill_that_a_runtime_would_leave_out_is_refused(document: bytes, rule: str) -> None:
    with pytest.raises(WorkspaceRefused) as refused:
        skill.read(document, "here")
    assert refused.value.rule == rule


def test_a_skill_with_line_ends_of_windows_and_more_fields_is_read() -> None:
    document = b"---\r\nname: here\r\ndescription: |\r\n  two\r\n  lines\r\nallowed-tools: [Read]\r\n---\r\nbody\r\n"
    assert skill.read(document, "here") == "two\nlines"
    assert not skill.is_skeleton(document, "here")


def test_aliases_in_a_strangers_skill_cannot_grow() -> None:
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 12))
    document = f"---\nl0: &l0 [x]\n{levels}\nname: here\ndescription: d\n---\n".encode()
    assert skill.read(document, "here") == "d"


def test_a_chain_is_held_to_its_budget_in_bytes() -> None:
    skill.check_budget([20_000, 12_768], budget_bytes=32_768)
    with pytest.raises(WorkspaceRefused, match="32769 bytes together"):
        skill.check_budget([20_000, 12_769], budget_bytes=32_768)
