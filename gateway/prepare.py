"""The owner's preparation of a fleet whose Postgres runs in a container: `python prepare.py PASSWORD_FILE`.

Migrates, applies the fence, syncs the roster, and lays out the data directory, as `fleetmem up` does; running it again
changes nothing. The owner's password is read from the file, so that it is in no environment and no command line.
"""

import sys
from pathlib import Path

from fleetmem import config
from fleetmem.admin import deployment
from fleetmem.admin.database import Conninfo
from fleetmem.errors import ConfigInvalid, FleetmemError


def prepare(password_file: Path) -> None:
    """Prepare the fleet that FLEETMEM_DATABASE_URL and FLEETMEM_HOME name.

    Raises:
        FleetmemError: the database does not answer, or something has to be repaired first.
    """
    settings = config.load()
    conninfo = deployment.external(settings)
    if conninfo is None:
        raise ConfigInvalid("set FLEETMEM_DATABASE_URL to the owner's database", field="FLEETMEM_DATABASE_URL")
    password = password_file.read_text(encoding="utf-8").strip()
    deployment.equip(settings, Conninfo(**conninfo | {"password": password}), lambda line: print(line, flush=True))  # noqa: T201


if __name__ == "__main__":
    try:
        prepare(Path(sys.argv[1]))
    except FleetmemError as error:
        sys.exit(error.detail)
