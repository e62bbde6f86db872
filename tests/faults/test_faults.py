"""Whatever dies or breaks, an acknowledged write is there once, none is there by half, and no row goes to the wrong agent."""

from tests.faults.rig import rig
from tests.faults.storm import DEATHS, PATH, weather
from tests.measured import Measured


async def test_every_promise_holds_through_every_fault(measured: Measured) -> None:
    async with rig() as fleet:
        names = ("administration", "facilities", "finance", "health", "maintenance")
        account = await weather(
            fleet, {name: fleet.fleet.token(name) for name in names}, (*PATH, *DEATHS), between_s=0.4
        )
    for sentence in account.sentences():
        measured(f"faults: {sentence}")
    assert account.verdict is not None
    assert account.verdict.wrong == ()
    assert account.verdict.acknowledged > 50
