"""From an approved note to a file, and back: what the worker writes, what it takes away, and what it reports."""

import fcntl
import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from fleetmem import landing
from fleetmem.admin import roster_sync
from fleetmem.fleet.team import MemoryRule, OnNarrowing
from tests.memory import Memory
from tests.worker.crew import ROSTER, TEAM, Crew, uuid

SKILL = ".agents/skills/api-contract/SKILL.md"
RULE = "The frontend needs the public API contract alone."


def proposed(crew: Crew, *recipients: str, **fields: Any) -> str:
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


def landed(crew: Crew, *recipients: str, **fields: Any) -> str:
    note = proposed(crew, *recipients, **fields)
    crew.drain()
    crew.approve(note)
    crew.drain()
    return note


def narrowed(crew: Crew, on_narrowing: OnNarrowing = OnNarrowing.AT_ONCE) -> None:
    """Take from the backend agent what the team's conversations are for."""
    agents = tuple(
        replace(agent, reads=frozenset({"code"})) if agent.name == "backend" else agent for agent in ROSTER.agents
    )
    with psycopg.connect(**crew.database.psycopg(), autocommit=True) as owner:
        roster_sync.sync(owner, replace(ROSTER, agents=agents, memory=MemoryRule(on_narrowing=on_narrowing)))


def check_landings(crew: Crew) -> None:
    crew.owner("insert into queue.procrastinate_jobs (queue_name, task_name) values ('memory', 'check_landings')")
    crew.drain()


def incidents(crew: Crew) -> list[Any]:
    return crew.rows("select kind, detail from fleet.incident order by id")


def resolved(crew: Crew) -> list[Any]:
    return crew.rows("select kind, status, closed_by, remark from fleet.incident order by id")


def test_a_severe_note_is_a_block_of_the_instructions(crew: Crew) -> None:
    landed(crew, severity="severe")
    assert RULE in (crew.file("backend", "AGENTS.md") or "")


def test_a_preview_holds_the_bytes_that_landing_then_writes(crew: Crew) -> None:
    note = landed(crew)
    shown = crew.rows("select path, after, refused from fleet.landing_preview where note = %s", note)
    assert shown == [(SKILL, crew.file("backend", SKILL), None)]


def test_a_preview_says_what_landing_would_refuse(crew: Crew) -> None:
    taken = crew.folder / "workspaces" / "backend" / SKILL
    note = proposed(crew, "backend", "security")
    landing.prepare(landing.Workspace(root=crew.folder / "workspaces", name="backend"))
    taken.parent.mkdir(parents=True)
    taken.write_text("---\nname: api-contract\ndescription: By hand.\n---\n", encoding="utf-8")
    crew.drain()
    assert crew.rows("select agent, refused from fleet.landing_preview where note = %s order by agent", note) == [
        ("backend", f"skill-exists: {SKILL}"),
        ("security", None),
    ]


