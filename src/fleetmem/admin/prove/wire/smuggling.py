"""Headers, methods and addresses that claim to be somebody or something else."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from fleetmem.admin.prove.wire.forged import Forged, is_kit
from fleetmem.admin.prove.wire.line import Line, Reply

_ME: Final = "/v1/me"
_CLAIMING: Final = (
    "X-Agent", "X-Agent-Name", "X-Fleetmem-Agent", "X-User", "X-Forwarded-User", "X-Remote-User", "Remote-User",
    "X-Authenticated-User", "X-Auth-Request-User", "From", "X-On-Behalf-Of", "X-Impersonate-User", "Impersonate-User",
    "X-Principal", "X-Role", "X-Audience", "X-Fence-Token", "Fence.Token", "X-Claim", "X-Jwt-Assertion", "X-Request-Jwt",
    "Cookie",
)  # fmt: skip
_REWRITING: Final = ("X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Path", "X-Original-URI")
_OVERRIDES: Final = ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override")


def _claims() -> Iterator[Forged]:
    for number, name in enumerate(_CLAIMING, start=1):
        yield Forged(
            id=f"S1{number:02}", who="kit", says=f"GET /v1/me with {name}: zoe", status=(200,), holds=is_kit, expected="kit",
            sends=lambda line, name=name: line.send("GET", _ME, headers={name: line.stage.name("zoe")}),  # type: ignore[misc]
            why="nothing but the token says who it is",
        )  # fmt: skip
        yield Forged(
            id=f"S2{number:02}", who="nobody", says=f"GET /v1/me with {name}: kit, and no token", status=(401,),
            code="auth.required",
            sends=lambda line, name=name: line.send("GET", _ME, None, headers={name: line.stage.name("kit")}),  # type: ignore[misc]
        )  # fmt: skip
    for number, name in enumerate(_REWRITING, start=1):
        yield Forged(
            id=f"S3{number}", who="kit", says=f"GET /v1/me with {name}: /v1/beats/<b_hidden>", status=(200,), holds=is_kit,
            expected="kit", sends=lambda line, name=name: line.send(  # type: ignore[misc]
                "GET", _ME, headers={name: f"/v1/beats/{line.stage.records['b_hidden']}"}),
        )  # fmt: skip


def _twice(first: str, second: str) -> list[tuple[str, str]]:
    return [("Authorization", first), ("Authorization", second)]


def _two(line: Line, first: str, second: str) -> Reply:
    return line.send("GET", _ME, None, headers=_twice(f"Bearer {line.token(first)}", f"Bearer {line.token(second)}"))


def _raw(line: Line, *headers: str, start: str = "GET /v1/me HTTP/1.1") -> Reply:
    host = urlsplit(line.url).netloc
    return line.raw("\r\n".join((start, f"Host: {host}", "Connection: close", *headers, "", "")).encode("latin-1"))


def _is_nobody(line: Line, reply: Reply) -> bool:
    return line.stage.name("zoe").encode() not in reply.body and not is_kit(line, reply)


_TWO_HEADERS: Final = (
    Forged(id="S40", who="kit and zoe", says="two Authorization headers, kit's first", status=(400, 401),
           sends=lambda line: _two(line, "kit", "zoe"), holds=_is_nobody, expected="and nobody"),
    Forged(id="S41", who="kit and zoe", says="two Authorization headers, zoe's first", status=(400, 401),
           sends=lambda line: _two(line, "zoe", "kit"), holds=_is_nobody, expected="and nobody"),
    Forged(id="S42", who="kit", says="two Authorization headers, the same one twice", status=(400, 401),
           sends=lambda line: _two(line, "kit", "kit"), holds=_is_nobody, expected="and nobody"),
    Forged(id="S43", who="kit and zoe", says="two in different cases, over a bare socket", status=(400, 401, 0),
           sends=lambda line: _raw(line, f"AUTHORIZATION: Bearer {line.token('kit')}",
                                   f"authorization: Bearer {line.token('zoe')}"), holds=_is_nobody, expected="and nobody"),
    Forged(id="S44", who="kit", says="one in capitals, over a bare socket", status=(200,),
           sends=lambda line: _raw(line, f"AUTHORIZATION: Bearer {line.token('kit')}"), holds=is_kit, expected="kit",
           is_control=True),
    Forged(id="S45", who="kit", says="a space before the colon", status=(400, 401, 0),
           sends=lambda line: _raw(line, f"Authorization : Bearer {line.token('kit')}"), holds=_is_nobody),
    Forged(id="S46", who="kit", says="a header folded over two lines", status=(400, 401, 0),
           sends=lambda line: _raw(line, "Authorization: Bearer", f" {line.token('kit')}"), holds=_is_nobody),
    Forged(id="S47", who="kit", says="a NUL in the header", status=(400, 401, 0),
           sends=lambda line: _raw(line, f"Authorization: Bearer {line.token('kit')}\0"), holds=_is_nobody),
    Forged(id="S48", who="zoe", says="a token after a bare line feed in another header", status=(400, 401, 0),
           sends=lambda line: _raw(line, f"X-Note: x\nAuthorization: Bearer {line.token('zoe')}",
                                   f"Authorization: Bearer {line.token('kit')}"), holds=_is_nobody),
    Forged(id="S49", who="kit", says="Authorization with an underscore, as a proxy may rename it", status=(401, 400),
           sends=lambda line: line.send("GET", _ME, None, headers={"HTTP_AUTHORIZATION": f"Bearer {line.token('kit')}"})),
)  # fmt: skip


def _framed(line: Line) -> Reply:
    """A POST whose two lengths disagree, with a second request inside it that has no token of its own."""
    inner = "GET /v1/beats HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
    content = f"0\r\n\r\n{inner}"
    return _raw(
        line, f"Authorization: Bearer {line.token('kit')}", "Content-Type: application/json", f"Content-Length: {len(content)}",
        "Transfer-Encoding: chunked", "", content, start="POST /v1/beats HTTP/1.1",
    )  # fmt: skip


def _lengths(line: Line) -> Reply:
    return _raw(
        line, f"Authorization: Bearer {line.token('kit')}", "Content-Type: application/json", "Content-Length: 2",
        "Content-Length: 40", "", "{}", start="POST /v1/beats HTTP/1.1",
    )  # fmt: skip


def _methods() -> Iterator[Forged]:
    for number, name in enumerate(_OVERRIDES, start=1):
        yield Forged(
            id=f"S5{number}d", who="kit", says=f"GET another's beat with {name}: DELETE", status=(200,),
            sends=lambda line, name=name: line.send("GET", "/v1/beats/<b_zoe>", headers={name: "DELETE"}),  # type: ignore[misc]
            holds=lambda _, reply: reply.json()["status"] == "live", expected="it is read, and stays",
        )  # fmt: skip
        yield Forged(
            id=f"S5{number}p", who="kit", says=f"POST /v1/beats with {name}: GET", status=(400,), code="request.invalid",
            sends=lambda line, name=name: line.send("POST", "/v1/beats", headers={name: "GET"}, body={}),  # type: ignore[misc]
        )  # fmt: skip
    for number, method in enumerate(("PUT", "PATCH", "DELETE", "POST"), start=1):
        for suffix, path in (("b", "/v1/beats/<b_kit>"), ("z", "/v1/beats/<b_zoe>"), ("h", "/v1/beats/<b_hidden>"),
                             ("i", "/v1/handoffs/<h_in>"), ("o", "/v1/handoffs/<h_hidden>")):  # fmt: skip
            yield Forged(
                id=f"S6{number}{suffix}", who="kit", says=f"{method} {path}", status=(405,), code="method.not_allowed",
                sends=lambda line, method=method, path=path: line.send(  # type: ignore[misc]
                    method, path, body={"body": "changed", "audience": "<hall>", "status": "done"}),
                why="no verb changes a record by its address",
            )  # fmt: skip
    for number, (method, path) in enumerate(
        (("DELETE", "/v1/beats"), ("PUT", "/v1/me"), ("PATCH", "/v1/me"), ("POST", "/v1/me"), ("TRACE", "/v1/me"),
         ("PROPFIND", "/v1/beats"), ("OPTIONS", "/v1/beats/<b_hidden>")), start=1):  # fmt: skip
        yield Forged(
            id=f"S7{number}", who="kit", says=f"{method} {path}", status=(400, 405, 204, 501, 0),
            sends=lambda line, method=method, path=path: line.send(method, path),  # type: ignore[misc]
        )  # fmt: skip


_ODD: Final = (
    Forged(id="S80", who="kit", says="Content-Length and chunked at once, with a request inside", sends=_framed,
           status=(400, 0), holds=lambda _, reply: b"HTTP/1.1 200" not in reply.body, expected="and no second answer"),
    Forged(id="S81", who="kit", says="two Content-Lengths", sends=_lengths, status=(400, 0)),
    Forged(id="S82", who="kit", says="an absolute address of another host", status=(200, 400, 404, 0),
           sends=lambda line: _raw(line, f"Authorization: Bearer {line.token('kit')}",
                                   start="GET http://internal.example/v1/me HTTP/1.1"),
           holds=lambda line, reply: reply.status != 200 or is_kit(line, reply), expected="or kit"),  # noqa: PLR2004
    Forged(id="S83", who="nobody", says="CONNECT to the database", status=(400, 401, 404, 405, 501, 0),
           sends=lambda line: _raw(line, start="CONNECT 127.0.0.1:5432 HTTP/1.1")),
    Forged(id="S84", who="nobody", says="a WebSocket", status=(400, 401, 403, 404, 405, 426),
           sends=lambda line: _raw(line, "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                                   "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")),
    Forged(id="S85", who="nobody", says="no HTTP at all", status=(400, 0), sends=lambda line: line.raw(b"\x16\x03\x01\0\xa5\r\n\r\n")),
    Forged(id="S86", who="kit", says="Host: another", status=(200,), holds=is_kit, expected="kit",
           sends=lambda line: line.send("GET", _ME, headers={"Host": "zoe.internal.example"})),
)  # fmt: skip


def _alternate(line: Line) -> Reply:
    """Kit and zoe in turn over one connection: each must always be itself."""
    for name in ("kit", "zoe") * 10:
        document = line.send("GET", _ME, name).json()
        if not isinstance(document, dict) or document.get("name") != line.stage.name(name):
            return Reply(409, body=b"somebody else")
    return Reply(200)


FORGED: Final = (
    *_claims(),
    *_TWO_HEADERS,
    *_methods(),
    *_ODD,
    Forged(id="S90", who="kit and zoe", says="twenty requests in turn over one connection", sends=_alternate, status=(200,),
           expected="each itself", why="nothing of one caller is left for the next"),
)  # fmt: skip
