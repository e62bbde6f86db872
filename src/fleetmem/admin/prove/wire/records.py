"""Side doors by id, other agents' idempotency keys and cursors, and answers that must not tell hidden from absent."""

import base64
import uuid
from collections.abc import Callable, Iterator
from typing import Final

from fleetmem.admin.prove.wire.forged import Forged
from fleetmem.admin.prove.wire.line import Line, Reply

_VERBS: Final[tuple[tuple[str, str, str, object], ...]] = (
    ("g", "GET", "/v1/beats/@b", None),
    ("y", "GET", "/v1/beats/@b/history", None),
    ("r", "POST", "/v1/beats/@b/retract", None),
    ("G", "GET", "/v1/handoffs/@h", None),
    ("a", "POST", "/v1/handoffs/@h/accept", None),
    ("d", "POST", "/v1/handoffs/@h/decline", {"reply": "no"}),
    ("w", "POST", "/v1/handoffs/@h/withdraw", None),
    ("s", "POST", "/v1/handoffs/@h/answer", {"outcome": "done", "reply": "x"}),
)
_HEADERS_THAT_DIFFER: Final = frozenset({"date"})


def _to(path: str, beat: str, handoff: str) -> str:
    return path.replace("@b", f"<{beat}>").replace("@h", f"<{handoff}>")


def _side_doors() -> Iterator[Forged]:
    for letter, method, path, body in _VERBS:
        hidden, seen = _to(path, "b_hidden", "h_hidden"), _to(path, "b_zoe", "h_seen")
        yield Forged(
            id=f"I1{letter}", who="kit", says=f"{method} {hidden}", status=(404,), code="record.absent",
            sends=lambda line, method=method, hidden=hidden, body=body: line.send(method, hidden, body=body),  # type: ignore[misc]
            why="another's, that it may not read",
        )  # fmt: skip
        if method == "POST":
            yield Forged(
                id=f"I2{letter}", who="kit", says=f"{method} {seen}", status=(403,), code="action.forbidden",
                sends=lambda line, method=method, seen=seen, body=body: line.send(method, seen, body=body),  # type: ignore[misc]
                why="another's, that it may read",
            )  # fmt: skip
        yield Forged(
            id=f"I3{letter}", who="kit", says=f"{method} {hidden}, and the same of nothing, with one request id",
            sends=lambda line, method=method, path=path, body=body: _compared(line, method, path, body),  # type: ignore[misc]
            status=(404,), code="record.absent", expected="byte for byte the same, headers too",
            why="hidden and absent must not be told apart",
        )  # fmt: skip


def _compared(line: Line, method: str, path: str, body: object) -> Reply:
    known = {"X-Request-Id": "alike"}
    hidden = line.send(method, _to(path, "b_hidden", "h_hidden"), headers=known, body=body)
    absent = line.send(method, _to(path, "absent", "absent"), headers=known, body=body)
    same = (hidden.status, hidden.body, _headers(hidden)) == (absent.status, absent.body, _headers(absent))
    return hidden if same else Reply(409, body=b"they differ")


def _headers(reply: Reply) -> list[tuple[str, str]]:
    return [(name.lower(), value) for name, value in reply.headers if name.lower() not in _HEADERS_THAT_DIFFER]


def _addresses() -> Iterator[Forged]:
    hidden = "<b_hidden>"
    for number, path in enumerate(
        (
            f"/v1/beats/{hidden}/", f"/v1//beats/{hidden}", f"//v1/beats/{hidden}", f"/v1/beats/{hidden};a=b", f"/v1/beats/{hidden}%00",
            f"/v1/beats/%7B{hidden}%7D", f"/v1/beats/urn:uuid:{hidden}", f"/v1/handoffs/../beats/{hidden}",
            f"/v1/handoffs/%2e%2e/beats/{hidden}", f"/v1/me/..%2fbeats%2f{hidden}", f"/v1/beats/{hidden}/body",
            f"/v1/beats/{hidden}/history/", f"/v2/beats/{hidden}", f"/beats/{hidden}", f"/v1/beats?id={hidden}",
            f"/v1/beats/{hidden}?agent=zoe", "/v1/beats/%27%20or%201=1", "/v1/beats/..%2f..%2fetc%2fpasswd", "/v1/beats/*",
            "/v1/beats/%", "/v1/agents", "/v1/tokens", "/v1/overdue", "/v1/audiences", "/v1/principals", "/admin", "/debug",
            "/.env", "/static/../../secrets/gateway/key.json",
        ),
        start=1,
    ):  # fmt: skip
        yield Forged(
            id=f"I4{number:02}", who="kit", says=f"GET {path}", status=(400, 404, 405, 0),
            sends=lambda line, path=path: line.send("GET", path),  # type: ignore[misc]
        )  # fmt: skip


