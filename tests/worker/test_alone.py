"""A worker without recognition needs none of what recognizes."""

import subprocess
import sys

_HEAVY = "('numpy', 'torch', 'sentence_transformers', 'openai', 'asyncpg', 'sqlalchemy')"


def test_a_worker_loads_no_model_before_it_is_told_to() -> None:
    told = f"import sys, fleetmem.worker.serve; print([each for each in {_HEAVY} if each in sys.modules])"
    seen = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert seen.stdout == "[]\n"
