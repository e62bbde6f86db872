"""How long a revoked token still reads: from the commit of its revocation to the first answer that refuses it."""

import http.client
import threading
import time
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from bench import ground
from bench.report import Goal, Row
from bench.sizes import Sizes
from fleetmem.admin import database, tokens
from fleetmem.admin.up import Fleet
from fleetmem.errors import SetupInvalid

_PATIENCE_S: Final = 10.0
_READS_BEFORE: Final = 20


@dataclass(slots=True)
class _Poller:
    """An agent that reads without a pause over one connection; `asked` holds when each request left, and its status."""

    host: str
    port: int
    token: str
    asked: list[tuple[float, int]] = field(default_factory=list)
    refused_s: float | None = None

    def poll(self) -> None:
        """Read until refused."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=_PATIENCE_S)
        deadline = time.perf_counter() + _PATIENCE_S
        while self.refused_s is None and time.perf_counter() < deadline:
            left_s = time.perf_counter()
            connection.request("GET", "/v1/beats", headers={"Authorization": f"Bearer {self.token}"})
            answer = connection.getresponse()
            answer.read()
            self.asked.append((left_s, answer.status))
            if answer.status == http.HTTPStatus.UNAUTHORIZED:
                self.refused_s = time.perf_counter()
        connection.close()


def measure(fleet: Fleet, sizes: Sizes) -> tuple[list[Row], list[Goal]]:
    """Revoke a token that is being used, several times."""
    runs = [_revoke_one(fleet) for _ in range(sizes.revocations)]
    delays = [delay_ms for delay_ms, _ in runs]
    still_read = sum(late for _, late in runs)
    figures: dict[str, float | None] = {
        "median": median(delays),
        "worst": max(delays),
        "requests let in after": float(still_read),
    }
    row = Row("a token is revoked while it is used", "from the commit to the first refusal, ms", figures)
    goals = [
        Goal(
            number="10",
            says="requests sent after a revocation's commit and still let in",
            bound=0,
            at_least=False,
            measured=float(still_read),
        ),
        Goal(
            number="10",
            says="ms from a revocation's commit to the first refusal, the worst",
            bound=1000,
            at_least=False,
            measured=max(delays),
        ),
    ]
    return [row], goals


def _revoke_one(fleet: Fleet) -> tuple[float, int]:
    """Milliseconds until it was refused, and how many requests that left after the commit were let in."""
    with database.owner(fleet.owner) as connection:
        token_id, token = tokens.issue(connection, ground.READER, label="bench")
    poller = _Poller(fleet.agents.host, fleet.agents.port, token)
    thread = threading.Thread(target=poller.poll)
    thread.start()
    while len(poller.asked) < _READS_BEFORE and thread.is_alive():
        time.sleep(0.001)
    with database.owner(fleet.owner) as connection:
        tokens.revoke(connection, token_id)
        connection.commit()
        committed_s = time.perf_counter()
    thread.join()
    if poller.refused_s is None or poller.asked[0][1] != http.HTTPStatus.OK:
        raise SetupInvalid("a revoked token was never refused, or never let in before")
    late = sum(left_s > committed_s and status == http.HTTPStatus.OK for left_s, status in poller.asked)
    return 1000 * max(0.0, poller.refused_s - committed_s), late
