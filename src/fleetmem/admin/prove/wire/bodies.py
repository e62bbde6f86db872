"""Bodies: fields that claim what only the database may say, and bodies that are no bodies."""

import gzip
import json
from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.wire.forged import Forged
from fleetmem.admin.prove.wire.line import Line, Reply

_BEAT: Final = {"topic": "forged", "body": "x", "audience": "<hall>"}
_HANDOFF: Final = {"recipient": "<max>", "request": "x", "audience": "<hall>"}
_MOMENT: Final = "2026-01-01T00:00:00Z"
_BEAT_FIELDS: Final[dict[str, object]] = {
    "author": "<zoe>", "id": "<b_hidden>", "status": "live", "created_at": _MOMENT, "ended_at": None, "ended_as": "superseded",
    "topic_key": "other", "audiences": ["<hall>", "<board>"], "principal": "<zoe>", "claim": "x", "agent": "<zoe>",
}  # fmt: skip
_HANDOFF_FIELDS: Final[dict[str, object]] = {
    "sender": "<zoe>", "id": "<h_hidden>", "status": "done", "flags": [], "created_at": _MOMENT, "updated_at": _MOMENT,
    "reply": "yes", "history": [], "notice": "from your owner", "overdue": False,
}  # fmt: skip
_MOVE_FIELDS: Final[dict[str, object]] = {
    "status": "done", "by": "<zoe>", "recipient": "<kit>", "sender": "<kit>", "at": _MOMENT, "handoff": "<h_hidden>",
}  # fmt: skip


def _claiming() -> Iterator[Forged]:
    for letter, path, good, further in (
        ("b", "/v1/beats", _BEAT, _BEAT_FIELDS),
        ("h", "/v1/handoffs", _HANDOFF, _HANDOFF_FIELDS),
        ("m", "/v1/handoffs/<h_in>/accept", {}, _MOVE_FIELDS),
        ("r", "/v1/beats/<b_kit>/retract", {}, {"author": "<zoe>", "ended_at": _MOMENT}),
        ("a", "/v1/handoffs/<h_accepted>/answer", {"outcome": "done", "reply": "x"}, {"by": "<zoe>", "at": _MOMENT}),
    ):
        for number, (name, value) in enumerate(further.items(), start=1):
            yield Forged(
                id=f"N1{letter}{number:02}", who="kit", says=f"POST {path} with a field `{name}`", status=(400,),
                code="request.invalid",
                holds=lambda _, reply, name=name: reply.json().get("field") == name,  # type: ignore[misc]
                expected="names the field",
                sends=lambda line, path=path, body={**good, name: value}: line.send("POST", path, body=body),  # type: ignore[misc]
                why="author, sender, ids, times and status are the database's to say",
            )  # fmt: skip


def _post(line: Line, content: bytes, *, path: str = "/v1/beats", **headers: str) -> Reply:
    return line.send(
        "POST", path, content=content, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )


def _beat(line: Line, **fields: object) -> bytes:
    return json.dumps(line.filled({**_BEAT, **fields})).encode()


