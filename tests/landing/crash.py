"""A lander that is killed between two of its steps: `python -m tests.landing.crash VERB MEMORY BASE`.

It copies BASE/ready to BASE/0, BASE/1, … and forks for each: the child kills itself just before that system call. It
prints how many there were. A process of its own, because one that forks must have no threads.
"""

import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fleetmem import landing
from tests.landing import steps
from tests.landing.places import MEMORIES, NOTE, placed


def main(verb: str, memory: str, base: str) -> None:
    at = 0
    while was_killed(verb, memory, Path(base), at):
        at += 1
    shutil.rmtree(Path(base, str(at)))
    sys.stdout.write(f"{at}\n")


def was_killed(verb: str, memory: str, base: Path, at: int) -> bool:
    shutil.copytree(base / "ready", base / str(at))
    child = os.fork()
    if child == 0:
        steps.interrupted(acting(verb, memory, base / str(at)), at, steps.kill_myself)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def acting(verb: str, memory_name: str, base: Path) -> Callable[[], object]:
    place, memory = placed(base), MEMORIES[memory_name]
    if verb == "land":
        return partial(landing.land, place, memory)
    return partial(landing.remove, place, landing.Landed(note=NOTE, skill=memory.skill, path="", sha256=""))


if __name__ == "__main__":
    main(*sys.argv[1:])
