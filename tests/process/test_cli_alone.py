"""The command line without a fleet: help, usage, configuration, and what an agent's commands do not load."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from fleetmem.cli.main import app
from fleetmem.fleet import roster

PROGRAM = Path(sys.executable).parent / "fleetmem"
ROSTER = Path(__file__).parents[2] / "roster.yaml"


def fleetmem(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FLEETMEM_")}  # noqa: TID251 -- a child's
    return subprocess.run(
        [PROGRAM, *arguments],
        cwd=folder,
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def commands(group: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *path, name)
        else:
            yield (*path, name), command


ALL = dict(commands(typer.main.get_command(app)))


def test_the_command_has_everything_the_product_promises() -> None:
    promised = """
        up demo init prove doctor gateway console me
        worker backup restore drill fence.verify
        db.migrate db.prepare policies.plan policies.apply roster.plan roster.sync
        workspace.prepare workspace.instruct workspace.verify safety.test safety.scan
        routing.test routing.calibrate routing.promote segments.test
        token.issue token.list token.rotate token.revoke token.revoke-all key.rotate
        agent.deactivate agent.reactivate
        beat.publish beat.list beat.show beat.history beat.retract
        handoff.send handoff.inbox handoff.outbox handoff.overdue handoff.show
        handoff.accept handoff.decline handoff.answer handoff.withdraw
        team.list team.show task.open task.list task.show task.settle message.post message.list
        run.open run.spans run.settle run.show import
        review.list review.show review.approve review.edit review.reject review.revoke review.recall review.reset
        incident.list incident.close ledger.show ledger.pin ledger.verify ledger.explain
    """
    assert {".".join(path) for path in ALL} == set(promised.split())


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_explains_itself_with_an_example(path: tuple[str, ...]) -> None:
    command = ALL[path]
    assert command.help
    assert f"fleetmem {' '.join(path)}" in (command.epilog or "").replace("--token-file health.token ", "")
    assert all(parameter.help for parameter in command.params)


def test_help_tells_the_exit_codes(tmp_path: Path) -> None:
    answered = fleetmem("--help", folder=tmp_path)
    assert answered.returncode == 0
    assert "69 not available now" in answered.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("beat", "publish"), 2),
        (("beat", "list", "--colour"), 2),
        (("nonsense",), 2),
        (("beat", "list", "--limit", "0"), 2),
        (("handoff", "answer", "x", "maybe", "y"), 2),
        (("beat", "list"), 3),
        (("--token-file", "/nowhere", "me"), 78),
        (("--url", "http://fleet.example", "me"), 78),
        (("roster", "plan"), 78),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_a_wrong_call_ends_in_one_sentence_and_its_code(arguments: tuple[str, ...], code: int, tmp_path: Path) -> None:
    answered = fleetmem(*arguments, folder=tmp_path)
    assert answered.returncode == code
    assert answered.stdout == ""
    assert answered.stderr
    assert "Traceback" not in answered.stderr


def test_a_gateway_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    answered = fleetmem("me", folder=tmp_path, FLEETMEM_TOKEN="fm_" + "a" * 43, FLEETMEM_URL="http://127.0.0.1:9")
    assert answered.returncode == 69
    assert "does not answer" in answered.stderr
    assert "a" * 43 not in answered.stderr


def test_a_misspelt_setting_is_told_by_name(tmp_path: Path) -> None:
    answered = fleetmem("me", folder=tmp_path, FLEETMEM_TOKN="x")
    assert answered.returncode == 78
    assert "FLEETMEM_TOKN" in answered.stderr


def test_init_writes_the_household_once(tmp_path: Path) -> None:
    assert fleetmem("init", folder=tmp_path).returncode == 0
    assert roster.parse((tmp_path / "roster.yaml").read_bytes()) == roster.parse(ROSTER.read_bytes())
    (tmp_path / "roster.yaml").write_text("mine")
    assert fleetmem("init", folder=tmp_path).returncode == 78
    assert (tmp_path / "roster.yaml").read_text() == "mine"
    assert fleetmem("init", "--force", folder=tmp_path).returncode == 0


def test_a_roster_with_mistakes_is_told_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "roster.yaml").write_text("audiences: [open]\nagents:\n  - name: owner\n    colour: red\n")
    answered = fleetmem("roster", "plan", folder=tmp_path)
    assert answered.returncode == 78
    assert "line 3, column 11" in answered.stderr
    assert "line 4, column 5" in answered.stderr


def test_a_doctor_without_a_fleet_says_so_and_changes_nothing(tmp_path: Path) -> None:
    answered = fleetmem("doctor", folder=tmp_path)
    assert answered.returncode == 1
    assert "holds no fleet yet" in answered.stdout
    assert list(tmp_path.iterdir()) == []


LOADED = """
import sys
from fleetmem.cli.main import app
try:
    app(["beat", "list"])
except BaseException:
    pass
forbidden = {"psycopg", "asyncpg", "sqlalchemy", "alembic", "litestar", "granian", "psutil", "fleetmem.admin", "fleetmem.store"}
print(sorted(forbidden & sys.modules.keys()))
"""


def test_an_agents_command_loads_no_database_driver_and_no_owners_tool(tmp_path: Path) -> None:
    environment = {"FLEETMEM_URL": "http://127.0.0.1:9", "FLEETMEM_TOKEN": "fm_" + "a" * 43, "PATH": "/usr/bin:/bin"}
    answered = subprocess.run(
        [sys.executable, "-c", LOADED],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert answered.stdout == "[]\n", answered.stderr
