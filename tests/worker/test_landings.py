"""From an approved note to a file, and back: what the worker writes, what it takes away, and what it reports."""

from tests.memory import Memory
from tests.worker.crew import TEAM, Crew

SKILL = ".agents/skills/api-contract/SKILL.md"
RULE = "The frontend needs the public API contract alone."


def proposed(crew: Crew, *recipients: str, **fields: object) -> str:
    memory = Memory(crew.cluster, crew.database)
    told = memory.told(TEAM, [("security", RULE), ("backend", "Understood.")])
    note = memory.propose(told, recipients=recipients or ["backend"], preview=False, **fields)
    memory.flush(told)
    return note


def test_an_approved_note_is_a_file_for_its_recipient_and_for_nobody_else(crew: Crew) -> None:
    note = proposed(crew)
    crew.drain()
    crew.approve(note)
    crew.drain()
    assert RULE in (crew.file("backend", SKILL) or "")
    assert crew.everything("frontend") == ""
    assert crew.rows("select agent, status, path from fleet.landing") == [("backend", "landed", SKILL)]


def test_a_revoked_note_is_gone_with_the_skill_that_only_held_it(crew: Crew) -> None:
    note = proposed(crew)
    crew.drain()
    crew.approve(note)
    crew.drain()
    crew.revoke(note)
    crew.drain()
    assert crew.everything("backend") == ""
    assert crew.rows("select status from fleet.landing") == [("removed",)]
