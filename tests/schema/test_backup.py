"""`fleetmem backup` and `fleetmem restore`: everything comes back, nothing else does, and a bad backup is never made or used."""

import io
import json
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

import msgspec
import psycopg
import pytest
from psycopg import sql

from fleetmem.admin import backup as backups
from fleetmem.admin import database, keys, migrate, verify
from fleetmem.admin.backup import archive, ledger, programs, rekey
from fleetmem.admin.backup.restore import differing
from fleetmem.admin.database import Conninfo
from fleetmem.errors import SetupInvalid
from fleetmem.fleet.agent import Rol
from fleetmem.sql.fence_files import shipped
from tests.clusters import Cluster
from tests.databases import Databases

NOW: Final = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
AWKWARD: Final = "a\tb\\.\n\\.\n\\N 'quoted' \"twice\" äöü 日本 \U0001f3e0 {curly} $1;"
DAY: Final = """
set session_replication_role = replica;
insert into fleet.audience (name, description) values ('open', 'everyone'), ('health', 'few');
insert into fleet.principal (name, rol, reads, writes, active)
  values ('ann', 'agent', '{open,health}', '{open}', true), ('bob', 'agent', '{open}', '{open}', true),
         ('old-one', 'agent', '{}', '{}', false), ('keeper', 'operator', '{}', '{}', true);
insert into fleet.beat (id, author, topic, topic_key, body, audience, created_at, expires_at, ended_at, ended_as)
  select md5(n::text)::uuid, 'ann', 'topic ' || n, 'topic ' || n, %(awkward)s || n, 'open', '2026-11-01 10:00+00'::timestamptz
         + n * interval '1 second', '2026-11-08 10:00+00', case when n %% 3 = 0 then '2026-11-02 00:00+00'::timestamptz end,
         case when n %% 3 = 0 then 'retracted' end
    from generate_series(1, 500) n;
insert into fleet.handoff (id, sender, recipient, request, audience, status, created_at, updated_at, flags)
  values (md5('h')::uuid, 'ann', 'bob', %(awkward)s, 'open', 'open', '2026-11-01', '2026-11-02', '{asks-to-skip}');
insert into fleet.handoff_transition (id, handoff, to_status, made_by, made_at)
  values (md5('t')::uuid, md5('h')::uuid, 'open', 'ann', '2026-11-01');
insert into vault.bearer (id, sha256, principal, created_at, revoked_at)
  values ('live', sha256('live'), 'ann', '2026-10-01', null), ('gone', sha256('gone'), 'bob', '2026-10-01', '2026-10-05');
insert into fleet.team (name, audiences) values ('yard', '{open}');
insert into fleet.segment (id, team, ordinal, status, boundary, from_seq, to_seq, opened_at, active_at, closed_at, flushed_at, outcome)
  values (md5('s')::uuid, 'yard', 1, 'flushed', 'idle', 0, 3, '2026-11-01', '2026-11-01', '2026-11-01', '2026-11-01', 'notes');
insert into fleet.note (id, segment, team, ordinal, status, severity, content, description, skill_key, audiences,
                        policy_version, extractor, created_at, decided_at, decided_by, supersedes)
  values (md5('later')::uuid, md5('s')::uuid, 'yard', 2, 'approved', 'normal', %(awkward)s, 'd', 'a-key', '{open}', 'v', 'rules',
          '2026-11-01', '2026-11-01', 'keeper', md5('first')::uuid),
         (md5('first')::uuid, md5('s')::uuid, 'yard', 1, 'revoked', 'severe', %(awkward)s, 'd', 'a-key', '{open}', 'v', 'rules',
          '2026-11-01', '2026-11-01', 'keeper', null);
insert into fleet.landing (id, note, agent, nonce, new_skill, status, path, sha256, requested_at, landed_at)
  values (md5('l')::uuid, md5('later')::uuid, 'ann', repeat('0', 32), true, 'landed', '.agents/skills/a-key/SKILL.md', 'x',
          '2026-11-01', '2026-11-01');
select fence.tell('proposed', md5('later')::uuid, null, null, '{"b": 1, "a": [2, null, "ü"]}') from generate_series(1, 40);
select fence.tell('granted', md5('later')::uuid, 'ann', %(awkward)s, null) from generate_series(1, 40);
update fleet.memory_rule set review_all = true;
select fence.defer('land', '{"landing": 1}', null, 'land:1', 0);
"""


