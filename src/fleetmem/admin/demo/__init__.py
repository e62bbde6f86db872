"""`fleetmem demo`: two acts on throw-away fleets, through the real gateway, with real tokens.

The first is a household's day: who reads what. The second is a rule on its way from one agent's message into another's
workspace, through worker, recognition, review and landing, and back.

Every step states what it expects before it is taken. The account at the end says, agent by agent, what was published,
read and refused, and by what; the demo has succeeded only if every expectation held.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from fleetmem.admin import up
from fleetmem.admin.demo import day, rule
from fleetmem.admin.demo.account import Account
from fleetmem.admin.deployment import Say
from fleetmem.admin.up import Fleet
from fleetmem.config import Settings
from fleetmem.errors import FleetmemError

__all__ = ["run"]


def run(settings: Settings, say: Say = print) -> bool:
    """Bring up a fleet for each act, play it, take the fleet down; True when every expectation of both held."""
    say("First act: a household's day. Six agents, one Postgres, and a gateway that is not what keeps anyone out.")
    household = Path(str(files("fleetmem.fleet") / "household.yaml"))
    with up.throw_away(replace(settings, roster=household), say) as fleet:
        held = _act(fleet, day.play, say)
    say("\nSecond act: a team of three, a rule, and the one of them who must not have it.")
    if find_spec("sentence_transformers") is None:
        say("  --  not shown: it needs the `memory` extra, which WITH_MEMORY=0 leaves out")
        return held
    team = Path(str(files("fleetmem.admin.demo") / "software.yaml"))
    with up.throw_away(replace(settings, roster=team), say, with_worker=True) as fleet:
        return _act(fleet, rule.play, say) and held


def _act(fleet: Fleet, play: Callable[[Fleet, Account], None], say: Say) -> bool:
    account = Account(say)
    try:
        play(fleet, account)
    except FleetmemError as error:
        # The step is in the account as one that did not hold; what depends on it is left out.
        account.broke_off()
        say(f"\nThe act ends here: {error.detail}")
    say(account.summary())
    return account.all_held
