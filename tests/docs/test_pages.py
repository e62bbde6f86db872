"""The pages as pages: links lead somewhere, the decisions have their index, and nothing of a builder's machine is in them."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs import markdown
from tests.docs.markdown import PAGES, ROOT, page, relative

_DECISIONS = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    for target in markdown.links(path.read_text(encoding="utf-8")):
        if re.match(r"https?://", target):
            continue
        place, _, fragment = target.partition("#")
        found = (path.parent / place).resolve() if place else path
        assert found.exists(), target
        if fragment:
            assert fragment in markdown.anchors(found.read_text(encoding="utf-8")), target


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_a_file_that_is_named_in_running_text_is_there(path: Path) -> None:
    named = {span for span in markdown.code_spans(path.read_text(encoding="utf-8")) if _is_a_path_of_ours(span)}
    assert {span for span in named if not (ROOT / span).exists()} == set()


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_a_page_begins_with_its_title_and_its_blocks_are_closed(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert text.endswith("\n")
    assert text.count("```") == 2 * len(markdown.blocks(text))


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        path = waiting.pop()
        if path in reached or path.suffix != ".md":
            continue
        reached.add(path)
        targets = (target.partition("#")[0] for target in markdown.links(path.read_text(encoding="utf-8")))
        waiting += [(path.parent / target).resolve() for target in targets if target and "://" not in target]
    assert set(PAGES) - reached == set()


def test_the_index_of_decisions_lists_each_by_its_title() -> None:
    listed = markdown.rows(page("docs/adr/README.md"), "number", "decision")
    titled = {
        f"[{path.stem[:4]}]({path.name})": path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        for path in _DECISIONS
    }
    assert {row["number"]: row["decision"] for row in listed} == {
        link: title.partition(". ")[2] for link, title in titled.items()
    }
    assert [int(title.partition(".")[0]) for title in titled.values()] == list(range(1, len(titled) + 1))


@pytest.mark.parametrize("path", _DECISIONS, ids=relative)
def test_a_decision_says_its_context_and_its_consequences(path: Path) -> None:
    parts = re.findall(r"^\*\*(\w+)\.\*\*", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert parts == ["Context", "Decision", "Consequences"]


def test_the_change_log_knows_every_migration_and_the_packages_version() -> None:
    text = page("CHANGELOG.md")
    migrations = markdown.sections(text, level=3)["Migrations"]
    assert "Policies" in markdown.sections(text, level=3)
    for path in (ROOT / "migrations" / "versions").glob("*.py"):
        assert f"`{path.stem.partition('_')[0]}`" in migrations
    project = tomllib.loads(page("pyproject.toml"))["project"]
    assert project["readme"] == "README.md"
    released = [title for title in markdown.headings(text) if title.startswith(f"[{project['version']}]")]
    assert released or "[Unreleased]" in markdown.headings(text)


def test_the_readmes_two_commands_are_the_makefiles() -> None:
    first = markdown.blocks(markdown.sections(page("README.md"), level=2)["Two commands"])[0]
    commands = [line.partition("#")[0].strip() for line in first.content.splitlines()]
    assert commands == ["make up", "make test"]


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_every_make_target_that_is_named_is_one(path: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):.*##", page("Makefile"), flags=re.MULTILINE))
    text = path.read_text(encoding="utf-8")
    named = [
        *markdown.code_spans(text),
        *(line for block in markdown.blocks(text) for line in block.content.splitlines()),
    ]
    asked = {found[1] for line in named if (found := re.match(r"(?:\$ )?make ([a-z]+)", line))}
    assert asked <= targets


def _is_a_path_of_ours(span: str) -> bool:
    top = ("src/", "gateway/", "policies/", "migrations/", "tests/", "docs/", "bench/", "scripts/", ".ci/")
    return span.startswith(top) and not set(span) & set("<>*:")
