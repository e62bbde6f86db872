"""`fleetmem demo`: a household's day on a throw-away fleet, through the real gateway, with real tokens.

Every step states what it expects before it is taken. The account at the end says, agent by agent, what was published,
read and refused, and by what; the demo has succeeded only if every expectation held.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from fleetmem.admin import up
from fleetmem.admin.demo import day
from fleetmem.admin.demo.account import Account
from fleetmem.admin.deployment import Say
from fleetmem.config import Settings
from fleetmem.errors import FleetmemError

__all__ = ["run"]


def run(settings: Settings, say: Say = print) -> bool:
    """Bring up a fleet of its own, play the day, take the fleet down; True when every expectation held."""
    say("A household's day. Six agents, one Postgres, and a gateway that is not what keeps anyone out.")
    household = Path(str(files("fleetmem.fleet") / "household.yaml"))
    account = Account(say)
    with up.throw_away(replace(settings, roster=household), say) as fleet:
        try:
            day.play(fleet, account)
        except FleetmemError as error:
            # The step is in the account as one that did not hold; what depends on it is left out.
            say(f"\nThe day ends here: {error.detail}")
    say(account.summary())
    return account.all_held
