"""`python bench` from the root of the checkout."""

import sys
from pathlib import Path

# `python bench` puts this folder on the path; the package's name is found one above it.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from bench.cli import main  # noqa: E402 -- found by the line above

sys.exit(main(sys.argv[1:]))
