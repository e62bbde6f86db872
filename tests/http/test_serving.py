"""The gateway as a process: its exit codes, its way of stopping, and its answers over a real socket."""

import asyncio
import signal
import socket
import sys
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest

from tests.http.fleet import Fleet, bearer, refused
from tests.http.processes import free_port, run, serving


@pytest.mark.parametrize("arguments", [(), ("agent",), ("agents", "console")])
def test_called_wrongly_it_says_how(fleet: Fleet, arguments: tuple[str, ...]) -> None:
    ended = run(fleet, *arguments)
    assert (ended.returncode, ended.stderr) == (64, "usage: python -m fleetmem_gateway agents|console\n")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"FLEETMEM_POOL_SIZE": "many"}, "FLEETMEM_POOL_SIZE must be a whole number"),
        ({"FLEETMEM_POOL_SIZ": "5"}, "FLEETMEM_POOL_SIZ is not a setting"),
        ({"FLEETMEM_HOME": "/nonexistent"}, "/nonexistent/secrets"),
        ({"FLEETMEM_SERVICE_PASSWORD_FILE": "/nonexistent"}, "password"),
        ({"FLEETMEM_GATEWAY_HOST": "192.0.2.1"}, "FLEETMEM_GATEWAY_PORT"),
    ],
)
def test_what_must_be_repaired_is_one_sentence_and_exit_code_78(
    fleet: Fleet, settings: dict[str, str], said: str
) -> None:
    ended = run(fleet, "agents", **settings)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (78, "", 1)
    assert said in ended.stderr


def test_a_database_that_does_not_answer_is_exit_code_75(fleet: Fleet) -> None:
    ended = run(
        fleet,
        "agents",
        FLEETMEM_SERVICE_DATABASE_URL=f"postgresql://127.0.0.1:{free_port()}/x",
    )
    assert (ended.returncode, ended.stderr.count("\n")) == (75, 1)


def test_two_services_do_not_share_a_port(fleet: Fleet) -> None:
    with serving(fleet) as (_, url):
        ended = run(fleet, "agents", FLEETMEM_GATEWAY_PORT=url.rpartition(":")[2])
    assert ended.returncode == 78
    assert "something else listens there" in ended.stderr


def test_both_services_answer_over_a_socket(fleet: Fleet) -> None:
    with serving(fleet) as (_, agents), serving(fleet, "console") as (_, console):
        me = httpx.get(f"{agents}/v1/me", headers=bearer(fleet.tokens["health"]))
        assert me.json()["name"] == "health"
        assert httpx.get(f"{console}/v1/me", headers=bearer(fleet.tokens["olga"])).json()["role"] == "operator"
        head = httpx.head(f"{agents}/v1/me", headers=bearer(fleet.tokens["health"]))
        assert (head.status_code, head.headers["content-length"]) == (200, str(len(me.content)))


def test_smuggled_and_malformed_requests_are_refused_over_a_socket(fleet: Fleet) -> None:
    token = fleet.tokens["health"]
    with serving(fleet) as (_, url):
        host, _, port = url.removeprefix("http://").partition(":")
        both = (
            f"GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nAuthorization: Bearer {token}\r\n\r\n"
        )
        lengths = (
            f"POST /v1/beats HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
            "Content-Length: 5\r\nContent-Length: 50\r\n\r\nhello"
        )
        override = f"GET /v1/me HTTP/1.1\r\nHost: x\r\nX-Agent: finance\r\nAuthorization: Bearer {token}\r\n\r\n"
        assert said(host, int(port), both).startswith(b"HTTP/1.1 400")
        assert said(host, int(port), lengths).startswith(b"HTTP/1.1 400")
        assert b'"name":"health"' in said(host, int(port), override)


def said(host: str, port: int, request: str) -> bytes:
    with socket.create_connection((host, port), timeout=5) as connection:
        connection.sendall(request.encode())
        return connection.recv(65_536)


async def test_told_to_stop_it_finishes_what_is_in_flight(fleet: Fleet) -> None:
    with serving(fleet) as (process, url), psycopg.connect(**fleet.database.psycopg()) as blocker:
        blocker.execute("select pg_advisory_xact_lock(hashtext('health'), hashtext('stopping'))")
        draft = {"topic": "Stopping", "body": "It is so.", "audience": "open"}
        async with httpx.AsyncClient(base_url=url, headers=bearer(fleet.tokens["health"]), timeout=20) as client:
            in_flight = asyncio.create_task(client.post("/v1/beats", json=draft))
            await asyncio.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            await asyncio.sleep(0.5)
            with pytest.raises(httpx.TransportError):
                await httpx.AsyncClient(base_url=url).get("/healthz")
            blocker.rollback()
            assert (await in_flight).status_code == 201
        assert await asyncio.to_thread(process.wait, 20) == 0


def test_killed_it_leaves_no_worker_behind(fleet: Fleet) -> None:
    with serving(fleet) as (process, url):
        workers = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.wait()
        _, alive = psutil.wait_procs(workers, timeout=10)
        assert alive == []
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{url}/healthz")


def test_several_workers_share_one_port(fleet: Fleet) -> None:
    with serving(fleet, FLEETMEM_GATEWAY_WORKERS="2") as (process, url):
        for _ in range(20):
            assert httpx.get(f"{url}/v1/me", headers=bearer(fleet.tokens["health"])).status_code == 200
        assert refused(httpx.get(f"{url}/v1/me"))[:2] == (401, "auth.required")
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_its_secrets_are_in_no_command_line(fleet: Fleet) -> None:
    word = (fleet.settings.home / "secrets" / "fleetmem_gateway" / "password").read_text().strip()
    with serving(fleet) as (process, _):
        for each in [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]:
            assert word not in " ".join(each.cmdline())
    assert Path(sys.executable).exists()
