"""Whatever dies or breaks, an acknowledged write is there once, none is there by half, and no row goes to the wrong agent."""

from tests.faults.rig import rig
from tests.faults.storm import DEATHS_OF_POSTGRES, DEATHS_OF_THE_GATEWAY, PATH, weather
from tests.measured import Measured


async def test_every_promise_holds_through_every_fault(measured: Measured) -> None:
    async with rig() as fleet:
        names = ("administration", "facilities", "finance", "health", "maintenance")
        tokens = {name: fleet.fleet.token(name) for name in names}
        # A gateway takes seconds to start; `make soak` kills its parts one by one too.
        faults = (*PATH, *DEATHS_OF_POSTGRES, *DEATHS_OF_THE_GATEWAY[:1])
        account = await weather(fleet, tokens, faults, between_s=0.3)
    for sentence in account.sentences():
        measured(f"faults: {sentence}")
    assert account.verdict is not None
    assert account.verdict.wrong == ()
    assert account.verdict.acknowledged > 50
