"""`fleetmem import` against a running gateway: whole, broken off and gone on with, refused, and as a user calls it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clusters import Cluster
from tests.databases import Databases
from tests.http.fleet import Fleet, make_fleet
from tests.http.processes import serving

PROGRAM = Path(sys.executable).parent / "fleetmem"
SAMPLES = Path(__file__).parents[1] / "unit" / "transcripts"
TEAM = """
insert into fleet.team (name, audiences) values ('house', '{open,health}');
insert into fleet.team_member (team, agent, position) values ('house', 'health', 1), ('house', 'facilities', 2);
"""
# Shaped as a vendor's key and nobody's.
SECRET = "ghp_" + "q7Zt0mXw4Kd9Rb2Lh8Vn5Cj1Ys6Pf3GxaT4u"
TURNS, STEPS = 12, 130


@dataclass(frozen=True, slots=True)
class Desk:
    """A gateway, and the command line of one of its agents."""

    fleet: Fleet
    url: str

    def start(
        self, *arguments: str | Path, as_: str = "facilities", stdin: int | None = None
    ) -> "subprocess.Popen[str]":
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("FLEETMEM_")}  # noqa: TID251 -- a child's
        told = {"FLEETMEM_URL": self.url, "FLEETMEM_TOKEN": self.fleet.tokens[as_]}
        return subprocess.Popen(
            [PROGRAM, *arguments],
            env=inherited | told,
            text=True,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str | Path, as_: str = "facilities") -> tuple[int, str, str]:
        with self.start(*arguments, as_=as_) as process:
            out, said = process.communicate(timeout=60)
            return process.returncode, out, said

    def held(self) -> dict[str, int]:
        """Count what is stored, as its owner."""
        with self.fleet.owner() as owner:
            counts = {
                table: owner.execute(f"select count(*) from fleet.{table}").fetchall()[0][0]
                for table in ("task", "run", "message", "span")
            }
            seq = owner.execute("select last_seq from fleet.team where name = 'house'").fetchall()[0][0]
        return {**counts, "last_seq": seq}


@pytest.fixture
def desk(postgres_cluster: Cluster, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    fleet = make_fleet(postgres_cluster, databases.fresh(postgres_cluster), tmp_path_factory.mktemp("home"))
    with fleet.owner() as owner:
        owner.execute(TEAM)
    with serving(fleet) as (_, url):
        yield Desk(fleet, url)


def session(folder: Path) -> Path:
    """Write a long session in our own form."""
    lines: list[dict[str, object]] = [{"type": "session", "id": "long"}]
    for turn in range(TURNS):
        lines.append({"type": "task", "prompt": f"Do part {turn}."})
        lines += [{"type": "step", "kind": "tool", "name": "shell", "body": f"step {each}"} for each in range(STEPS)]
        lines += [{"type": "message", "body": f"Part {turn}, word {each}."} for each in range(3)]
        lines.append({"type": "end", "outcome": "succeeded", "output": f"Part {turn} is done."})
    file = folder / "long.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return file


def test_an_import_that_is_killed_again_and_again_adds_nothing_twice_and_loses_nothing(
    desk: Desk, tmp_path: Path
) -> None:
    arguments = ("import", session(tmp_path), "--team", "house", "--audience", "open", "--json")
    for killed_after in (1, 3, 5, 8):
        process = desk.start(*arguments)
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith(f"turn {killed_after} "):
                break
        time.sleep(0.011 * killed_after)  # somewhere within the next turn
        process.kill()
        process.communicate()
    code, out, said = desk.run(*arguments)
    assert code == 0, said
    done = json.loads(out)
    whole = {"task": TURNS, "run": TURNS, "message": 3 * TURNS, "span": STEPS * TURNS, "last_seq": 3 * TURNS}
    assert (len(done["tasks"]), done["messages"], done["steps"]) == (TURNS, 3 * TURNS, STEPS * TURNS)
    assert desk.held() == whole
    assert desk.run(*arguments)[0] == 0
    assert desk.held() == whole
    with desk.fleet.owner() as owner:
        settled = owner.execute("select status, spans, count(*) from fleet.run group by 1, 2").fetchall()
        assert settled == [("succeeded", STEPS, TURNS)]
        assert owner.execute("select distinct status from fleet.task").fetchall() == [("done",)]


@pytest.mark.parametrize("sample", ["codex-0.111.0.jsonl", "claude-code-2.1.197.jsonl"])
def test_a_real_session_is_imported_as_it_stands(desk: Desk, sample: str) -> None:
    code, out, said = desk.run("import", SAMPLES / sample, "--team", "house", "--json")
    assert code == 0, said
    done = json.loads(out)
    assert done["format"] == sample.rpartition("-")[0]
    assert len(done["tasks"]) == 2
    assert "turn 2 of 2" in said
    shown = desk.run("task", "show", done["tasks"][0], as_="health")
    assert "Read the README and tell me what it says." in shown[1]
    assert "[succeeded]" in shown[1]


def test_a_secret_in_a_transcript_is_stored_nowhere(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "secret.jsonl"
    lines = [
        {"type": "session", "id": "secret"},
        {"type": "task", "prompt": f"Use {SECRET}."},
        {"type": "step", "kind": "tool", "name": "shell", "body": f"export TOKEN={SECRET}"},
        {"type": "message", "body": f"I used {SECRET}."},
        {"type": "end", "outcome": "succeeded", "output": f"Done with {SECRET}."},
    ]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    code, out, said = desk.run("import", file, "--team", "house", "--audience", "open")
    assert code == 0, said
    assert "secrets rewritten by github-token" in out
    with desk.fleet.owner() as owner:
        for table in ("task", "run", "message", "span", "idempotency"):
            assert owner.execute(
                f"select count(*) from fleet.{table} t where t::text like %s", [f"%{SECRET}%"]
            ).fetchall() == [(0,)]


def test_a_file_with_a_bad_line_is_refused_by_number_before_anything_is_sent(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    good = (SAMPLES / "codex-0.111.0.jsonl").read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*good[:20], b'{"type": "event_msg", "payl\n', b"\xff\xfe\n", *good[20:]]))
    code, _, said = desk.run("import", file, "--team", "house", "--audience", "open")
    assert code == 1
    assert "line 21: not JSON" in said
    assert "line 22: not UTF-8" in said
    assert "2 lines cannot be read, the first is line 21; nothing was sent" in said
    assert desk.held()["task"] == 0
    code, out, _ = desk.run("import", file, "--team", "house", "--audience", "open", "--skip-bad")
    assert (code, "2 lines left out" in out) == (0, True)
    assert desk.held()["task"] == 2


def test_a_file_that_is_mended_after_its_import_adds_what_was_missing_and_doubles_nothing(
    desk: Desk, tmp_path: Path
) -> None:
    def turn(number: int, *words: str) -> list[str]:
        said = [{"type": "message", "body": word} for word in words]
        end = {"type": "end", "outcome": "succeeded", "output": f"Did {number}."}
        return list(map(json.dumps, [{"type": "task", "prompt": f"Do {number}."}, *said, end]))

    opening = json.dumps({"type": "session", "id": "mended"})
    arguments = ("import", tmp_path / "mended.jsonl", "--team", "house", "--audience", "open")

    def written(*lines: str) -> Path:
        (tmp_path / "mended.jsonl").write_text("\n".join(lines), encoding="utf-8")
        return tmp_path / "mended.jsonl"

    written(opening, "{bad", "{bad", *turn(1, "Yes.", "Yes."), *turn(2, "No."))
    code, out, said = desk.run(*arguments, "--skip-bad")
    assert (code, "2 tasks, 3 messages, 0 steps; 2 lines left out" in out) == (0, True), said
    before = desk.held()
    written(opening, *turn(1, "Yes.", "Yes."), *turn(2, "No."), *turn(3))
    code, out, said = desk.run(*arguments)
    assert (code, "2 of the tasks were on record already" in out) == (0, True), said
    assert desk.held() == {**before, "task": 3, "run": 3}
    written(opening, *turn(1, "Yes.", "Yes."), *turn(2, "No.", "Or yes."), *turn(3), *turn(4))
    code, _, said = desk.run(*arguments)
    assert (code, "the turns of line 6" in said) == (5, True), said
    assert desk.held() == {**before, "task": 4, "run": 4}


def test_a_session_is_read_from_standard_input(desk: Desk) -> None:
    sample = (SAMPLES / "codex-0.111.0.jsonl").read_text(encoding="utf-8")
    with desk.start("import", "-", "--team", "house", "--audience", "open", stdin=subprocess.PIPE) as process:
        out, said = process.communicate(sample, timeout=60)
    assert (process.returncode, "2 tasks" in out) == (0, True), said


def test_a_team_that_is_none_of_ones_own_is_told_as_such(desk: Desk) -> None:
    for arguments in (
        ("task", "open", "books", "Look.", "--audience", "open"),
        ("task", "list", "books"),
        ("message", "post", "books", "Look.", "--audience", "open"),
        ("message", "list", "books"),
        ("import", SAMPLES / "codex-0.111.0.jsonl", "--team", "books", "--audience", "open"),
        ("team", "show", "books"),
    ):
        code, _, said = desk.run(*arguments)
        assert (code, "There is no team books, or you are no member of it" in said) == (4, True), (arguments, said)


def test_an_import_says_what_it_needs_to_know(desk: Desk, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", encoding="utf-8")
    sample = SAMPLES / "codex-0.111.0.jsonl"
    for arguments, as_, code, word in (
        ((sample, "--team", "house"), "health", 1, "--audience must say whom it is for: one of open, health"),
        ((sample, "--team", "nowhere"), "health", 4, "no member of it"),
        ((sample, "--team", "house", "--audience", "finance"), "health", 1, "`fleetmem me` lists"),
        ((empty, "--team", "house"), "facilities", 1, "the file is empty"),
    ):
        ended, _, said = desk.run("import", *arguments, as_=as_)
        assert (ended, word in said) == (code, True), said


def test_a_team_works_by_hand_through_the_command(desk: Desk) -> None:
    task = json.loads(desk.run("task", "open", "house", "Mend it.", "--audience", "open", "--json")[1])["id"]
    run = json.loads(desk.run("run", "open", task, "--instruction", "Look first.", "--json")[1])["id"]
    posted = desk.run("message", "post", "house", "It is mended.", "--audience", "open", "--run", run, "--human")
    assert "reports a person's words" in posted[1]
    ended = desk.run("run", "settle", run, "succeeded", "--output", "Mended.")
    assert "[succeeded]" in ended[1]
    assert "It is mended." in desk.run("message", "list", "house", "--task", task, as_="health")[1]
    assert "[done]" in desk.run("task", "settle", task, "done")[1]
    assert task in desk.run("task", "list", "house", "--status", "done", as_="health")[1]
    assert "facilities: Looks after facilities." in desk.run("team", "show", "house")[1]
    assert desk.run("team", "show", "books")[0] == 4
