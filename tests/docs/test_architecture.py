"""ARCHITECTURE.md and the tree: its map, the five files, and invariants whose tests exist."""

import ast
import re
import tomllib

import pytest

from tests.docs import markdown
from tests.docs.markdown import ROOT, page

_TEXT = page("ARCHITECTURE.md")
_INVARIANTS = re.findall(r"^(\d+)\. .+\n   `([^`:]+)::([a-z_0-9]+)`$", _TEXT, flags=re.MULTILINE)


def test_the_invariants_are_numbered_without_a_gap() -> None:
    numbered = re.findall(r"^(\d+)\. ", markdown.sections(_TEXT, level=2)["Invariants"], flags=re.MULTILINE)
    assert [int(number) for number in numbered] == list(range(1, len(_INVARIANTS) + 1))
    assert len(_INVARIANTS) >= 20


@pytest.mark.parametrize(("number", "file", "name"), _INVARIANTS)
def test_an_invariant_names_a_test_that_exists(number: str, file: str, name: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    tests = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    assert name in tests, number


def test_the_map_names_what_there_is_and_every_package() -> None:
    named = {row["path"].rstrip("/") for row in markdown.rows(_TEXT, "path", "what it is")}
    assert {path for path in named if not (ROOT / path).exists()} == set()
    contract = tomllib.loads(page("pyproject.toml"))["tool"]["importlinter"]["contracts"][0]
    modules = {f"src/fleetmem/{name}" for layer in contract["layers"] for name in re.findall(r"[a-z]+", layer)}
    parts = {path.parent for path in (ROOT / "src/fleetmem/admin").glob("*/__init__.py")}
    known = named | {path.removesuffix(".py") for path in named}
    assert (modules | {path.relative_to(ROOT).as_posix() for path in parts}) - known == set()


def test_the_folders_of_tests_are_the_ones_that_are_named() -> None:
    row = next(row for row in markdown.rows(_TEXT, "path", "what it is") if row["path"] == "tests/")
    named = set(re.findall(r"`([a-z]+)`", row["what it is"]))
    assert named >= {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}


def test_the_glossary_is_in_order_and_says_each_word_once() -> None:
    words = [row["word"] for row in markdown.rows(_TEXT, "word", "means")]
    assert words == sorted(set(words))
