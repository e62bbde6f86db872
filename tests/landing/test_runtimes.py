"""The real command lines of Codex and Claude Code, against a model on loopback: what landed is what they send."""

from collections.abc import Callable

import pytest

from fleetmem.admin.runtimes import commands
from fleetmem.memory.target import Target
from scripts import verify_skills


@pytest.mark.parametrize("target", Target)
def test_landed_memory_reaches_the_agent_it_is_for_and_no_other(
    target: Target, record_property: Callable[[str, object], None]
) -> None:
    told = list[str]()
    try:
        held = verify_skills.check(target, told.append)
    except commands.Unavailable as reason:
        pytest.skip(str(reason))
    record_property("seen", told)
    assert held, "\n".join(told)
