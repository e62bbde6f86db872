"""The ledger over the console and its commands: whole pages, an answer for any moment, and a page that cannot draw."""

import asyncio
import json
import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from fleetmem import wire
from fleetmem.client import ConsoleClient
from fleetmem.errors import Absent, Forbidden, NoteEdited
from tests.http.fleet import Fleet, Voice, refused
from tests.http.processes import serving
from tests.memory import Memory

PROGRAM = Path(sys.executable).parent / "fleetmem"
Run = Callable[..., subprocess.CompletedProcess[str]]
HOSTILE = "Fine.\n\x1b[2J  | fake frame\n\u202erehto"


@pytest.fixture(scope="module")
def memory(fleet: Fleet) -> Memory:
    made = Memory(fleet.cluster, fleet.database)
    made.team("web", ["facilities", "finance", "health"], ["open", "health"])
    return made


@pytest.fixture(scope="module")
def url(fleet: Fleet) -> Iterator[str]:
    with serving(fleet, "console") as (_, address):
        yield address


@pytest.fixture(scope="module")
def olgas(fleet: Fleet, url: str) -> Iterator[ConsoleClient]:
    with ConsoleClient(url, token=fleet.tokens["olga"]) as client:
        yield client


@pytest.fixture(scope="module")
def fleetmem(fleet: Fleet, url: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("operator")
    for name in ("olga", "arthur"):
        (folder / f"{name}.token").write_text(fleet.tokens[name])
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FLEETMEM_")}  # noqa: TID251 -- a child's

    def run(
        *arguments: str, as_: str = "olga", stdin: int | None = subprocess.DEVNULL
    ) -> subprocess.CompletedProcess[str]:
        told = {"FLEETMEM_CONSOLE_URL": url, "FLEETMEM_TOKEN_FILE": str(folder / f"{as_}.token")}
        return subprocess.run(
            [PROGRAM, *arguments],
            env=inherited | told,
            cwd=folder,
            stdin=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def proposed(memory: Memory, said: str = "The desk asks for the code.", **fields: Any) -> str:
    told = memory.told("web", [("health", said), ("finance", "Noted.")])
    return memory.propose(told, recipients=["health"], denials={"finance": "below_threshold"}, **fields)


async def test_pages_are_oldest_first_and_follow_one_another(olga: Voice, memory: Memory) -> None:
    note = proposed(memory)
    whole = memory.ledger()
    rows: list[wire.LedgerRow] = []
    after = 0
    while True:
        page = msgspec.json.decode((await olga.get("/v1/ledger", after=after, limit=2)).content, type=wire.LedgerPage)
        rows += page.items
        if page.next is None:
            break
        after = page.next
    assert [(row.seq, row.detail, row.hash) for row in rows] == [
        (row["seq"], row["detail"], row["hash"]) for row in whole
    ]
    of_note = (await olga.get("/v1/ledger", note=note, agent="health")).json()["items"]
    assert [row["event"] for row in of_note] == ["granted"]
    head = (await olga.get("/v1/ledger/head")).json()
    assert (head["seq"], head["hash"]) == (whole[-1]["seq"], whole[-1]["hash"])


@pytest.mark.parametrize(
    ("query", "field", "rule"),
    [
        ({}, "agent", "required"),
        ({"agent": "Not A Name"}, "agent", "format"),
        ({"agent": "health", "at": "yesterday"}, "at", "time-format"),
        ({"agent": "health", "at": "2027-03-01T12:00:00"}, "at", "time-zone"),
        ({"agent": "health", "at": "9999-03-01T12:00:00Z"}, "at", "in-the-future"),
    ],
)
async def test_a_question_that_cannot_be_understood_is_refused(
    olga: Voice, query: dict[str, str], field: str, rule: str
) -> None:
    assert refused(await olga.get("/v1/ledger/explain", **query)) == (400, "request.invalid", field, rule)


async def test_an_agent_that_never_was_is_absent(olga: Voice) -> None:
    assert refused(await olga.get("/v1/ledger/explain", agent="nobody"))[:2] == (404, "record.absent")
    assert refused(await olga.get("/v1/ledger/explain", agent="olga"))[:2] == (404, "record.absent")


async def test_what_an_agent_knew_is_told_as_of_each_moment_and_after_it_left(
    olga: Voice, memory: Memory, fleet: Fleet
) -> None:
    async def knew(moment: float | None = None) -> dict[str, list[str]]:
        asked = (
            {}
            if moment is None
            else {"at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)) + f".{moment % 1:.6f}"[2:] + "Z"}
        )
        answer = msgspec.json.decode(
            (await olga.get("/v1/ledger/explain", agent="health", **asked)).content, type=wire.Explanation
        )
        return {
            part: [str(each.note) for each in getattr(answer, part) if str(each.note) == note]
            for part in ("known", "denied", "revoked", "unsettled")
        }

    note = proposed(memory)
    moments = [now()]
    await olga.post(f"/v1/notes/{note}/approve", {"revision": 1})
    moments.append(now())
    memory.land(note)
    moments.append(now())
    with fleet.owner() as owner:
        owner.execute("update fleet.team_member set active = false where team = 'web' and agent = 'health'")
        owner.execute("update fleet.principal set active = false where name = 'health'")
    memory.remove(note)
    try:
        told = [[part for part, notes in (await knew(moment)).items() if notes] for moment in (*moments, None)]
        assert told == [["unsettled"], ["unsettled"], ["known"], ["revoked"]]
        answer = await olga.get("/v1/ledger/explain", agent="finance")
        denied = next(each for each in answer.json()["denied"] if each["note"] == note)
        assert (denied["reason"], denied["description"]) == (
            "below_threshold",
            "What the frontend may see of the backend.",
        )
    finally:
        with fleet.owner() as owner:
            owner.execute("update fleet.principal set active = true where name = 'health'")
            owner.execute("update fleet.team_member set active = true where team = 'web' and agent = 'health'")


def now() -> float:
    time.sleep(0.002)
    moment = time.time()  # noqa: TID251 -- what the database's clock is asked about
    time.sleep(0.002)
    return moment


async def test_a_page_cannot_draw_on_the_terminal(memory: Memory, fleetmem: Run) -> None:
    note = proposed(memory, HOSTILE, content=HOSTILE, description="A heading.", rationale=HOSTILE)
    shown = await asyncio.to_thread(fleetmem, "review", "show", note)
    assert shown.returncode == 0, shown.stderr
    assert "\x1b" not in shown.stdout
    assert "\u202e" not in shown.stdout
    assert "<U+001B>[2J" in shown.stdout
    assert not any(line.startswith("  | fake") for line in shown.stdout.splitlines())
    for expected in (
        "below_threshold",
        "api-contract/SKILL.md",
        "health  match 0.91",
        "(a new file)",
        "signed by 0 of 1",
    ):
        assert expected in shown.stdout


async def test_approving_needs_a_person_or_the_revision_that_was_seen(memory: Memory, fleetmem: Run) -> None:
    note = proposed(memory)
    alone = await asyncio.to_thread(fleetmem, "review", "approve", note)
    assert (alone.returncode, "--yes" in alone.stderr) == (1, True)
    blind = await asyncio.to_thread(fleetmem, "review", "approve", note, "--yes")
    assert (blind.returncode, "--revision" in blind.stderr) == (1, True)
    stale = await asyncio.to_thread(fleetmem, "review", "approve", note, "--yes", "--revision", "2")
    assert stale.returncode == 5
    listed = await asyncio.to_thread(fleetmem, "review", "list", "--json", as_="arthur")
    assert note in {each["id"] for each in json.loads(listed.stdout)}
    done = await asyncio.to_thread(fleetmem, "review", "approve", note, "--yes", "--revision", "1", "--json")
    assert json.loads(done.stdout)["status"] == "approved"


async def test_a_refused_decision_says_where_the_note_stands_and_what_to_do(memory: Memory, fleetmem: Run) -> None:
    async def said(*arguments: str, code: int = 5) -> str:
        done = await asyncio.to_thread(fleetmem, *arguments)
        assert done.returncode == code, done.stderr
        return done.stderr

    note = proposed(memory)
    assert "say --yes --revision 1" in await said("review", "approve", note, code=1)
    assert "`fleetmem review reject`" in await said("review", "revoke", note, "--yes")
    await asyncio.to_thread(fleetmem, "review", "edit", note, "--content", "Ask.")
    memory.preview(note)
    stale = await said("review", "approve", note, "--yes", "--revision", "1")
    assert f"is at revision 2 by now; see what it says: `fleetmem review show {note}`" in stale
    await asyncio.to_thread(fleetmem, "review", "approve", note, "--yes", "--revision", "2")
    for verb in (("approve", "--yes", "--revision", "2"), ("approve",), ("reject",)):
        decided = await said("review", verb[0], note, *verb[1:])
        assert "The note is approved (revision 2); `fleetmem review revoke` takes it back." in decided
    nobody = await said("review", "revoke", note, "--agent", "finance", "--yes", code=4)
    assert "The note is not granted to an agent finance." in nobody
    assert "There is no agent nobody, and never was." in await said("ledger", "explain", "--agent", "nobody", code=4)


@pytest.mark.parametrize(("word", "status"), [(b"y\n", "approved"), (b"n\n", "candidate")])
async def test_a_person_is_shown_what_will_be_written_and_asked(
    olgas: ConsoleClient, memory: Memory, fleetmem: Run, word: bytes, status: str
) -> None:
    note = proposed(memory)
    ours, theirs = pty.openpty()
    os.write(ours, word)
    done = await asyncio.to_thread(fleetmem, "review", "approve", note, stdin=theirs)
    os.close(ours)
    os.close(theirs)
    assert done.returncode == (0 if status == "approved" else 1)
    assert "api-contract/SKILL.md" in done.stderr
    assert "Let it land for health, as shown?" in done.stderr
    assert (await asyncio.to_thread(olgas.note, note)).status == status


async def test_the_client_decides_and_tells_refusals_apart(
    olgas: ConsoleClient, memory: Memory, fleet: Fleet, url: str
) -> None:
    note = proposed(memory)
    edited = await asyncio.to_thread(
        olgas.edit, note, wire.NoteEdit(revision=1, recipients=[wire.NewRecipient(agent="finance")])
    )
    assert edited.revision == 2
    with pytest.raises(NoteEdited):
        await asyncio.to_thread(olgas.approve, note, 1)
    with pytest.raises(Absent):
        await asyncio.to_thread(olgas.recall, "01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8")
    with ConsoleClient(url, token=fleet.tokens["arthur"]) as arthurs:
        assert (await asyncio.to_thread(arthurs.me)).role == "auditor"
        with pytest.raises(Forbidden):
            await asyncio.to_thread(arthurs.reject, note)


async def test_the_commands_edit_revoke_recall_and_close(memory: Memory, fleetmem: Run) -> None:
    note = proposed(memory, quarantined_by=["override"])
    edited = await asyncio.to_thread(
        fleetmem, "review", "edit", note, "--recipient", "facilities", "--recipient", "health=desk", "--content", "Ask."
    )
    assert "revision 2" in edited.stdout
    dropped = await asyncio.to_thread(fleetmem, "review", "edit", note, "--without", "facilities", "--json")
    assert json.loads(dropped.stdout)["revision"] == 3
    memory.preview(note)
    listed = await asyncio.to_thread(fleetmem, "incident", "list", "--json", as_="arthur")
    incident = next(each["id"] for each in json.loads(listed.stdout) if each["note"] == note)
    closed = await asyncio.to_thread(fleetmem, "incident", "close", incident, "dismissed", "--remark", "It quotes.")
    assert "is dismissed" in closed.stdout
    await asyncio.to_thread(fleetmem, "review", "approve", note, "--yes", "--revision", "3")
    memory.land(note)
    revoked = await asyncio.to_thread(fleetmem, "review", "revoke", note, "--yes", "--remark", "Wrong.")
    assert "is revoked" in revoked.stdout
    recalled = await asyncio.to_thread(fleetmem, "review", "recall", note)
    assert "health held it since" in recalled.stdout
    assert "NOT GONE YET" in recalled.stdout
    explained = await asyncio.to_thread(fleetmem, "ledger", "explain", "--agent", "health", as_="arthur")
    assert "had taken back:" in explained.stdout
    shown = await asyncio.to_thread(fleetmem, "ledger", "show", "--note", note, as_="arthur")
    assert "revoked" in shown.stdout


async def test_closing_a_narrowed_incident_says_what_takes_the_memory_away_and_jobs_are_listed(
    memory: Memory, fleetmem: Run
) -> None:
    note = proposed(memory)
    memory.rows("select fence.report('narrowed', %s, null, 'health', 'x', '{}')", note)
    memory.rows("select fence.report_job(null, null, 'no memory came of it')")
    listed = await asyncio.to_thread(fleetmem, "incident", "list", "--kind", "job", "--json")
    assert "no memory came of it" in [each["detail"] for each in json.loads(listed.stdout)]
    listed = await asyncio.to_thread(fleetmem, "incident", "list", "--kind", "narrowed", "--json")
    incident = next(each["id"] for each in json.loads(listed.stdout) if each["note"] == note)
    closed = await asyncio.to_thread(fleetmem, "incident", "close", incident, "confirmed")
    assert f"until `fleetmem review revoke {note} --agent health`" in " ".join(closed.stdout.split())


async def test_a_pin_proves_the_end_and_a_tampered_ledger_fails_to_verify(
    memory: Memory, fleetmem: Run, fleet: Fleet, tmp_path: Path
) -> None:
    proposed(memory)
    pin = tmp_path / "ledger.pin"
    assert (await asyncio.to_thread(fleetmem, "ledger", "pin", "--out", str(pin), as_="arthur")).returncode == 0
    whole = await asyncio.to_thread(fleetmem, "ledger", "verify", "--pin", str(pin), as_="arthur")
    assert (whole.returncode, "nothing is wrong" in whole.stdout) == (0, True)
    with fleet.owner() as owner:
        owner.execute("create table public.kept as select * from fleet.ledger")
        try:
            tamper(owner, "update fleet.ledger set reason = 'x' where seq = 2")
            found = await asyncio.to_thread(fleetmem, "ledger", "verify", "--json", as_="arthur")
            assert (found.returncode, json.loads(found.stdout)["findings"][0]["seq"]) == (1, 2)
            tamper(owner, "delete from fleet.ledger where seq > (select max(seq) - 2 from fleet.ledger)")
            cut = await asyncio.to_thread(fleetmem, "ledger", "verify", "--pin", str(pin), as_="arthur")
            assert (cut.returncode, "TRUNCATED" in cut.stdout) == (1, True)
            before = pin.read_text()
            again = await asyncio.to_thread(fleetmem, "ledger", "pin", "--out", str(pin), as_="arthur")
            assert (again.returncode, pin.read_text()) == (5, before)
        finally:
            tamper(owner, "delete from fleet.ledger", "insert into fleet.ledger select * from public.kept")
            owner.execute("drop table public.kept")
    assert (await asyncio.to_thread(fleetmem, "ledger", "verify", "--pin", str(pin))).returncode == 0


def tamper(owner: psycopg.Connection[tuple[object, ...]], *statements: str) -> None:
    with owner.transaction():
        owner.execute("alter table fleet.ledger disable trigger all")
        for statement in statements:
            owner.execute(statement)
        owner.execute("alter table fleet.ledger enable always trigger z_never")


async def test_a_file_that_is_no_pin_is_refused(fleetmem: Run, tmp_path: Path) -> None:
    (tmp_path / "pin").write_text("{}")
    done = await asyncio.to_thread(fleetmem, "ledger", "verify", "--pin", str(tmp_path / "pin"))
    assert (done.returncode, "is no pin" in done.stderr) == (1, True)
