"""A line to one service: requests with httpx, or bytes over a socket; every answer as one value."""

import json
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Self
from urllib.parse import urlsplit

import httpx

from fleetmem.admin.prove import cast
from fleetmem.admin.prove.sessions import Sessions
from fleetmem.admin.prove.stage import Stage

_TOO_MANY: Final = 429
_MOST_WAITS: Final = 5
_TIMEOUT_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its status (0 where the connection was closed without one), its headers in order, its body."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def json(self) -> Any:
        """Return the body as JSON; None where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def code(self) -> str | None:
        """The code of a problem document."""
        document = self.json()
        return document.get("code") if isinstance(document, dict) else None

    def header(self, name: str) -> str | None:
        """Return a header's first value."""
        return next((value for key, value in self.headers if key.lower() == name), None)


@dataclass(frozen=True, slots=True)
class Line:
    """One service at `url`, and what a forger knows: the stage's names, and tokens that were issued to the cast."""

    url: str
    stage: Stage
    sessions: Sessions
    http: httpx.Client = field(repr=False)

    @classmethod
    @contextmanager
    def to(cls, url: str, stage: Stage, sessions: Sessions) -> Iterator[Self]:
        """Open a line for the length of a block."""
        with httpx.Client(timeout=_TIMEOUT_S, trust_env=False, follow_redirects=False) as http:
            yield cls(url, stage, sessions, http)

    def bearer(self, name: str | None) -> dict[str, str]:
        """Return the header with somebody's token; none for None."""
        return {} if name is None else {"Authorization": f"Bearer {self.token(name)}"}

    def token(self, name: str) -> str:
        """Return the token of one of the cast, or a special one."""
        return self.stage.bearers[name].token

    def send(
        self,
        method: str,
        path: str,
        as_: str | None = "kit",
        *,
        headers: Mapping[str, str] | list[tuple[str, str]] | None = None,
        content: bytes | None = None,
        body: object = None,
        key: str | None = None,
    ) -> Reply:
        """Send a request as somebody; `body` is written as JSON, `content` as it is. Placeholders in `path` are filled."""
        sent: list[tuple[str, str]] = [*self.bearer(as_).items()]
        sent += list(headers.items()) if isinstance(headers, Mapping) else list(headers or ())
        if body is not None:
            content = json.dumps(self.filled(body)).encode()
        if content is not None and not any(name.lower() == "content-type" for name, _ in sent):
            sent.append(("Content-Type", "application/json"))
        if key is not None:
            sent.append(("Idempotency-Key", key))
        return self._answered(httpx.Request(method, self.url + self._path(path), headers=sent, content=content))

    def _answered(self, request: httpx.Request) -> Reply:
        """Send a request, again where the service asked for patience: a limit of rate is no refusal."""
        for left in range(_MOST_WAITS, -1, -1):
            try:
                response = self.http.send(request)
            except httpx.RemoteProtocolError:
                return Reply(0)
            if response.status_code != _TOO_MANY or not left:
                return Reply(response.status_code, tuple(response.headers.multi_items()), response.content)
            time.sleep(float(response.headers.get("retry-after", "1")))
        return Reply(0)

    def raw(self, content: bytes) -> Reply:
        """Send bytes over a new connection, and read whatever comes back until it is closed or quiet."""
        parts = urlsplit(self.url)
        address = (parts.hostname or "127.0.0.1", parts.port or (443 if parts.scheme == "https" else 80))
        with socket.create_connection(address, timeout=_TIMEOUT_S) as plain:
            wrapped = (
                ssl.create_default_context().wrap_socket(plain, server_hostname=address[0])
                if parts.scheme == "https"
                else plain
            )
            wrapped.sendall(content)
            return _parsed(_read(wrapped))

    def filled(self, value: object) -> object:
        """Put the stage's names where a body has placeholders."""
        if isinstance(value, str):
            return self.stage.filled_value(value)
        if isinstance(value, dict):
            return {name: self.filled(each) for name, each in value.items()}
        return [self.filled(each) for each in value] if isinstance(value, list) else value

    def _path(self, path: str) -> str:
        for short in (
            *self.stage.records,
            *cast.TEAMS,
            "kit",
            "zoe",
            "board",
            "hall",
            "max",
            "chief",
            "token_kit",
            "token_spare",
            "token_chief",
        ):
            path = path.replace(f"<{short}>", self.stage.value(short))
        return path


def _read(connection: socket.socket) -> bytes:
    """Read until the other end closes, or a whole answer has come and nothing follows it."""
    received = b""
    connection.settimeout(_TIMEOUT_S)
    while True:
        try:
            piece = connection.recv(65536)
        except (TimeoutError, ConnectionError):
            return received
        if not piece:
            return received
        received += piece
        connection.settimeout(0.3 if _is_whole(received) else _TIMEOUT_S)


def _is_whole(received: bytes) -> bool:
    head, found, body = received.partition(b"\r\n\r\n")
    if not found:
        return False
    lengths = [line.split(b":", 1)[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return not lengths or len(body) >= int(lengths[0])


def _parsed(received: bytes) -> Reply:
    head, _, body = received.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    words = lines[0].split(" ")
    if len(words) < 2 or not words[1].isdigit():  # noqa: PLR2004 -- HTTP/1.1 200
        return Reply(0, body=received)
    headers = tuple((name, value.strip()) for name, _, value in (line.partition(":") for line in lines[1:]))
    return Reply(int(words[1]), headers, body)