@pytest.fixture(scope="module")
def lived_in(pg_server: Cluster, databases: Databases) -> Conninfo:
    """A fleet's database after a day, with keys that no backup may hold."""
    here = databases.fresh(pg_server).psycopg()
    with psycopg.connect(**here) as connection, psycopg.ClientCursor(connection) as cursor:
        cursor.execute(DAY, {"awkward": AWKWARD})
    with psycopg.connect(**here) as connection:
        keys.register(connection, Rol.AGENT)
    return here


@pytest.fixture
def target(lived_in: Conninfo) -> Iterator[Conninfo]:
    """Name a database that does not exist, and make sure of that afterwards."""
    name = f"{lived_in['dbname']}_restored"
    yield cast("Conninfo", {**lived_in, "dbname": name})
    with psycopg.connect(**_maintenance(lived_in), autocommit=True) as connection:
        connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


@pytest.fixture(scope="module")
def made(lived_in: Conninfo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("backups") / "tonight.tar"
    backups.backup(lived_in, path, now=NOW)
    return path


def test_every_row_comes_back_as_it_was(lived_in: Conninfo, made: Path, target: Conninfo) -> None:
    restored = backups.restore(target, made, keep_tokens=True)
    assert restored.manifest.tables["fleet.beat"].rows == 500
    for table in restored.manifest.tables:
        assert _rows(target, table) == _rows(lived_in, table)


def test_the_restored_fence_is_the_declared_one_and_its_triggers_are_always_on(made: Path, target: Conninfo) -> None:
    backups.restore(target, made)
    report = verify.verify(target)
    assert report.is_clean, [finding.sentence() for finding in report.findings]
    states = _query(target, "select distinct tgenabled from pg_trigger where tgname like 'z\\_never%'")
    assert states == [("A",)]


def test_tokens_of_before_are_revoked_unless_kept_and_a_revoked_one_stays_so(made: Path, target: Conninfo) -> None:
    assert backups.restore(target, made).revoked == 1
    revoked = dict(_query(target, "select id, revoked_at from vault.bearer"))
    assert revoked["live"] is not None
    assert revoked["gone"] == datetime(2026, 10, 5, tzinfo=UTC)


def test_a_backup_holds_no_key_and_says_so(lived_in: Conninfo, made: Path, target: Conninfo) -> None:
    backups.restore(target, made)
    assert _query(target, "select count(*) from vault.signing_key") == [(0,)]
    with archive.opened(made) as opened:
        assert any("signing keys" in each for each in opened.manifest.absent)
        assert any("queue" in each for each in opened.manifest.absent)
        assert not any(name.startswith("queue.") for name in opened.manifest.tables)
        assert "vault.signing_key" not in opened.manifest.tables
    assert _query(lived_in, "select count(*) from vault.signing_key") == [(1,)]


def test_the_ledger_comes_back_as_one_chain_that_ends_where_it_ended(
    lived_in: Conninfo, made: Path, target: Conninfo
) -> None:
    restored = backups.restore(target, made)
    (head,) = _query(lived_in, "select seq || ' ' || encode(hash, 'hex') from fleet.ledger order by seq desc limit 1")
    assert (restored.manifest.ledger_head,) == head
    assert restored.manifest.ledger_head.startswith("80 ")
    assert restored.ledger_faults == ()
    _query(target, "select fence.tell('landed', md5('later')::uuid, 'ann', null, null)")
    with psycopg.connect(**target) as connection:
        later = ledger.head(connection)
        assert (later.split()[0], ledger.faults(connection, later)) == ("81", ())


def test_the_rules_of_memory_are_the_backups_and_the_queue_begins_empty(made: Path, target: Conninfo) -> None:
    backups.restore(target, made)
    assert _query(target, "select review_all from fleet.memory_rule") == [(True,)]
    assert _query(target, "select count(*) from queue.procrastinate_jobs") == [(0,)]


@pytest.mark.parametrize(
    ("tampering", "words"),
    [
        ("update fleet.ledger set reason = 'other' where seq = 50", "row 50 does not say"),
        ("delete from fleet.ledger where seq = 7", "row 7 is missing"),
        ("delete from fleet.ledger where seq > 60", "ends at row 60"),
        ("update fleet.ledger set prev = sha256('x') where seq = 9", "row 9"),
        ("delete from fleet.ledger", "ends at row 0"),
    ],
)
def test_a_ledger_that_is_not_the_one_that_was_backed_up_is_told(
    made: Path, target: Conninfo, tampering: str, words: str
) -> None:
    manifest = backups.restore(target, made).manifest
    with psycopg.connect(**target) as connection:
        connection.execute("alter table fleet.ledger disable trigger z_never")
        connection.execute(tampering.encode())
        told = ledger.faults(connection, manifest.ledger_head)
        assert any(words in each for each in told), told
        assert any("ledger" in each for each in differing(connection, manifest))
        connection.rollback()


def test_a_ledger_that_was_broken_already_comes_back_as_it_was_and_is_told(
    made: Path, target: Conninfo, tmp_path: Path
) -> None:
    backups.restore(target, made)
    _query(
        target, "alter table fleet.ledger disable trigger z_never; update fleet.ledger set actor = 'me' where seq = 3"
    )
    backups.backup(target, tmp_path / "broken.tar", now=NOW)
    with psycopg.connect(**_maintenance(target), autocommit=True) as connection:
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(target["dbname"])))
    restored = backups.restore(target, tmp_path / "broken.tar")
    assert restored.ledger_faults == ("row 3 does not say what its hash covers",)
    assert _query(target, "select actor from fleet.ledger where seq = 3") == [("me",)]


