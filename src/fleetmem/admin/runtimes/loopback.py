"""A model on loopback that says "done" to everything and keeps what it was asked.

It speaks as much of OpenAI's Responses API and of Anthropic's Messages API, streamed and not, as Codex and Claude Code
need for one turn. What a runtime sends here is what it would have sent to a real model: the memory that reached it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_TEXT = "done"
_RESPONSES: list[dict[str, Any]] = [
    {"type": "response.created", "response": {"id": "r"}},
    {
        "type": "response.output_item.done",
        "item": {
            "type": "message",
            "role": "assistant",
            "id": "m",
            "content": [{"type": "output_text", "text": _TEXT}],
        },
    },
    {
        "type": "response.completed",
        "response": {"id": "r", "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}},
    },
]
_MESSAGE = {"id": "m", "type": "message", "role": "assistant", "model": "loopback", "stop_sequence": None}
_USAGE = {"input_tokens": 1, "output_tokens": 1}
_MESSAGES: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**_MESSAGE, "content": [], "stop_reason": None, "usage": _USAGE}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": _TEXT}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 1},
    },
    {"type": "message_stop"},
]


class Model(ThreadingHTTPServer):
    """The server; `asked` holds the body of every request to a model, in order."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Turn)
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serving() -> Iterator[Model]:
    """Run the model for as long as the block lasts."""
    with Model() as model:
        thread = threading.Thread(target=model.serve_forever, daemon=True)
        thread.start()
        try:
            yield model
        finally:
            model.shutdown()
            thread.join()


class _Turn(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Model

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- its name in the base class
        pass

    def do_HEAD(self) -> None:
        self._answer(b"", "text/plain")

    def do_GET(self) -> None:
        self._answer(b'{"data": [], "models": []}', "application/json")

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.partition("?")[0]
        if path.endswith("/responses"):
            self.server.asked.append(body)
            self._stream(_RESPONSES)
        elif path.endswith("/messages"):
            self.server.asked.append(body)
            if '"stream":true' in body.replace(" ", ""):
                self._stream(_MESSAGES)
            else:
                whole = {
                    **_MESSAGE,
                    "content": [{"type": "text", "text": _TEXT}],
                    "stop_reason": "end_turn",
                    "usage": _USAGE,
                }
                self._answer(json.dumps(whole).encode(), "application/json")
        else:
            self._answer(b"{}", "application/json")

    def _body(self) -> str:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="replace")
        chunks = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks).decode(errors="replace")

    def _stream(self, events: list[dict[str, Any]]) -> None:
        text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        self._answer(text.encode(), "text/event-stream")

    def _answer(self, body: bytes, media_type: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
