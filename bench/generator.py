"""The load generator for machines without wrk, run as a program of its own: JSON in, JSON out.

It reads no more of an answer than its status and its length, and parses nothing twice.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from itertools import cycle
from typing import cast

_SUCCESS = 200, 201


class _Client(asyncio.Protocol):
    """One connection: a request is sent when the last one was answered, until the time is over."""

    def __init__(self, requests: Iterator[bytes], until: float, latencies: list[float]) -> None:
        self.done = asyncio.get_running_loop().create_future()
        self.refused = 0
        self._requests = requests
        self._until = until
        self._latencies = latencies
        self._received = b""
        self._sent = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)
        self._next()

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._received[:end].lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(self._received) < end + 4 + length:
            return
        self._latencies.append(time.perf_counter() - self._sent)
        self.refused += int(head[9:12]) not in _SUCCESS
        self._received = b""
        self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.refused += 1
            self.done.set_result(exc)

    def _next(self) -> None:
        if time.perf_counter() >= self._until:
            self.done.set_result(None)
            self._transport.close()
            return
        self._sent = time.perf_counter()
        self._transport.write(next(self._requests))


async def _send(host: str, port: int, requests: list[bytes], clients: int, seconds: float) -> dict[str, float]:
    latencies: list[float] = []
    started = time.perf_counter()
    ordered = cycle(requests)
    loop = asyncio.get_running_loop()
    opened = await asyncio.gather(
        *(
            loop.create_connection(lambda: _Client(ordered, started + seconds, latencies), host, port)
            for _ in range(clients)
        )
    )
    everyone = [client for _, client in opened]
    await asyncio.gather(*(client.done for client in everyone))
    latencies.sort()
    count = len(latencies)
    return {
        "requests": count,
        "seconds": time.perf_counter() - started,
        "refused": sum(client.refused for client in everyone),
        "p50_ms": 1000 * latencies[count // 2],
        "p99_ms": 1000 * latencies[count * 99 // 100],
        "mean_ms": 1000 * sum(latencies) / count,
    }


def main() -> None:
    """Read what to send from standard input, send it, write what came of it."""
    asked = json.load(sys.stdin)
    requests = [each.encode("ascii") for each in asked["requests"]]
    said = asyncio.run(_send(asked["host"], asked["port"], requests, asked["clients"], asked["seconds"]))
    sys.stdout.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()