def test_what_cannot_be_written_is_refused_with_the_reason_and_reported(crew: Crew) -> None:
    note = proposed(crew)
    crew.drain()
    crew.approve(note)
    (crew.folder / "workspaces" / "backend" / "AGENTS.override.md").write_text("mine", encoding="utf-8")
    crew.drain()
    assert crew.rows("select status, reason from fleet.landing") == [("refused", "shadowed: AGENTS.override.md")]
    assert incidents(crew) == [("landing", "cannot be written: shadowed: AGENTS.override.md")]
    assert crew.file("backend", SKILL) is None


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Let something happen just after a file was written and before its row says so."""

    def arrange(act: Callable[[], None]) -> None:
        ours = landing.land

        def land(*values: Any) -> landing.Landed:
            answer = ours(*values)
            act()
            return answer

        monkeypatch.setattr(landing, "land", land)

    return arrange


def test_a_revocation_while_the_file_is_written_takes_it_away_at_once(crew: Crew, meanwhile: Any) -> None:
    note = proposed(crew)
    crew.drain()
    crew.approve(note)
    meanwhile(lambda: crew.revoke(note))
    crew.drain()
    assert crew.everything("backend") == ""
    assert crew.rows("select status from fleet.landing") == [("removed",)]


def test_a_narrower_roster_while_the_file_is_written_takes_it_away_at_once(crew: Crew, meanwhile: Any) -> None:
    note = proposed(crew)
    crew.drain()
    crew.approve(note)
    meanwhile(lambda: narrowed(crew))
    crew.drain()
    assert crew.everything("backend") == ""
    assert crew.rows("select status, reason from fleet.landing") == [("removed", "narrowed")]


def test_where_narrowing_is_only_proposed_a_landing_on_its_way_is_refused(crew: Crew, meanwhile: Any) -> None:
    note = proposed(crew)
    crew.drain()
    crew.approve(note)
    meanwhile(lambda: narrowed(crew, OnNarrowing.PROPOSE))
    crew.drain()
    assert crew.everything("backend") == ""
    assert crew.rows("select status, reason from fleet.landing") == [("refused", "may-not-receive: audience")]


def test_a_narrower_roster_takes_landed_memory_away(crew: Crew) -> None:
    landed(crew, "backend", "security")
    narrowed(crew)
    crew.drain()
    assert crew.everything("backend") == ""
    assert RULE in crew.everything("security")


def test_what_somebody_edits_is_reported_and_what_is_put_back_is_restored(crew: Crew) -> None:
    landed(crew)
    file = crew.folder / "workspaces" / "backend" / SKILL
    written = file.read_bytes()
    file.write_bytes(written.replace(b"alone", b"and every key"))
    check_landings(crew)
    assert crew.rows("select status, reason from fleet.landing") == [("drifted", "edited")]
    assert incidents(crew) == [("drift", "the landed block is no longer as it was written: edited")]
    file.write_bytes(written)
    check_landings(crew)
    assert crew.rows("select status, reason from fleet.landing") == [("landed", None)]
    assert crew.value("select event from fleet.ledger order by seq desc limit 1") == "restored"
    assert resolved(crew) == [("drift", "dismissed", "database", "resolved by itself")]


def test_a_removed_block_that_comes_back_is_removed_again_and_reported(crew: Crew) -> None:
    note = landed(crew)
    file = crew.folder / "workspaces" / "backend" / SKILL
    written = file.read_bytes()
    crew.revoke(note)
    crew.drain()
    file.parent.mkdir(parents=True)
    file.write_bytes(written)
    check_landings(crew)
    assert crew.everything("backend") == ""
    assert incidents(crew) == [("landing", "the block was there again after its removal, and was removed")]


def test_a_revoked_block_goes_from_whichever_file_its_agent_put_it_into(crew: Crew) -> None:
    note = landed(crew)
    root = crew.folder / "workspaces" / "backend"
    file = root / SKILL
    held = file.read_text(encoding="utf-8")
    own = held.replace('name: "api-contract"', "name: mine").replace("\n---\n", "\n---\nMine.\n", 1)
    copy = root / ".agents" / "skills" / "mine" / "SKILL.md"
    copy.parent.mkdir(parents=True)
    copy.write_text(own, encoding="utf-8")
    (root / "AGENTS.md").write_text("# Mine\n\n" + held[held.index("<!--") :], encoding="utf-8")
    file.unlink()
    crew.revoke(note)
    crew.drain()
    assert RULE not in crew.everything("backend")
    assert "Mine." in copy.read_text(encoding="utf-8")
    assert (root / "AGENTS.md").read_text(encoding="utf-8").startswith("# Mine\n")
    assert crew.rows("select status from fleet.landing") == [("removed",)]


def test_a_block_that_nobody_finds_is_not_said_to_be_gone_where_a_file_cannot_be_read(crew: Crew) -> None:
    note = landed(crew)
    skills = crew.folder / "workspaces" / "backend" / ".agents" / "skills"
    (skills / "mine").mkdir()
    (skills / "api-contract" / "SKILL.md").rename(crew.folder / "kept")
    (skills / "mine" / "SKILL.md").symlink_to(crew.folder / "kept")
    crew.revoke(note)
    crew.drain()
    assert crew.rows("select status, reason from fleet.landing") == [
        ("removing", "not-plain: .agents/skills/mine/SKILL.md")
    ]
    (skills / "mine" / "SKILL.md").unlink()
    crew.drain()
    assert crew.rows("select status from fleet.landing") == [("removed",)]


def test_a_removed_block_that_comes_back_in_another_file_is_removed_again(crew: Crew) -> None:
    note = landed(crew)
    root = crew.folder / "workspaces" / "backend"
    held = (root / SKILL).read_text(encoding="utf-8")
    crew.revoke(note)
    crew.drain()
    (root / "AGENTS.md").write_text(held[held.index("<!--") :], encoding="utf-8")
    check_landings(crew)
    assert RULE not in crew.everything("backend")
    assert incidents(crew) == [("landing", "the block was there again after its removal, and was removed")]


def test_what_cannot_be_removed_stays_to_be_removed_and_goes_once_it_can(crew: Crew) -> None:
    note = landed(crew)
    file = crew.folder / "workspaces" / "backend" / SKILL
    written = file.read_bytes()
    file.write_bytes(written + written)
    crew.revoke(note)
    crew.drain()
    assert crew.rows("select status from fleet.landing") == [("removing",)]
    assert [(kind, status) for kind, status, _, _ in resolved(crew)] == [("landing", "open")]
    file.write_bytes(written)
    crew.drain()
    assert crew.rows("select status from fleet.landing") == [("removed",)]
    assert resolved(crew) == [("landing", "dismissed", "database", "resolved by itself")]
    assert crew.everything("backend") == ""


def test_two_notes_of_one_segment_that_propose_one_skill_share_it(crew: Crew) -> None:
    memory = Memory(crew.cluster, crew.database)
    told = memory.told(TEAM, [("security", RULE), ("backend", "Understood.")])
    notes = [
        memory.propose(told, recipients=["backend"], preview=False, ordinal=ordinal, content=f"{RULE} Rule {ordinal}.")
        for ordinal in (1, 2)
    ]
    memory.flush(told)
    crew.drain()
    for note in notes:
        crew.approve(note)
    crew.drain()
    held = crew.file("backend", SKILL) or ""
    assert "Rule 1." in held
    assert "Rule 2." in held


def held(crew: Crew, agent: str) -> int:
    """Hold an agent's workspace as its own shell can, for as long as it likes."""
    place = crew.folder / "workspaces" / agent
    landing.prepare(landing.Workspace(root=place.parent, name=agent))
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def test_a_workspace_that_its_agent_holds_keeps_no_other_workspace_from_being_checked(crew: Crew) -> None:
    for _ in range(3):
        landed(crew, "backend", severity="severe")
    landed(crew, "security", severity="severe")
    (crew.folder / "workspaces" / "security" / "AGENTS.md").unlink()
    descriptor = held(crew, "backend")
    try:
        started = time.monotonic()
        check_landings(crew)
        assert time.monotonic() - started < 5
    finally:
        os.close(descriptor)
    assert crew.rows("select agent, reason from fleet.landing where status = 'drifted'") == [("security", "missing")]