def test_a_restored_fleet_gets_new_keys_and_new_tokens(made: Path, target: Conninfo, tmp_path: Path) -> None:
    backups.restore(target, made)
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with psycopg.connect(**target) as connection:
        rekey.rekey(connection, home)
        assert rekey.reissue(connection, home) == ["ann", "bob", "keeper"]
    assert (home / "secrets/gateway/key.json").stat().st_mode & 0o777 == 0o600
    assert _query(target, "select count(*) from vault.signing_key where not revoked") == [(3,)]
    live = _query(target, "select principal from vault.bearer where revoked_at is null order by 1")
    assert live == [("ann",), ("bob",), ("keeper",)]


@pytest.mark.parametrize("role", ["fleetmem_auditor", "fleetmem_agent", "fleetmem_owner"])
def test_a_backup_that_row_security_or_a_missing_right_would_empty_is_not_made(
    lived_in: Conninfo, tmp_path: Path, role: str
) -> None:
    with pytest.raises(SetupInvalid, match=f"{role} does not see every row"):
        backups.backup(lived_in, tmp_path / "empty.tar", now=NOW, role=role)
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_nobody_thought_of_is_not_silently_left_out(
    pg_server: Cluster, databases: Databases, tmp_path: Path
) -> None:
    here = databases.fresh(pg_server).psycopg()
    _query(here, "create table public.notes (id int)")
    with pytest.raises(SetupInvalid, match=r"public\.notes"):
        backups.backup(here, tmp_path / "partial.tar", now=NOW)
    assert list(tmp_path.iterdir()) == []


def test_a_backup_taken_while_others_write_is_of_one_moment(
    pg_server: Cluster, databases: Databases, tmp_path: Path, target: Conninfo
) -> None:
    here = databases.fresh(pg_server).psycopg()
    stopping = threading.Event()

    def write() -> None:
        with psycopg.connect(**here, autocommit=True) as connection:
            number = 0
            while not stopping.is_set():
                connection.execute("insert into fleet.audience (name) values (%s)", [f"a{number}"])
                number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        manifest = backups.backup(here, tmp_path / "busy.tar", now=NOW)
    finally:
        stopping.set()
        writer.join()
    backups.restore(target, tmp_path / "busy.tar")
    assert _query(target, "select count(*) from fleet.audience") == [(manifest.tables["fleet.audience"].rows,)]


def test_only_the_owner_can_read_the_file_and_nothing_else_is_left(made: Path) -> None:
    assert made.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in made.parent.iterdir()] == [made.name]


def test_a_restore_overwrites_nothing(lived_in: Conninfo, made: Path) -> None:
    before = _rows(lived_in, "fleet.beat")
    with pytest.raises(SetupInvalid, match="not empty"):
        backups.restore(lived_in, made)
    assert _rows(lived_in, "fleet.beat") == before


def test_an_empty_database_that_is_there_already_is_used(made: Path, target: Conninfo) -> None:
    assert database.create(target)
    assert backups.restore(target, made).manifest.tables["fleet.beat"].rows == 500