def _queries() -> Iterator[Forged]:
    for number, (query, status) in enumerate(
        (
            ("agent=<zoe>", (400,)), ("as=<zoe>", (400,)), ("author=<zoe>&author=<kit>", (400,)), ("limit=-1", (400,)),
            ("limit=0", (400,)), ("limit=101", (400,)), ("limit=1e9", (400,)), ("audience=%25", (400,)), ("audience=*", (400,)),
            ("audience=", (400,)), ("topic=", (400,)), ("since=infinity", (400,)), ("since=2026-01-01T00:00:00", (400,)),
            ("live=maybe", (400,)), ("cursor=", (400,)), ("cursor=x", (400,)), ("cursor=%00", (400,)), ("topic=%00", (400,)),
            ("topic=%ff", (400,)), ("select=*", (400,)), ("order=author", (400,)), ("_method=DELETE", (400,)),
        ),
        start=1,
    ):  # fmt: skip
        yield Forged(
            id=f"I5{number:02}", who="kit", says=f"GET /v1/beats?{query}", status=status, code="request.invalid",
            sends=lambda line, query=query: line.send("GET", f"/v1/beats?{query}"),  # type: ignore[misc]
        )  # fmt: skip
    for number, query in enumerate(
        ("audience=<board>&live=false", "author=<zoe>&audience=<board>&live=false", "topic=the%20hidden%20topic&live=false",
         "topic=THE%20HIDDEN%20TOPIC&live=false", "topic=%25&live=false", "topic=_&live=false"), start=1):  # fmt: skip
        yield Forged(
            id=f"I6{number:02}", who="kit", says=f"GET /v1/beats?{query}", status=(200,), expected="nothing",
            sends=lambda line, query=query: line.send("GET", f"/v1/beats?{query}"),  # type: ignore[misc]
            holds=lambda _, reply: reply.json() == {"items": [], "next": None},
        )  # fmt: skip


def _cursor(line: Line, record: str) -> str:
    return base64.urlsafe_b64encode(uuid.UUID(line.stage.records[record]).bytes).rstrip(b"=").decode()


def _ids(reply: Reply) -> set[str]:
    return {item["id"] for item in (reply.json() or {}).get("items", [])}


def _only_kits(line: Line, reply: Reply) -> bool:
    seen_by_kit = {line.stage.name(name) for name in ("hall", "ops", "drop")}
    hidden = {line.stage.records[record] for record in ("b_hidden", "b_zoe_drop", "h_hidden", "h_lee")}
    items = (reply.json() or {}).get("items", [])
    parties = {line.stage.name("kit")}
    return not _ids(reply) & hidden and all(
        item["audience"] in seen_by_kit or parties & {item.get("recipient"), item.get("sender")} for item in items
    )


