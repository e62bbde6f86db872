"""The database's part of the proof, on each server: everything holds, nothing is left, and nothing is told."""

import json
import re
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path

import psycopg
import pytest

from fleetmem.admin import database, tokens
from fleetmem.admin.prove import Deployment, prove, records, removal, report, setting
from fleetmem.admin.prove.proof import Proof
from fleetmem.admin.prove.sessions import Sessions
from fleetmem.admin.prove.verdict import Kind, Way
from fleetmem.errors import SetupInvalid
from fleetmem.fleet.claims import mint

TABLES = (
    "fleet.audience", "fleet.principal", "fleet.beat", "fleet.handoff", "fleet.handoff_transition", "fleet.idempotency",
    "fleet.team", "fleet.team_member", "fleet.message",
    "vault.signing_key", "vault.bearer",
)  # fmt: skip


def wall_clock() -> float:
    return time.time()  # noqa: TID251 -- claims are held against the database's own clock


@pytest.fixture(scope="module")
def proof(sound: Deployment) -> Proof:
    return prove(sound, wall_clock, (Way.DATABASE,))


def test_everything_holds(proof: Proof) -> None:
    assert [f"{verdict.id}: {verdict.got}" for verdict in proof.failed] == []
    assert proof.holds


def test_it_is_a_great_deal(proof: Proof) -> None:
    of = {kind: sum(verdict.kind is kind for verdict in proof.verdicts) for kind in Kind}
    assert of[Kind.REFUSAL] > 1_500
    assert of[Kind.CONTROL] > 200
    assert of[Kind.STATE] > 800
    assert 15 < of[Kind.LIMIT] < 30


def test_nothing_is_left_and_the_fence_is_whole(proof: Proof, sound: Deployment) -> None:
    assert proof.left.rows == {}
    with psycopg.connect(**sound.admin) as owner:
        for table in TABLES:
            assert owner.execute(f"select count(*) from {table}".encode()).fetchone() == (0,), table
        switched_off = owner.execute("select count(*) from pg_trigger where tgenabled not in ('O', 'A')").fetchone()
        never = owner.execute(
            "select count(*) from pg_trigger where tgname ~ '^z_never' and tgenabled <> 'A'"
        ).fetchone()
        assert (switched_off, never) == ((0,), (0,))


def test_a_proof_uses_up_no_number_of_the_ledger_and_leaves_no_job(proof: Proof, sound: Deployment) -> None:
    assert sum(verdict.section in "LNOQ" for verdict in proof.verdicts) > 600
    with psycopg.connect(**sound.admin) as owner:
        for table in ("fleet.ledger", "fleet.note", "fleet.team", "fleet.message", "queue.procrastinate_jobs"):
            assert owner.execute(f"select count(*) from {table}".encode()).fetchone() == (0,), table
        rule = owner.execute("select review_all, auto_grant, on_narrowing from fleet.memory_rule").fetchall()
    assert rule == [(False, False, "at_once")]


def test_the_report_is_private_and_tells_no_secret(proof: Proof, tmp_path: Path) -> None:
    path = report.write(proof, tmp_path / "home" / "reports")
    assert re.fullmatch(r"prove-\d{8}T\d{6}Z\.md", path.name)
    for file in (path, path.with_suffix(".json")):
        assert file.stat().st_mode & 0o777 == 0o600
        content = file.read_text(encoding="utf-8")
        assert re.search(r"fm_[A-Za-z0-9_-]{43}|eyJ[A-Za-z0-9_-]{20,}\.", content) is None
        assert "board secret" not in content.replace("'board secret", "")  # only in the statements that guess at it
    assert json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["holds"] is True
    assert "fleetmem_agent | name description |" in path.read_text(encoding="utf-8")


def test_what_the_terminal_shows_is_one_line_a_section(proof: Proof) -> None:
    lines = report.terminal(proof).splitlines()
    assert lines[-1] == "Everything held."
    assert sum(line.startswith("database") for line in lines) == len({verdict.section for verdict in proof.verdicts})


