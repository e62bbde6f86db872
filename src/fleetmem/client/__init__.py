"""The client library: what an agent's program uses to read and write, over HTTP and nothing else.

    with FleetClient() as fleet:                       # FLEETMEM_URL, FLEETMEM_TOKEN_FILE
        fleet.publish("house", "Empty Friday to Sunday.", audience="personal")
        for handoff in fleet.inbox(status="open"):
            ...

`AsyncFleetClient` is the same with `async with`, `await` and `async for`; `ConsoleClient` is an operator's or auditor's way to
the console. Results are the structs of `fleetmem.wire`, failures the classes of `fleetmem.errors`. Every write carries an idempotency key, so a lost answer is asked for again
with the same key and happens once. No database driver is imported, and no credential but the bearer token is held.
"""

from fleetmem.client.asynchronous import AsyncFleetClient
from fleetmem.client.blocking import FleetClient
from fleetmem.client.console import ConsoleClient
from fleetmem.client.patience import Patience

__all__ = ["AsyncFleetClient", "ConsoleClient", "FleetClient", "Patience"]
