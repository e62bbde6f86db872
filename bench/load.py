"""HTTP load: requests built beforehand and sent over keep-alive connections, each as soon as the last was answered.

wrk where it is installed; else a small generator of our own, which takes more of the machine away from what is measured.
An HTTP client library would be the bottleneck.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.sample import Sample
from fleetmem.errors import SetupInvalid

_GENERATOR: Final = Path(__file__).with_name("generator.py")
_LUA: Final = """
local requests, at = {%s}, 0
function request() at = at %% #requests + 1; return requests[at] end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('\\n{"requests": %%d, "seconds": %%f, "refused": %%d, "p50_ms": %%f, "p99_ms": %%f, "mean_ms": %%f}\\n',
    summary.requests, summary.duration / 1e6, e.status + e.read + e.write + e.timeout + e.connect,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.mean / 1e3))
end
"""


def generator() -> str:
    """Which generator `send` uses."""
    return "wrk" if shutil.which("wrk") else "bench/generator.py"


def get(path: str, token: str) -> bytes:
    """One GET, ready to be sent."""
    return f"GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\r\n".encode()


def post(path: str, token: str, body: object) -> bytes:
    """One POST of a JSON body, ready to be sent."""
    content = json.dumps(body)
    return (
        f"POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n{content}"
    ).encode()


def send(host: str, port: int, requests: Sequence[bytes], *, clients: int, seconds: float) -> Sample:
    """Send the requests round and round over `clients` connections.

    Raises:
        SetupInvalid: an answer was no success, so what was measured is not what was meant.
    """
    run = _wrk if shutil.which("wrk") else _own
    said = run(host, port, requests, clients=clients, seconds=seconds)
    if said["refused"] or not said["requests"]:
        raise SetupInvalid(f"{said['refused']:.0f} of {said['requests']:.0f} requests to port {port} failed")
    return Sample(
        per_s=said["requests"] / said["seconds"],
        requests=int(said["requests"]),
        mean_ms=said["mean_ms"],
        p50_ms=said["p50_ms"],
        p99_ms=said["p99_ms"],
    )


def _wrk(host: str, port: int, requests: Sequence[bytes], *, clients: int, seconds: float) -> dict[str, float]:
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:  # mode 0600: it holds a token
        script.write(_LUA % ",".join(json.dumps(each.decode("ascii")) for each in requests))
        script.flush()
        # wrk takes whole seconds alone; one thread, since each would send the same requests in the same order.
        command = ["wrk", "-t1", f"-c{clients}", f"-d{max(1, round(seconds))}s", "-s", script.name]
        return _last_line([*command, f"http://{host}:{port}/"])


def _own(host: str, port: int, requests: Sequence[bytes], *, clients: int, seconds: float) -> dict[str, float]:
    asked = {"host": host, "port": port, "clients": clients, "seconds": seconds}
    content = json.dumps(asked | {"requests": [each.decode("ascii") for each in requests]})
    return _last_line([sys.executable, str(_GENERATOR)], content)


def _last_line(command: list[str], content: str | None = None) -> dict[str, float]:
    done = subprocess.run(command, check=False, capture_output=True, text=True, input=content)
    try:
        said: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        raise SetupInvalid(f"the load generator failed: {(done.stdout + done.stderr).strip()[-800:]}") from None
    return said