def test_a_damaged_file_leaves_no_database(made: Path, target: Conninfo, tmp_path: Path) -> None:
    flipped = bytearray(made.read_bytes())
    flipped[-20_000 if len(flipped) > 30_000 else len(flipped) // 2] ^= 1
    damaged = {"flipped": bytes(flipped), "short": made.read_bytes()[:4_000], "foreign": b"not a backup" * 1000}
    for name, content in damaged.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(SetupInvalid):
            backups.restore(target, path)
    assert not _exists(target)


def test_rows_that_are_not_the_manifests_leave_no_database(made: Path, target: Conninfo, tmp_path: Path) -> None:
    def claiming(change: dict[str, Any]) -> Path:
        return _with_manifest(made, tmp_path / "changed.tar", change)

    with archive.opened(made) as opened:
        tables = {
            name: {"columns": list(t.columns), "rows": t.rows, "sha256": t.sha256}
            for name, t in opened.manifest.tables.items()
        }
    other = {**tables, "fleet.beat": {**tables["fleet.beat"], "sha256": "0" * 64}}
    fewer = {name: table for name, table in tables.items() if name != "fleet.handoff"}
    for change, words in (
        ({"tables": other}, r"fleet\.beat has the right number of rows and other content"),
        ({"tables": fewer}, r"rows of fleet\.handoff"),
        ({"format": 2}, "later version"),
        ({"migration": "9999"}, "does not know"),
        ({"postgres": "99.1"}, r"99\.1"),
        ({"surprise": 1}, "cannot be read"),
    ):
        with pytest.raises(SetupInvalid, match=words):
            backups.restore(target, claiming(change))
        assert not _exists(target)


def test_a_backup_of_an_older_version_is_migrated_forward(
    made: Path, target: Conninfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = tmp_path / "migrations"
    shutil.copytree(shipped("migrations"), later, ignore=shutil.ignore_patterns("__pycache__"))
    (later / "versions" / "9000_later.py").write_text(
        "from alembic import op\nrevision = '9000'\ndown_revision = " + repr(migrate.revisions()[-1]) + "\n"
        "branch_labels = depends_on = None\n"
        "def upgrade():\n    op.execute(\"alter table fleet.beat add column mood text not null default 'calm'\")\n"
    )
    monkeypatch.setattr(migrate, "shipped", lambda name: later if name == "migrations" else shipped(name))
    assert backups.restore(target, made).migrated == ("9000",)
    assert _query(target, "select distinct mood, count(*) from fleet.beat group by mood") == [("calm", 500)]


def test_what_is_no_row_in_a_dump_is_never_executed(
    pg_server: Cluster, databases: Databases, target: Conninfo, tmp_path: Path
) -> None:
    # A whole dump in place of the rows: its tables, functions and grants are statements, and none of them may run.
    here = databases.fresh(pg_server).psycopg()
    _query(here, "insert into fleet.audience (name) values ('open')")
    _query(here, "create function fleet.planted() returns text language sql as 'select 1::text'")
    manifest = backups.backup(here, tmp_path / "good.tar", now=NOW)
    where, environment = programs.connecting(here)
    whole = tmp_path / "whole.dump"
    command = [str(programs.find("pg_dump", pg_server.major, None)), f"--dbname={where}", "-Fc", f"--file={whole}"]
    subprocess.run(
        [*command, "--exclude-table-data=vault.*", "--exclude-schema=fence", "--exclude-schema=queue"],
        check=True,
        env=environment,
    )
    forged = tmp_path / "forged.tar"
    archive.write(forged, msgspec.structs.replace(manifest, parts={archive.ROWS: archive.part(whole)}), whole)
    backups.restore(target, forged)
    assert _rows(target, "fleet.audience") == _rows(here, "fleet.audience")
    assert verify.verify(target).is_clean


def _with_manifest(source: Path, path: Path, change: dict[str, Any]) -> Path:
    with tarfile.open(source) as old, tarfile.open(path, "w") as new:
        for member in old.getmembers():
            file = old.extractfile(member)
            assert file is not None
            content = file.read()
            if member.name == archive.MANIFEST:
                content = json.dumps({**json.loads(content), **change}).encode()
                member.size = len(content)
            new.addfile(member, io.BytesIO(content))
    return path


def _rows(conninfo: Conninfo, table: str) -> list[Any]:
    return _query(conninfo, f"select t::text from {table} t order by 1")


def _exists(conninfo: Conninfo) -> bool:
    return bool(_query(_maintenance(conninfo), f"select from pg_database where datname = '{conninfo['dbname']}'"))


def _maintenance(conninfo: Conninfo) -> Conninfo:
    return cast("Conninfo", {**conninfo, "dbname": "postgres"})


def _query(conninfo: Conninfo, statement: str) -> list[Any]:
    with psycopg.connect(**conninfo) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description is not None else []