def _malformed() -> Iterator[Forged]:
    bodies = (
        ("not JSON", lambda line: _post(line, b"{"), (400,)),
        ("an array", lambda line: _post(line, b"[]"), (400,)),
        ("null", lambda line: _post(line, b"null"), (400,)),
        ("a text", lambda line: _post(line, b'"x"'), (400,)),
        ("nothing", lambda line: _post(line, b""), (400,)),
        ("two documents", lambda line: _post(line, _beat(line) + _beat(line)), (400,)),
        ("NUL in a text", lambda line: _post(line, _beat(line, body="a\0b")), (400,)),
        ("NUL byte", lambda line: _post(line, _beat(line).replace(b"forged", b"for\0ed")), (400,)),
        ("a lone surrogate", lambda line: _post(line, _beat(line).replace(b'"x"', b'"\\ud800"')), (400,)),
        ("a reversed pair", lambda line: _post(line, _beat(line).replace(b'"x"', b'"\\udc00\\ud800"')), (400,)),
        ("invalid UTF-8", lambda line: _post(line, _beat(line).replace(b'"x"', b'"\xff\xfe"')), (400,)),
        ("overlong UTF-8", lambda line: _post(line, _beat(line).replace(b'"x"', b'"\xc0\xaf"')), (400,)),
        ("UTF-16", lambda line: _post(line, _beat(line).decode().encode("utf-16")), (400,)),
        ("a byte order mark", lambda line: _post(line, b"\xef\xbb\xbf" + _beat(line)), (400,)),
        ("deep nesting", lambda line: _post(line, b"[" * 30_000), (400,)),
        ("a number for a text", lambda line: _post(line, _beat(line, body=1)), (400,)),
        ("a list for an audience", lambda line: _post(line, _beat(line, audience=["hall", "board"])), (400,)),
        ("null for an audience", lambda line: _post(line, _beat(line, audience=None)), (400,)),
        ("no audience", lambda line: _post(line, b'{"topic":"t","body":"x"}'), (400,)),
        ("an empty audience", lambda line: _post(line, _beat(line, audience="")), (400,)),
        ("a pattern for an audience", lambda line: _post(line, _beat(line, audience="%")), (400,)),
        ("an audience with a newline", lambda line: _post(line, _beat(line, audience="open\n")), (400,)),
        ("a control character", lambda line: _post(line, _beat(line, topic="a\x07b")), (400,)),
        ("a direction override", lambda line: _post(line, _beat(line, topic="a\u202eb")), (400,)),
        ("an endless life", lambda line: _post(line, _beat(line, expires_at="infinity")), (400,)),
        ("a local time", lambda line: _post(line, _beat(line, expires_at="2030-01-01T00:00:00")), (400,)),
        ("a past time", lambda line: _post(line, _beat(line, expires_at="2000-01-01T00:00:00Z")), (400,)),
        ("a year 10000", lambda line: _post(line, _beat(line, expires_at="10000-01-01T00:00:00Z")), (400,)),
        ("a number with a million digits", lambda line: _post(line, b'{"topic":' + b"1" * 60_000 + b"}"), (400,)),
        ("a form", lambda line: _post(line, b"topic=t&body=x", Content_Type="application/x-www-form-urlencoded"), (415,)),
        ("XML", lambda line: _post(line, b"<beat/>", Content_Type="application/xml"), (415,)),
        ("another charset", lambda line: _post(line, _beat(line), Content_Type="application/json; charset=utf-7"), (415,)),
        ("compressed", lambda line: _post(line, gzip.compress(_beat(line)), Content_Encoding="gzip"), (415,)),
        ("too large", lambda line: _post(line, b'{"topic":"' + b"x" * 11_000_000 + b'"}'), (413, 0)),
        ("a body on a GET", lambda line: line.send("GET", "/v1/me", content=b'{"agent":"zoe"}'), (200, 400)),
        ("too large a claim of length", _claims_length, (413, 400, 0)),
    )  # fmt: skip
    for number, (what, sends, status) in enumerate(bodies, start=1):
        yield Forged(id=f"N2{number:02}", who="kit", says=f"POST /v1/beats: {what}", sends=sends, status=status)


def _claims_length(line: Line) -> Reply:
    head = f"POST /v1/beats HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {line.token('kit')}\r\nContent-Type: application/json\r\n"
    return line.raw(f"{head}Content-Length: 99999999999\r\nConnection: close\r\n\r\n{{".encode())


def _doubled(line: Line) -> Reply:
    """The last of two members counts in most readers, the first in some: neither may reach the board."""
    hall, board = line.stage.name("hall"), line.stage.name("board")
    for first, second in ((hall, board), (board, hall)):
        line.send("POST", "/v1/beats",
                  content=f'{{"topic":"doubled","body":"x","audience":"{first}","audience":"{second}"}}'.encode())  # fmt: skip
    return line.send("GET", "/v1/beats?topic=doubled&live=false&audience=<board>", "zoe")


FORGED: Final = (
    Forged(id="N00", who="kit", says="POST /v1/beats", sends=lambda line: line.send("POST", "/v1/beats", body=_BEAT),
           status=(201,), is_control=True),
    Forged(id="N01", who="kit", says="POST /v1/handoffs", sends=lambda line: line.send("POST", "/v1/handoffs", body=_HANDOFF),
           status=(201,), is_control=True),
    *_claiming(),
    *_malformed(),
    Forged(id="N30", who="kit", says="an audience given twice, one of them the board's", sends=_doubled, status=(200,),
           holds=lambda _, reply: reply.json()["items"] == [], expected="nothing on the board"),
)  # fmt: skip
