"""Steps of runs through the gateway: how many it takes in for a second of its processor, and how soon a reader sees them."""

import http.client
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from bench import cpu, ground, scripts
from bench.report import Goal, Row
from bench.rounds import in_turns
from bench.sizes import Sizes
from fleetmem.admin.services import Service
from fleetmem.admin.up import Fleet
from fleetmem.board import capture
from fleetmem.client import FleetClient
from fleetmem.errors import SetupInvalid

_SECTION: Final = "spans through the gateway"
_PATIENCE_S: Final = 60.0
_SENDERS: Final = 4
_PER_CORE: Final = "a gateway core-second"
# About 200 characters each, and each is read for secrets. Words cost little; what looks like a token is looked at more closely.
_WORDS: Final = "words"
_NAMES: Final = "a tool's output"
_BODIES: Final = {
    _WORDS: "The gardener comes on Tuesday and brings the new hose; until then the lawn is watered by hand in the evening, "
    "and whoever is at home at noon opens the cold frame by a hand and closes it again before the sun goes down.",
    _NAMES: "pytest -q tests/house: 128 passed, 2 skipped in 14.62s; coverage 91.4 %; slowest: test_heating_plan (2.31s), "
    "test_gate_opens_for_known_visitors (1.87s), test_cellar_pump (1.02s); wrote report to build/report.html",
}


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
        task = str(
            agent.open_task(scripts.TEAM, "Measure how steps of runs are taken in.", audience=scripts.AUDIENCE).id
        )
        turns = {body: _turn(fleet, agent, task, body, sizes.span_batches) for body in _BODIES}
        taken = in_turns(turns, rounds=sizes.rounds)
        looks = {
            (body, count): _look(fleet, agent, task, body, count)
            for body in _BODIES
            for count in (capture.MOST_SPANS, 1)
        }
        seen = {what: median(ms) for what, ms in in_turns(looks, rounds=sizes.span_looks).items()}
        agent.settle_task(task, "done")
    rows = [_row(body, rounds) for body, rounds in taken.items()]
    rows += [
        Row(_SECTION, f"{count}, {body}: from sent to seen by a reader", {"p50 ms": ms})
        for (body, count), ms in seen.items()
    ]
    return rows, _goals(rows, seen)


def _turn(fleet: Fleet, agent: FleetClient, task: str, body: str, batches: int) -> Callable[[], _Round]:
    return lambda: _ingest(fleet, agent, task, body, batches)


def _look(fleet: Fleet, agent: FleetClient, task: str, body: str, count: int) -> Callable[[], float]:
    return lambda: _until_seen(fleet, str(agent.open_run(task).id), _batch(body, 1, count))


def _row(body: str, rounds: Sequence[_Round]) -> Row:
    figures = {
        "a second": median(each.spans / each.wall_s for each in rounds),
        _PER_CORE: median(each.spans / each.gateway_s for each in rounds),
        "gateway CPU us": median(1e6 * each.gateway_s / each.spans for each in rounds),
        "Postgres CPU us": median(1e6 * each.postgres_s / each.spans for each in rounds),
        "p50 ms": median(latency for each in rounds for latency in each.latencies_ms),
    }
    return Row(_SECTION, f"batches of {capture.MOST_SPANS} from {_SENDERS} senders, {body}", {**figures})


def _goals(rows: Sequence[Row], seen: Mapping[tuple[str, int], float]) -> list[Goal]:
    """Each goal twice, since what a span says decides what it costs."""
    per_core = [row.figures[_PER_CORE] for row in rows if _PER_CORE in row.figures]
    goals = []
    for body, rate in zip(_BODIES, per_core, strict=True):
        goals += [
            Goal(
                number="7",
                says=f"spans taken in for a second of the gateway's processor, {body}",
                bound=10_000,
                at_least=True,
                measured=rate,
            ),
            Goal(
                number="7",
                says=f"ms from sending {capture.MOST_SPANS} spans until they are seen, p50, {body}",
                bound=50,
                at_least=False,
                measured=seen[body, capture.MOST_SPANS],
            ),
        ]
    return goals


def _ingest(fleet: Fleet, agent: FleetClient, task: str, body: str, batches: int) -> _Round:
    """Send that many batches from each sender, every one of which is new."""
    runs = [str(agent.open_run(task).id) for _ in range(_SENDERS)]
    bodies = [_batch(body, first) for first in range(1, batches * capture.MOST_SPANS, capture.MOST_SPANS)]
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


def _until_seen(fleet: Fleet, run: str, batch: bytes) -> float:
    """Milliseconds from before a batch is sent until a reader that asks after the answer has been shown it: at most so long."""
    connection = http.client.HTTPConnection(fleet.agents.host, fleet.agents.port, timeout=_PATIENCE_S)
    token = fleet.token(ground.READER)
    sent = time.perf_counter()
    _ask(connection, "POST", f"/v1/runs/{run}/spans", token, batch)
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


def _batch(body: str, first: int, count: int = capture.MOST_SPANS) -> bytes:
    spans = [
        {
            "seq": seq,
            "kind": "tool",
            "name": "shell",
            "body": f"{_BODIES[body]} #{seq}",
            "input_tokens": 812,
            "output_tokens": 96,
        }
        for seq in range(first, first + count)
    ]
    return json.dumps({"spans": spans}).encode()
