"""The embedded server's life: what it survives, what it refuses, and what it leaves alone."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from textwrap import dedent

import psutil
import psycopg
import pytest

from fleetmem.admin.postgres import place
from fleetmem.errors import SetupInvalid
from tests.process.servers import Make, ask, kill


def test_a_second_start_finds_what_the_first_one_kept(make: Make) -> None:
    with make() as server:
        ask(server, "create table kept as select 42 as answer")
    assert not server.is_running
    with make() as again:
        assert ask(again, "select answer from kept") == 42


def test_nobody_enters_without_the_password(make: Make) -> None:
    with make() as server:
        for password in (None, "", "postgres", "wrong"):
            told = {**server.conninfo().psycopg(), "password": password}
            with pytest.raises(psycopg.OperationalError, match=r"no password supplied|password authentication failed"):
                psycopg.connect(**told)  # type: ignore[arg-type]
        assert ask(server, "select count(*) from pg_hba_file_rules where auth_method <> 'scram-sha-256'") == 0
        assert ask(server, "show listen_addresses") == ""


def test_it_listens_on_the_loopback_address_only_when_told(make: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with make(tcp_port=port) as server:
        told = {**server.conninfo().psycopg(), "host": "127.0.0.1"}
        with psycopg.connect(**told) as connection:  # type: ignore[arg-type]
            assert connection.execute("select host(inet_server_addr())").fetchone() == ("127.0.0.1",)
        told["password"] = "wrong"
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(**told)  # type: ignore[arg-type]


def test_a_path_with_spaces_quotes_and_commas_works(make: Make, folder: Path) -> None:
    with make(folder / "a b" / 'it\'s, "so" \\ 100%') as server:
        assert ask(server, "select 1") == 1


def test_a_path_too_long_for_a_socket_gets_a_private_one_that_goes_away_again(make: Make, folder: Path) -> None:
    with make(folder / ("long" * 50), outside=folder / ("outside" * 20)) as server:
        sockets = Path(server.conninfo().host)
        assert ask(server, "select 1") == 1
        assert sockets.parent == Path(tempfile.gettempdir()).resolve()
        assert sockets.stat().st_mode & 0o077 == 0
    assert not sockets.exists()


def test_a_socket_directory_that_somebody_planted_is_refused(folder: Path) -> None:
    here = place.settle(folder / ("long" * 50) / "home", outside=folder / ("outside" * 20))
    assert here.sockets.parent == Path(tempfile.gettempdir()).resolve()
    here.sockets.rmdir()
    here.sockets.symlink_to(folder)
    try:
        with pytest.raises(SetupInvalid, match="must be a directory that belongs to"):
            place.settle(folder / ("long" * 50) / "home", outside=folder / ("outside" * 20))
    finally:
        here.sockets.unlink()


def test_a_home_that_others_may_write_is_refused(make: Make, folder: Path) -> None:
    (folder / "home").mkdir()
    (folder / "home").chmod(0o777)
    with pytest.raises(SetupInvalid, match="no other may write"):
        make().start()
    (folder / "home").chmod(0o700)


def test_a_killed_server_recovers_what_was_committed_though_a_statement_outlives_it(make: Make) -> None:
    server = make()
    server.start()
    ask(server, "create table kept as select 42 as answer")
    busy = psycopg.connect(**server.conninfo().psycopg(), autocommit=True)
    try:
        busy.pgconn.send_query(b"do $$ begin loop perform 1; end loop; end $$")
        while ask(server, "select count(*) from pg_stat_activity where query ^@ 'do ' and state = 'active'") == 0:
            time.sleep(0.01)
        kill(server)
        assert psutil.pid_exists(busy.info.backend_pid), "the orphan that this test is about"
        server.start()
        assert not psutil.pid_exists(busy.info.backend_pid)
    finally:
        busy.pgconn.finish()
    assert ask(server, "select answer from kept") == 42


def test_a_server_whose_supervisor_was_killed_is_ended_by_the_next_start(make: Make, folder: Path) -> None:
    script = f"""
        from pathlib import Path
        from fleetmem.admin.postgres import EmbeddedPostgres
        server = EmbeddedPostgres(Path({str(folder / "home")!r}), fast=True, outside=Path({str(folder / "outside")!r}))
        server.start()
        print(server.pid, flush=True)
        input()
    """
    with subprocess.Popen([sys.executable, "-c", dedent(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as old:
        assert old.stdout is not None
        left_over = psutil.Process(int(old.stdout.readline()))
        with pytest.raises(SetupInvalid, match=f"already runs, under process {old.pid}"):
            make().start()
        assert left_over.is_running()
        old.kill()
    assert left_over.is_running(), "the left-over that this test is about"
    with make() as server:
        assert not left_over.is_running()
        assert ask(server, "select 1") == 1


def test_lock_files_that_name_some_other_living_process_stop_nothing(make: Make) -> None:
    server = make()
    with server:
        data, sockets = server.folder / "data", Path(server.conninfo().host)
    stranger = subprocess.Popen(["sleep", "60"], user=data.stat().st_uid if os.geteuid() == 0 else None)
    try:
        for lock in (data / "postmaster.pid", sockets / ".s.PGSQL.5432.lock"):
            lock.write_text(f"{stranger.pid}\n{data}\n1\n5432\n{sockets}\n\n", encoding="utf-8")
        server.start()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_server_that_does_not_stop_in_time_is_stopped_hard_and_recovers(make: Make) -> None:
    with make() as server:
        ask(server, "create table kept as select 42 as answer")
        server.stop(grace_s=0)
        assert not server.is_running
        server.start()
        assert ask(server, "select answer from kept") == 42


def test_a_first_start_that_was_interrupted_leaves_nothing_in_the_way(make: Make) -> None:
    server = make()
    half_made = server.folder / "data.new"
    half_made.mkdir()
    (half_made / "PG_VERSION").write_text("18\n", encoding="ascii")
    (server.folder / "password.new").write_text("left", encoding="ascii")
    with server:
        assert ask(server, "select 1") == 1
    assert not half_made.exists()
    assert not (server.folder / "password.new").exists()


def test_data_of_another_major_version_is_refused_in_words(make: Make) -> None:
    with make() as server:
        pass
    (server.folder / "data" / "PG_VERSION").write_text("12\n", encoding="ascii")
    with pytest.raises(SetupInvalid, match="was made by PostgreSQL 12"):
        server.start()


def test_a_missing_and_a_foreign_password_are_told_apart(make: Make, folder: Path) -> None:
    with make() as server:
        pass
    password = folder / "home" / "secrets" / "postgres" / "password"
    assert password.stat().st_mode & 0o777 == 0o600
    password.write_text("another\n", encoding="ascii")
    with pytest.raises(SetupInvalid, match="is not the server's own"):
        server.start()
    password.unlink()
    with pytest.raises(SetupInvalid, match="is missing"):
        server.start()


def test_a_server_that_cannot_start_says_its_last_words(make: Make) -> None:
    with make() as server:
        pass
    (server.folder / "data" / "global" / "pg_control").unlink()
    with pytest.raises(SetupInvalid, match="could not find the database system"):
        server.start()
    assert not server.is_running


def test_a_folder_without_programs_is_named(make: Make, folder: Path) -> None:
    with pytest.raises(SetupInvalid, match="cannot run") as refused:
        make(pg_bin=folder).start()
    assert refused.value.field == "FLEETMEM_PG_BIN"


def test_the_log_holds_none_of_the_words_a_statement_failed_with(make: Make, folder: Path) -> None:
    with make() as server:
        ask(server, "create table held (body text primary key, check (body <> 'hidden-check'))")
        for statement in (
            "select 'hidden-literal'::int",
            "insert into held values ('hidden-check')",
            "insert into held values ('hidden-key'), ('hidden-key')",
            "alter role nobody_here password 'hidden-password'",
        ):
            with pytest.raises(psycopg.Error):
                ask(server, statement)
        with psycopg.connect(**server.conninfo().psycopg()) as connection, pytest.raises(psycopg.DataError):
            connection.execute("select %s::text::int", ["hidden-parameter"])
    log = (folder / "home" / "log" / "postgres.log").read_text(encoding="utf-8")
    assert "violates check constraint" in log
    assert "hidden" not in log.replace('"hidden-literal"', "").replace('"hidden-parameter"', "")


def test_a_control_c_at_the_terminal_does_not_reach_it(make: Make) -> None:
    with make() as server:
        assert server.pid is not None
        assert os.getsid(server.pid) == server.pid != os.getsid(0)


def test_erasing_leaves_no_process_no_data_and_no_password(make: Make, folder: Path) -> None:
    server = make()
    server.start()
    data = server.folder
    server.erase()
    assert not data.exists()
    assert list((folder / "home" / "secrets" / "postgres").iterdir()) == []
    assert not (folder / "home" / "postgres").is_symlink()
    with server:
        assert ask(server, "select 1") == 1