def test_a_failed_attempt_is_told_with_what_was_tried_and_what_came_of_it(proof: Proof) -> None:
    first = replace(proof.verdicts[0], held=False, got="7 rows", why="for a reason")
    told = report.terminal(replace(proof, verdicts=(first, *proof.verdicts[1:])))
    assert "The fence does NOT hold." in told
    for word in (first.id, "7 rows", first.expected, "for a reason"):
        assert word in told


def test_what_a_killed_run_left_is_removed_by_the_next(sound: Deployment) -> None:
    run = secrets.token_hex(3)
    sessions = Sessions(sound.admin, sound.logins)
    with database.owner(sound.admin) as owner:
        stage = setting.set_up(owner, run, wall_clock)
    records.write(sessions.of("fleetmem_gateway"), stage)
    sessions.close()
    with psycopg.connect(**sound.admin, autocommit=True) as owner:
        assert removal.left(owner, run).rows.keys() == set(TABLES)
        prove(sound, wall_clock, (Way.DATABASE,), sections="J")
        assert removal.left(owner).rows == {}


def test_a_real_agents_records_outlive_a_removal(sound: Deployment) -> None:
    """Also where a real agent handed something to a throw-away one, which cannot stay."""
    run = secrets.token_hex(3)
    with psycopg.connect(**sound.admin, autocommit=True) as owner:
        owner.execute("insert into fleet.audience (name) values ('open')")
        owner.execute(
            "insert into fleet.principal (name, rol, reads, writes) values ('real', 'agent', '{open}', '{open}')"
        )
        with owner.transaction():
            stage = setting.set_up(owner, run, wall_clock)
            bearer = tokens.issue(owner, "real")
        claim = mint(stage.keys["agent"], "real", bearer[0], wall_clock())
        sessions = Sessions(sound.admin, sound.logins)
        gateway = sessions.of("fleetmem_gateway")
        gateway.execute("select api.beat_publish(%s, null, null, 'kept', 'x', 'open', null)", [claim])
        gateway.execute(
            "select api.handoff_send(%s, null, null, %s, 'x', 'open', null, '{}')", [claim, stage.name("kit")]
        )
        sessions.close()
        assert removal.remove(owner, run).rows == {}
        assert owner.execute("select author, topic from fleet.beat").fetchall() == [("real", "kept")]
        assert owner.execute("select count(*) from fleet.handoff").fetchone() == (0,)
        for table in ("beat", "principal", "audience"):
            owner.execute(f"alter table fleet.{table} disable trigger user".encode())
            owner.execute(f"delete from fleet.{table}".encode())
        for table in ("beat", "principal", "audience"):
            owner.execute(f"alter table fleet.{table} enable trigger user".encode())
            owner.execute(f"alter table fleet.{table} enable always trigger z_never".encode())
        owner.execute("alter table fleet.beat enable always trigger z_never_edit")
        owner.execute("delete from vault.bearer")


def test_two_proofs_of_one_database_do_not_meet(sound: Deployment) -> None:
    with psycopg.connect(**sound.admin, autocommit=True) as other:
        other.execute("select pg_advisory_lock(%s)", [0x70726F7665])
        with pytest.raises(SetupInvalid, match="another `fleetmem prove`"):
            prove(sound, wall_clock, (Way.DATABASE,), sections="J")


def _reading(clocks: Iterator[Callable[[], float]]) -> Callable[[], float]:
    def read() -> float:
        return next(clocks)()

    return read


def test_a_proof_that_is_broken_off_leaves_nothing(sound: Deployment) -> None:
    def impatient() -> float:
        raise KeyboardInterrupt

    moments = chain(repeat(wall_clock, 60), repeat(impatient))
    with pytest.raises(KeyboardInterrupt):
        prove(sound, _reading(moments), (Way.DATABASE,), sections="E")
    with psycopg.connect(**sound.admin, autocommit=True) as owner:
        assert removal.left(owner).rows == {}
        assert owner.execute(
            "select count(*) from pg_trigger where tgname ~ '^z_never' and tgenabled <> 'A'"
        ).fetchone() == (0,)
