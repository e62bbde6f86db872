"""The Makefile's own promises, as far as they can be seen without installing anything."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHELL = shutil.which("sh") or "/bin/sh"


def test_make_alone_says_what_it_can_do() -> None:
    said = subprocess.run(["make"], check=True, capture_output=True, text=True, cwd=ROOT).stdout
    for target in ("setup", "up", "demo", "test", "prove", "bench", "check", "clean"):
        assert f"\n  {target} " in said


def test_a_machine_without_a_fit_python_is_told_what_to_install(tmp_path: Path) -> None:
    for name in ("python3.13", "python3"):
        old = tmp_path / name
        old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        old.chmod(0o755)
    (tmp_path / "cat").symlink_to(shutil.which("cat") or "/bin/cat")
    found = subprocess.run(
        [SHELL, ROOT / "scripts" / "venv", tmp_path / "made"],
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path)},
    )
    assert found.returncode == 1
    assert "needs Python 3.11 or later with its venv module" in found.stderr
    assert not (tmp_path / "made").exists()


def test_ci_calls_the_readmes_test_command_and_nothing_else() -> None:
    script = ROOT / ".ci" / "run"
    lines = [line for line in script.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    assert lines == ["set -euo pipefail", 'cd "$(dirname "${BASH_SOURCE[0]}")/.."', "exec make test"]
    assert script.stat().st_mode & 0o111