_CURSORS: Final = (
    Forged(id="I70", who="kit", says="GET /v1/beats from zoe's place in her own list", status=(200,), holds=_only_kits,
           sends=lambda line: line.send("GET", f"/v1/beats?live=false&limit=100&cursor={_cursor(line, 'b_hidden')}"),
           expected="only what kit may see"),
    Forged(id="I71", who="kit", says="GET /v1/handoffs from zoe's place in her own list", status=(200,), holds=_only_kits,
           sends=lambda line: line.send("GET", f"/v1/handoffs?box=visible&limit=100&cursor={_cursor(line, 'h_hidden')}"),
           expected="only what kit may see"),
    Forged(id="I72", who="kit", says="GET the history of its own beat from zoe's place", status=(200,), holds=_only_kits,
           sends=lambda line: line.send("GET", f"/v1/beats/<b_kit>/history?cursor={_cursor(line, 'b_hidden')}"),
           expected="only what kit may see"),
    Forged(id="I73", who="zoe", says="GET /v1/beats of the board", status=(200,), is_control=True, expected="her beat",
           sends=lambda line: line.send("GET", "/v1/beats?live=false&audience=<board>", "zoe"),
           holds=lambda line, reply: line.stage.records["b_hidden"] in _ids(reply)),
)  # fmt: skip

_ONE: Final = {"topic": "keyed on the wire", "body": "first", "audience": "<hall>"}
_TWO: Final = {"topic": "keyed on the wire", "body": "second", "audience": "<hall>"}


def _authored(name: str, *, is_replayed: bool) -> Callable[[Line, Reply], bool]:
    def holds(line: Line, reply: Reply) -> bool:
        replayed = reply.header("idempotency-replayed") == "true"
        return reply.json()["author"] == line.stage.name(name) and replayed is is_replayed

    return holds


def _keyed(line: Line, as_: str, body: object) -> Reply:
    return line.send("POST", "/v1/beats", as_, body=body, key="on-the-wire")


_KEYS: Final = (
    Forged(id="I80", who="zoe", says="a key of zoe's own", sends=lambda line: _keyed(line, "zoe", _ONE), status=(201,),
           holds=_authored("zoe", is_replayed=False), expected="zoe's, new", is_control=True),
    Forged(id="I81", who="zoe", says="the same again", sends=lambda line: _keyed(line, "zoe", _ONE), status=(201,),
           holds=_authored("zoe", is_replayed=True), expected="zoe's, again", is_control=True),
    Forged(id="I82", who="kit", says="zoe's key and zoe's body", sends=lambda line: _keyed(line, "kit", _ONE), status=(201,),
           holds=_authored("kit", is_replayed=False), expected="kit's, new", why="a key belongs to who sent it"),
    Forged(id="I83", who="max", says="zoe's key and another body", sends=lambda line: _keyed(line, "max", _TWO), status=(201,),
           holds=_authored("max", is_replayed=False), expected="max's, new, and no conflict", why="nor does it show that it was used"),
    Forged(id="I84", who="zoe", says="the key with another body", sends=lambda line: _keyed(line, "zoe", _TWO), status=(409,),
           code="idempotency.conflict"),
    Forged(id="I85", who="kit", says="two keys", status=(400,), code="request.invalid", sends=lambda line: line.send(
           "POST", "/v1/beats", body=_ONE, headers=[("Idempotency-Key", "a"), ("Idempotency-Key", "b")])),
    Forged(id="I86", who="kit", says="an empty key", status=(400,), code="request.invalid",
           sends=lambda line: line.send("POST", "/v1/beats", body=_ONE, key="")),
    Forged(id="I87", who="kit", says="a key of 129 letters", status=(400,), code="request.invalid",
           sends=lambda line: line.send("POST", "/v1/beats", body=_ONE, key="k" * 129)),
)  # fmt: skip

_PUBLIC: Final = tuple(
    Forged(
        id=f"I9{number}", who="nobody", says=f"GET {path} without a token", status=(200,), expected="nobody's name",
        sends=lambda line, path=path: line.send("GET", path, None),  # type: ignore[misc]
        holds=lambda line, reply: not any(
            line.stage.name(name).encode() in reply.body for name in ("kit", "zoe", "hall", "board", "chief")),
        why="what is open to all names nobody",
    )
    for number, path in enumerate(("/healthz", "/readyz", "/metrics", "/schema"), start=1)
)  # fmt: skip

FORGED: Final = (*_side_doors(), *_addresses(), *_queries(), *_CURSORS, *_KEYS, *_PUBLIC)
