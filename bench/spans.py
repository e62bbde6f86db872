"""Steps of runs through the gateway: how many it takes in for a second of its processor, and how soon a reader sees them."""

import http.client
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from bench import cpu, ground
from bench.report import Goal, Row
from bench.sizes import Sizes
from fleetmem.admin.services import Service
from fleetmem.admin.up import Fleet
from fleetmem.board import capture
from fleetmem.client import FleetClient
from fleetmem.errors import SetupInvalid

TEAM: Final = "household"
AUDIENCE: Final = "open"
_SECTION: Final = "spans through the gateway"
_PATIENCE_S: Final = 60.0
_SENDERS: Final = 4
# 200 characters, as a tool's short answer is: each is read for secrets like any other text.
_BODY: Final = (
    "pytest -q tests/house: 128 passed, 2 skipped in 14.62s; coverage 91.4 %; slowest: test_heating_plan (2.31s), "
    "test_gate_opens_for_known_visitors (1.87s), test_cellar_pump (1.02s); wrote report to build/report.html"
)


@dataclass(frozen=True, slots=True)
class _Round:
    """One round of ingestion: batches a second by the clock, seconds of both processors, and each batch's latency."""

    spans: int
    wall_s: float
    gateway_s: float
    postgres_s: float
    latencies_ms: list[float]


def measure(fleet: Fleet, sizes: Sizes) -> tuple[list[Row], list[Goal]]:
    """Ingest rounds of batches from several senders at once, then one batch at a time with a reader behind it."""
    with FleetClient(fleet.agents.url, token=fleet.token(ground.READER)) as agent:
        task = str(agent.open_task(TEAM, "Measure how steps of runs are taken in.", audience=AUDIENCE).id)
        rounds = [_ingest(fleet, agent, task, sizes.span_batches) for _ in range(sizes.rounds)]
        whole = [_until_seen(fleet, str(agent.open_run(task).id), capture.MOST_SPANS) for _ in range(sizes.span_looks)]
        single = [_until_seen(fleet, str(agent.open_run(task).id), 1) for _ in range(sizes.span_looks)]
        agent.settle_task(task, "done")
    per_core = median(each.spans / each.gateway_s for each in rounds)
    ingested = {
        "a second": median(each.spans / each.wall_s for each in rounds),
        "a gateway core-second": per_core,
        "gateway CPU us": median(1e6 * each.gateway_s / each.spans for each in rounds),
        "Postgres CPU us": median(1e6 * each.postgres_s / each.spans for each in rounds),
        "p50 ms": median(latency for each in rounds for latency in each.latencies_ms),
    }
    rows = [
        Row(_SECTION, f"batches of {capture.MOST_SPANS}, {_SENDERS} senders", {**ingested}),
        Row(_SECTION, f"a batch of {capture.MOST_SPANS}, from sent to seen by a reader", {"p50 ms": median(whole)}),
        Row(_SECTION, "one span, from sent to seen by a reader", {"p50 ms": median(single)}),
    ]
    goals = [
        Goal(
            number="7",
            says="spans taken in for a second of the gateway's processor",
            bound=10_000,
            at_least=True,
            measured=per_core,
        ),
        Goal(
            number="7",
            says=f"ms from sending {capture.MOST_SPANS} spans until they are seen, p50",
            bound=50,
            at_least=False,
            measured=median(whole),
        ),
    ]
    return rows, goals


def _ingest(fleet: Fleet, agent: FleetClient, task: str, batches: int) -> _Round:
    """Send that many batches from each sender, every one of which is new."""
    runs = [str(agent.open_run(task).id) for _ in range(_SENDERS)]
    bodies = [_batch(first) for first in range(1, batches * capture.MOST_SPANS, capture.MOST_SPANS)]
    latencies: list[float] = []
    failures: list[str] = []

    def send(run: str) -> None:
        try:
            latencies.extend(_post_all(fleet.agents, fleet.token(ground.READER), run, bodies))
        except (OSError, http.client.HTTPException, SetupInvalid) as error:
            failures.append(str(error))

    senders = [threading.Thread(target=send, args=(run,)) for run in runs]
    gateway, postgres = ground.gateway_pid(fleet), ground.postgres_pid(fleet)
    before = cpu.seconds(gateway), cpu.seconds(postgres)
    started = time.perf_counter()
    for each in senders:
        each.start()
    for each in senders:
        each.join()
    wall_s = time.perf_counter() - started
    if failures:
        raise SetupInvalid(f"spans were not taken in: {failures[0]}")
    return _Round(
        spans=len(latencies) * capture.MOST_SPANS,
        wall_s=wall_s,
        gateway_s=cpu.seconds(gateway) - before[0],
        postgres_s=cpu.seconds(postgres) - before[1],
        latencies_ms=latencies,
    )


def _post_all(service: Service, token: str, run: str, bodies: Sequence[bytes]) -> list[float]:
    connection = http.client.HTTPConnection(service.host, service.port, timeout=_PATIENCE_S)
    latencies = []
    for body in bodies:
        sent = time.perf_counter()
        added = _ask(connection, "POST", f"/v1/runs/{run}/spans", token, body)["added"]
        latencies.append(1000 * (time.perf_counter() - sent))
        if added != capture.MOST_SPANS:
            raise SetupInvalid(f"of {capture.MOST_SPANS} new spans {added} were kept")
    connection.close()
    return latencies


def _until_seen(fleet: Fleet, run: str, count: int) -> float:
    """Milliseconds from before a batch is sent until a reader that asks after the answer has been shown it: at most so long."""
    connection = http.client.HTTPConnection(fleet.agents.host, fleet.agents.port, timeout=_PATIENCE_S)
    token, body = fleet.token(ground.READER), _batch(1, count)
    sent = time.perf_counter()
    _ask(connection, "POST", f"/v1/runs/{run}/spans", token, body)
    items = _ask(connection, "GET", f"/v1/runs/{run}/spans?limit=1", token)["items"]
    seen_ms = 1000 * (time.perf_counter() - sent)
    connection.close()
    if not items:
        raise SetupInvalid("spans that were taken in cannot be seen")
    return seen_ms


def _ask(
    connection: http.client.HTTPConnection, method: str, path: str, token: str, body: bytes | None = None
) -> dict[str, Any]:
    connection.request(method, path, body, {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != http.HTTPStatus.OK:
        raise SetupInvalid(f"{method} {path} was answered with {answer.status}: {content[:300].decode()}")
    found: dict[str, Any] = json.loads(content)
    return found


def _batch(first: int, count: int = capture.MOST_SPANS) -> bytes:
    spans = [
        {
            "seq": seq,
            "kind": "tool",
            "name": "shell",
            "body": f"{_BODY} #{seq}",
            "input_tokens": 812,
            "output_tokens": 96,
        }
        for seq in range(first, first + count)
    ]
    return json.dumps({"spans": spans}).encode()