def test_what_a_killed_worker_wrote_is_not_called_refused_while_nobody_can_take_it_away(crew: Crew) -> None:
    note = proposed(crew)
    crew.drain()
    crew.approve(note)
    nonce, description = crew.rows(
        "select l.nonce, n.description from fleet.landing l join fleet.note n on n.id = l.note"
    )[0]
    place = landing.Workspace(root=crew.folder / "workspaces", name="backend")
    memory = landing.Memory(note=uuid(note), nonce=nonce, content=RULE, skill="api-contract", description=description)
    landing.land(place, memory)
    file = place.path / SKILL
    whole = file.read_text(encoding="utf-8")
    file.write_text(f"{whole}\nfleetmem:begin\n", encoding="utf-8")
    crew.drain()
    assert crew.rows("select status from fleet.landing") == [("pending",)]
    crew.revoke(note)
    crew.drain()
    assert crew.rows("select status from fleet.landing") == [("removing",)]
    file.write_text(whole, encoding="utf-8")
    crew.drain()
    assert crew.everything("backend") == ""
    assert crew.rows("select status from fleet.landing") == [("removed",)]


def test_a_preview_keeps_no_secret_that_stands_in_its_recipients_file(crew: Crew) -> None:
    place = landing.Workspace(root=crew.folder / "workspaces", name="backend")
    landing.prepare(place)
    secret = "xoxb-123456789012-1234567890123-" + "abcdefghijklmnopqrstuvwx"
    (place.path / "AGENTS.md").write_text(f"Speak to the channel with {secret}.\n", encoding="utf-8")
    proposed(crew, severity="severe")
    crew.drain()
    shown = crew.value("select after from fleet.landing_preview")
    assert secret not in shown
    assert RULE in shown


def test_a_file_name_that_is_no_text_keeps_no_refusal_from_being_told(crew: Crew) -> None:
    note = landed(crew)
    skills = crew.folder / "workspaces" / "backend" / ".agents" / "skills"
    odd = skills / os.fsdecode(b"\xff\x1b[2J")
    odd.mkdir()
    (odd / "SKILL.md").symlink_to("nowhere")
    (skills / "api-contract" / "SKILL.md").unlink()
    crew.revoke(note)
    crew.drain()
    assert crew.rows("select status, reason from fleet.landing") == [
        ("removing", "not-plain: .agents/skills/\\udcff\\x1b[2J/SKILL.md")
    ]


