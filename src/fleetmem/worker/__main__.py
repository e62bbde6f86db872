"""`python -m fleetmem.worker`."""

import sys

from fleetmem.worker.serve import main

sys.exit(main(sys.argv[1:]))
