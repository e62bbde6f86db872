"""The operators' console: agents at its door, auditors who act, and the two services' doors mixed up."""

from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.wire.forged import Forged
from fleetmem.admin.prove.wire.line import Line, Reply

_READS: Final = ("/v1/me", "/v1/agents", "/v1/tokens", "/v1/overdue")
_ACTS: Final = ("/v1/agents/<max>/suspend", "/v1/agents/<max>/resume", "/v1/tokens/<token_spare>/revoke")
_MEMORY_READS: Final = (
    "/v1/notes?limit=1", "/v1/incidents?limit=1", "/v1/ledger?limit=1", "/v1/ledger/head", "/v1/ledger/explain?agent=<kit>",
)  # fmt: skip
_MEMORY_ACTS: Final[tuple[tuple[str, dict[str, object] | None], ...]] = (
    ("/v1/notes/<absent>/approve", {"revision": 1}),
    ("/v1/notes/<absent>/edit", {"revision": 1, "content": "x"}),
    ("/v1/notes/<absent>/reject", {}),
    ("/v1/notes/<absent>/revoke", {}),
    ("/v1/incidents/<absent>/close", {"outcome": "dismissed"}),
    ("/v1/segments/<absent>/reset", None),
)
_ALL: Final = (
    *(("GET", path) for path in (*_READS, *_MEMORY_READS, "/v1/notes/<absent>")),
    *(("POST", path) for path in _ACTS),
    *(("POST", path) for path, _ in _MEMORY_ACTS),
)


def _strangers() -> Iterator[Forged]:
    for letter, who, code in (
        ("n", None, "auth.required"),
        ("k", "kit", "auth.invalid"),
        ("r", "retired", "auth.invalid"),
    ):
        for number, (method, path) in enumerate(_ALL, start=1):
            yield Forged(
                id=f"O1{letter}{number}", who=who or "nobody", says=f"{method} {path} at the console", status=(401,), code=code,
                sends=lambda line, method=method, path=path, who=who: line.send(method, path, who),  # type: ignore[misc]
                why="agents, and operators who were let go, are nobody here",
            )  # fmt: skip
    for number, path in enumerate(_ACTS, start=1):
        yield Forged(
            id=f"O2{number}", who="sage", says=f"POST {path}", status=(403,), code="action.forbidden",
            sends=lambda line, path=path: line.send("POST", path, "sage"),  # type: ignore[misc]
            why="auditors look on",
        )  # fmt: skip
        yield Forged(
            id=f"O3{number}", who="sage", says=f"POST {path} with X-Role: operator", status=(403,), code="action.forbidden",
            sends=lambda line, path=path: line.send("POST", path, "sage", headers={"X-Role": "operator", "X-User": "chief"}),  # type: ignore[misc]
        )  # fmt: skip
    for number, (method, path) in enumerate(
        (("GET", "/v1/beats"), ("POST", "/v1/beats"), ("GET", "/v1/beats/<b_kit>"), ("GET", "/v1/handoffs"),
         ("GET", "/v1/handoffs/<h_in>"), ("POST", "/v1/handoffs/<h_in>/accept"), ("GET", "/v1/teams"),
         ("GET", "/v1/teams/<desk>/messages"), ("GET", "/v1/tasks/<absent>"), ("GET", "/v1/runs/<absent>")), start=1):  # fmt: skip
        yield Forged(
            id=f"O4{number}", who="chief", says=f"{method} {path} at the console", status=(404,), code="route.absent",
            sends=lambda line, method=method, path=path: line.send(method, path, "chief"),  # type: ignore[misc]
            why="the console has no address for records",
        )  # fmt: skip


def _memories() -> Iterator[Forged]:
    """Auditors read of memory and decide nothing; an operator meets what is absent."""
    for number, path in enumerate(_MEMORY_READS, start=1):
        yield Forged(id=f"O7{number}", who="sage", says=f"GET {path}", status=(200,), is_control=True,
                     sends=lambda line, path=path: line.send("GET", path, "sage"))  # type: ignore[misc]  # fmt: skip
    for number, (path, body) in enumerate(_MEMORY_ACTS, start=1):
        yield Forged(
            id=f"O8{number}", who="sage", says=f"POST {path}", status=(403,), code="action.forbidden",
            sends=lambda line, path=path, body=body: line.send("POST", path, "sage", body=body),  # type: ignore[misc]
            why="auditors look on",
        )  # fmt: skip
        yield Forged(
            id=f"O9{number}", who="chief", says=f"POST {path}", status=(404,), code="record.absent",
            sends=lambda line, path=path, body=body: line.send("POST", path, "chief", body=body),  # type: ignore[misc]
        )  # fmt: skip


def _silent_about_texts(line: Line, reply: Reply) -> bool:
    del line
    return not any(
        word in reply.body for word in (b'"request"', b'"reply"', b'"body"', b'"sha256"', b"fm_", b'"instructions"')
    )


FORGED: Final = (
    *_strangers(),
    *_memories(),
    *(
        Forged(id=f"O5{number}", who="sage", says=f"GET {path}", status=(200,), holds=_silent_about_texts, is_control=True,
               expected="no text, no token, no instructions",
               sends=lambda line, path=path: line.send("GET", path, "sage"))  # type: ignore[misc]
        for number, path in enumerate(_READS, start=1)
    ),
    Forged(id="O60", who="chief", says="POST /v1/agents/<max>/suspend", status=(200,), is_control=True,
           sends=lambda line: line.send("POST", "/v1/agents/<max>/suspend", "chief")),
    Forged(id="O61", who="chief", says="POST /v1/agents/<max>/resume", status=(200,), is_control=True,
           sends=lambda line: line.send("POST", "/v1/agents/<max>/resume", "chief")),
    Forged(id="O62", who="chief", says="POST /v1/agents/<chief>/suspend", status=(404,), code="record.absent",
           sends=lambda line: line.send("POST", "/v1/agents/<chief>/suspend", "chief"), why="operators suspend agents only"),
    Forged(id="O63", who="chief", says="POST /v1/agents/nobody/suspend", status=(404,), code="record.absent",
           sends=lambda line: line.send("POST", "/v1/agents/no-such-agent/suspend", "chief")),
    Forged(id="O64", who="chief", says="POST /v1/agents/<kit>/suspend with a field `agent`", status=(400,), code="request.invalid",
           sends=lambda line: line.send("POST", "/v1/agents/<kit>/suspend", "chief", body={"agent": "<zoe>"})),
    Forged(id="O65", who="chief", says="PUT, PATCH, DELETE an agent", status=(404, 405),
           sends=lambda line: line.send("DELETE", "/v1/agents/<kit>", "chief")),
)  # fmt: skip