HEADING = "When the vault in the cellar is opened."


def of_code(crew: Crew, **fields: Any) -> str:
    """Propose a note to the backend agent that was made of what is for `code` alone."""
    memory = Memory(crew.cluster, crew.database)
    told = memory.told(TEAM, [("security", "The vault stands in the cellar.")], audience="code")
    fields = {"content": "The vault stands in the cellar.", "description": HEADING} | fields
    note = memory.propose(told, recipients=["backend"], preview=False, **fields)
    memory.flush(told)
    return note


def joining(crew: Crew) -> str:
    """Propose a note for `open` that joins the skill which the backend agent has."""
    memory = Memory(crew.cluster, crew.database)
    told = memory.told(TEAM, [("security", RULE), ("backend", "Understood.")])
    note = memory.propose(told, recipients=["backend"], preview=False)
    crew.owner("alter table fleet.note_recipient disable trigger all")
    crew.owner("update fleet.note_recipient set new_skill = false where note = %s", uuid(note))
    crew.owner("alter table fleet.note_recipient enable trigger all")
    memory.flush(told)
    return note


def only_open(crew: Crew) -> None:
    """Take from the backend agent what is for `code`."""
    agents = tuple(
        replace(agent, reads=frozenset({"open"}), writes=frozenset({"open"})) if agent.name == "backend" else agent
        for agent in ROSTER.agents
    )
    with psycopg.connect(**crew.database.psycopg(), autocommit=True) as owner:
        roster_sync.sync(owner, replace(ROSTER, agents=agents))


def approved(crew: Crew, note: str) -> None:
    crew.drain()
    crew.approve(note)
    crew.drain()


def test_a_skill_whose_founder_was_taken_away_is_not_founded_again_in_its_words(crew: Crew) -> None:
    approved(crew, of_code(crew))
    later = joining(crew)
    crew.drain()
    only_open(crew)
    approved(crew, later)
    assert HEADING not in crew.everything("backend")
    assert crew.rows("select status, reason from fleet.landing where note = %s", uuid(later)) == [
        ("refused", "no-skill: skill")
    ]


def test_a_skill_that_others_joined_loses_the_words_of_the_founder_that_goes(crew: Crew) -> None:
    approved(crew, of_code(crew))
    approved(crew, joining(crew))
    assert HEADING in crew.everything("backend")
    only_open(crew)
    crew.drain()
    left = crew.file("backend", SKILL) or ""
    assert RULE in left
    assert HEADING not in left
    assert 'description: "What the frontend may see of the backend."' in left


def test_a_skill_that_its_founder_left_is_founded_again_in_the_joining_notes_words(crew: Crew) -> None:
    founder = landed(crew, description=HEADING)
    later = joining(crew)
    crew.drain()
    crew.revoke(founder)
    approved(crew, later)
    left = crew.file("backend", SKILL) or ""
    assert RULE in left
    assert HEADING not in left


def suspended(crew: Crew, agent: str, *, since: str | None) -> None:
    crew.owner("update fleet.principal set suspended_at = %s where name = %s", since, agent)


def test_a_suspended_agent_is_given_nothing_until_it_is_let_back_in(crew: Crew) -> None:
    note = proposed(crew)
    crew.drain()
    suspended(crew, "backend", since="now")
    crew.approve(note)
    crew.drain()
    assert crew.rows("select status from fleet.landing") == [("pending",)]
    assert crew.everything("backend") == ""
    assert crew.jobs() == []
    suspended(crew, "backend", since=None)
    crew.drain()
    assert crew.rows("select status from fleet.landing") == [("landed",)]
    assert RULE in crew.everything("backend")


def test_an_agent_that_is_suspended_while_its_file_is_written_keeps_none(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = proposed(crew)
    crew.drain()
    crew.approve(note)
    write = landing.land

    def slow(*arguments: Any) -> landing.Landed:
        done = write(*arguments)
        suspended(crew, "backend", since="now")
        return done

    monkeypatch.setattr(landing, "land", slow)
    crew.drain()
    assert crew.rows("select status from fleet.landing") == [("pending",)]
    assert RULE not in crew.everything("backend")


def test_what_a_suspended_agent_holds_is_still_taken_away(crew: Crew) -> None:
    note = landed(crew)
    suspended(crew, "backend", since="now")
    crew.revoke(note)
    crew.drain()
    assert crew.rows("select status from fleet.landing") == [("removed",)]
    assert crew.everything("backend") == ""
