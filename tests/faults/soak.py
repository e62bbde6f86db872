"""Faults at random under load, for as long as one likes: `make soak MINUTES=30`, or `python -m tests.faults.soak`.

Prints what it counted and exits with 1 when a promise was broken. A seed makes the order of faults the same again; what
the machine makes of them is its own.
"""

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Iterator
from typing import Final

from tests.faults.rig import rig
from tests.faults.storm import DEATHS_OF_POSTGRES, DEATHS_OF_THE_GATEWAY, PATH, Fault, weather

AGENTS: Final = ("administration", "facilities", "finance", "health", "maintenance", "security")
# A supervisor gives up on a service that dies more often than it can live; this one should not.
_BETWEEN_GATEWAYS_S: Final = 65


def main() -> int:
    """Read the arguments, run, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10_000))
    told = parser.parse_args()
    sys.stdout.write(f"soak: {told.minutes:g} minutes, seed {told.seed}\n")
    return asyncio.run(soak(minutes=told.minutes, seed=told.seed))


async def soak(*, minutes: float, seed: int) -> int:
    """Bring a durable fleet up, hurt it until the time is over, judge it, and remove it."""
    async with rig(fast=False) as fleet:
        tokens = {name: fleet.fleet.token(name) for name in AGENTS}
        account = await weather(fleet, tokens, _faults(minutes, seed), between_s=2, seed=seed)
    sys.stdout.write("\n".join(account.sentences()) + "\n")
    assert account.verdict is not None
    for broken in account.verdict.wrong:
        sys.stdout.write(f"WRONG: {broken}\n")
    return 1 if account.verdict.wrong else 0


def _faults(minutes: float, seed: int) -> Iterator[Fault]:
    chance = random.Random(seed)  # noqa: S311 -- chooses faults, guards nothing
    until_s = time.monotonic() + 60 * minutes
    gateway_died_s = float("-inf")
    while (now_s := time.monotonic()) < until_s:
        fault = chance.choice((*PATH, *DEATHS_OF_POSTGRES, *DEATHS_OF_THE_GATEWAY))
        if fault in DEATHS_OF_THE_GATEWAY:
            if now_s - gateway_died_s < _BETWEEN_GATEWAYS_S:
                continue
            gateway_died_s = now_s
        sys.stdout.write(f"  {(until_s - now_s) / 60:5.1f} min left: {fault.name}\n")
        sys.stdout.flush()
        yield fault


if __name__ == "__main__":
    sys.exit(main())
