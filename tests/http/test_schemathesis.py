"""What schemathesis makes up from the description meets no fault and no status that is not declared there."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.http.fleet import Fleet
from tests.http.processes import serving

ST = Path(sys.executable).with_name("st")


@pytest.mark.parametrize(("what", "who"), [("agents", "health"), ("console", "olga")])
def test_generated_requests_are_answered_as_declared(fleet: Fleet, tmp_path: Path, what: str, who: str) -> None:
    with serving(fleet, what) as (_, url):
        ended = subprocess.run(
            [
                ST,
                "run",
                f"{url}/schema/openapi.json",
                f"--header=Authorization: Bearer {fleet.tokens[who]}",
                "--phases=examples,coverage,fuzzing",
                "--max-examples=10",
                "--seed=1",
                # That a well-formed text may still be refused (blank, a secret, nobody's name) is no fault.
                "--exclude-checks=positive_data_acceptance",
                "--no-color",
            ],
            check=False,
            capture_output=True,
            text=True,
            timeout=240,
            cwd=tmp_path,
        )
    assert ended.returncode == 0, ended.stdout[-8_000:]
