"""What `make check` runs, so that `make test` fails where the style, a type or an import contract is broken."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command", ["ruff check", "ruff format --check", "mypy", "lint-imports"], ids=lambda command: command.split()[0]
)
def test_the_code_passes(command: str) -> None:
    program, *arguments = command.split()
    environment = dict(os.environ) | {"NO_COLOR": "1"}  # noqa: TID251 -- a child's
    done = subprocess.run(
        [TOOLS / program, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_make_check_runs_the_same_tools() -> None:
    recipe = (ROOT / "Makefile").read_text().partition("\ncheck:")[2].partition("\n\n")[0]
    assert [line.split("/")[-1] for line in recipe.splitlines()[1:]] == [
        "ruff check",
        "ruff format --check",
        "mypy",
        "lint-imports",
    ]
