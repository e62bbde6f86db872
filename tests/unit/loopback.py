"""A real HTTP server on loopback that answers from a script, for tests of how the client behaves."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Script:
    """What to answer, in order: (status, document, headers); None drops the connection. The last answer repeats."""

    answers: list[tuple[int, object, dict[str, str]] | None]
    seen: list[Seen] = field(default_factory=list)
    url: str = ""

    def take(self) -> tuple[int, object, dict[str, str]] | None:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def problem(
    status: int, code: str, headers: dict[str, str] | None = None, **more: str
) -> tuple[int, object, dict[str, str]]:
    document = {
        "type": f"urn:fleetmem:error:{code}",
        "title": "A title",
        "status": status,
        "detail": "A detail.",
        "code": code,
        "request_id": "request-1",
    }
    return status, document | more, headers or {}


@contextmanager
def served(*answers: tuple[int, object, dict[str, str]] | None) -> Iterator[Script]:
    script = Script(list(answers))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(script))
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(script: Script) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            content = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            script.seen.append(Seen(self.command, self.path, headers, json.loads(content) if content else None))
            answer = script.take()
            if answer is None:
                self.close_connection = True
                return
            status, document, more = answer
            body = document.encode() if isinstance(document, str) else json.dumps(document).encode()
            self.send_response(status)
            for name, value in {"content-type": "application/json", "content-length": str(len(body)), **more}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = _answer  # noqa: N815 -- the standard library's name
        do_POST = _answer  # noqa: N815 -- the standard library's name

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the standard library's name
            pass

    return Handler
