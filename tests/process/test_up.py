"""`fleetmem up`: a whole fleet under one supervisor, and what is left of it after each kind of death."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

from fleetmem.admin.postgres import EmbeddedPostgres

PROGRAM = Path(sys.executable).parent / "fleetmem"
ROSTER = Path(__file__).parents[2] / "roster.yaml"


@dataclass
class Up:
    """One data directory with its ports, and the supervisor that runs on it now."""

    home: Path
    gateway_port: int
    console_port: int
    process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.gateway_port}"

    def environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("FLEETMEM_")}  # noqa: TID251 -- a child's
        return inherited | {
            "FLEETMEM_HOME": str(self.home),
            "FLEETMEM_ROSTER": str(ROSTER),
            "FLEETMEM_WORKSPACES": str(self.home.parent / "workspaces"),
            "FLEETMEM_GATEWAY_PORT": str(self.gateway_port),
            "FLEETMEM_CONSOLE_PORT": str(self.console_port),
            "FLEETMEM_RECOGNIZER": "off",
        }

    def start(self) -> None:
        self.process = subprocess.Popen(
            [PROGRAM, "up"], env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        wait_until(self.is_ready)

    def is_ready(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.process.communicate()[0]
        try:
            own = all(
                psutil.Process(self.service_pid(what)).ppid() == self.process.pid for what in ("agents", "console")
            )
            return own and all(
                httpx.get(f"http://127.0.0.1:{port}/readyz").is_success
                for port in (self.gateway_port, self.console_port)
            )
        except (httpx.TransportError, OSError, psutil.NoSuchProcess):
            return False

    def end(self, number: signal.Signals) -> tuple[int, str]:
        assert self.process is not None
        self.process.send_signal(number)
        output, _ = self.process.communicate(timeout=60)
        return self.process.returncode, output

    def service_pid(self, what: str) -> int:
        return int(json.loads((self.home / "run" / f"{what}.pid").read_text())[0])

    def postmaster(self) -> psutil.Process:
        return psutil.Process(int((self.home / "postgres" / "data" / "postmaster.pid").read_text().splitlines()[0]))

    def ask(self, method: str, path: str, body: object = None, *, name: str = "facilities") -> httpx.Response:
        token = (self.home / "tokens" / f"{name}.token").read_text().strip()
        return httpx.request(method, self.url + path, headers={"Authorization": f"Bearer {token}"}, json=body)


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with socket.socket() as one, socket.socket() as two:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        ports = one.getsockname()[1], two.getsockname()[1]
    fleet = Up(tmp_path_factory.mktemp("up") / "a fleet" / ".fleetmem", *ports)
    yield fleet
    if fleet.process is not None and fleet.process.poll() is None:
        fleet.end(signal.SIGTERM)
    EmbeddedPostgres(fleet.home).erase()


def wait_until(true: Callable[[], bool], *, within_s: float = 60) -> None:
    deadline = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)


def test_a_fleet_starts_stops_cleanly_and_finds_its_data_again(up: Up) -> None:
    up.start()
    assert up.ask("POST", "/v1/beats", {"topic": "house", "body": "empty", "audience": "open"}).status_code == 201
    secrets = [path for path in up.home.rglob("*") if path.is_file() and path.parent.name != "postgres"]
    assert all(
        path.stat().st_mode & 0o077 == 0 for path in secrets if "tokens" in path.parts or "secrets" in path.parts
    )
    code, output = up.end(signal.SIGINT)
    assert code == 0
    for path in (up.home / "tokens").glob("*.token"):
        assert path.read_text().strip() not in output
    assert not any(port_answers(port) for port in (up.gateway_port, up.console_port))

    up.start()
    assert [beat["body"] for beat in up.ask("GET", "/v1/beats").json()["items"]] == ["empty"]


def test_a_fleet_has_workspaces_for_the_members_of_its_teams_and_for_nobody_else(up: Up) -> None:
    made = up.home.parent / "workspaces"
    assert {path.name for path in made.iterdir()} == {"administration", "facilities", "health"}
    assert "household's calendar" in (made / "administration" / "AGENTS.md").read_text()


def test_a_second_supervisor_is_refused_and_a_taken_port_named(up: Up) -> None:
    second = subprocess.run(
        [PROGRAM, "up"], env=up.environment(), capture_output=True, text=True, check=False, timeout=60
    )
    assert second.returncode == 78
    assert "already up" in second.stderr

    elsewhere = up.environment() | {"FLEETMEM_HOME": str(up.home.parent / "other")}
    taken = subprocess.run([PROGRAM, "up"], env=elsewhere, capture_output=True, text=True, check=False, timeout=60)
    assert taken.returncode == 78
    assert "FLEETMEM_GATEWAY_PORT" in taken.stderr
    assert not (up.home.parent / "other" / "postgres").exists()


def test_whatever_part_is_killed_the_fleet_recovers(up: Up) -> None:
    assert up.ask("POST", "/v1/beats", {"topic": "house", "body": "kept", "audience": "open"}).status_code == 201

    killed = psutil.Process(up.service_pid("agents"))
    for each in (*killed.children(recursive=True), killed):
        each.kill()
    wait_until(lambda: up.service_pid("agents") != killed.pid and up.is_ready())
    assert up.ask("GET", "/v1/beats").json()["items"][0]["body"] == "kept"

    killed = psutil.Process(up.service_pid("worker"))
    killed.kill()
    wait_until(lambda: up.service_pid("worker") != killed.pid)
    assert b'"event":"ready"' in (up.home / "log" / "worker.log").read_bytes()

    killed = up.postmaster()
    killed.kill()
    wait_until(lambda: not killed.is_running())
    wait_until(lambda: answers(up, "kept"))

    assert up.end(signal.SIGKILL)[0] == -signal.SIGKILL
    up.start()
    assert up.ask("GET", "/v1/beats").json()["items"][0]["body"] == "kept"
    worker = psutil.Process(up.service_pid("worker"))
    code, output = up.end(signal.SIGTERM)
    assert code == 0
    assert "minted" not in output
    assert "recognition is off" in output
    assert not worker.is_running()


def test_a_recognizer_that_cannot_work_stops_the_start_and_says_what_is_missing(up: Up) -> None:
    told = up.environment() | {"FLEETMEM_RECOGNIZER": "sbert", "FLEETMEM_RECOGNIZER_PATH": str(up.home / "nowhere")}
    refused = subprocess.run([PROGRAM, "up"], env=told, capture_output=True, text=True, check=False, timeout=90)
    assert refused.returncode == 78
    assert "nowhere, the model's folder, is missing" in refused.stderr


def answers(up: Up, body: str) -> bool:
    try:
        reply = up.ask("GET", "/v1/beats")
    except httpx.TransportError:
        return False
    return reply.is_success and reply.json()["items"][0]["body"] == body


def port_answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
