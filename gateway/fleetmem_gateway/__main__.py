"""`python -m fleetmem_gateway agents|console`."""

from __future__ import annotations

import sys

from fleetmem_gateway.serve import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
