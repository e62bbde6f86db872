"""`fleetmem demo`: the whole day, on a fleet that leaves nothing behind."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(sys.executable).parent / "fleetmem"


def test_the_household_has_its_day_and_every_expectation_holds(tmp_path: Path) -> None:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FLEETMEM_")}  # noqa: TID251 -- a child's
    played = subprocess.run(
        [PROGRAM, "demo"],
        cwd=tmp_path,
        env=inherited | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert played.returncode == 0, played.stdout + played.stderr
    assert "Every expectation held: 54 of 54." in played.stdout
    assert list(tmp_path.iterdir()) == []
