"""Teams over HTTP: a team that one is not in answers as one that is not there, and nobody speaks as another."""

from typing import Final

from fleetmem.admin.prove.wire.forged import Forged
from fleetmem.admin.prove.wire.line import Line, Reply

_SAID: Final = {"body": "on the wire", "audience": "<hall>"}


def _without_the_board(line: Line, reply: Reply) -> bool:
    del line
    return b"w_kit" in reply.body and b"w_hidden" not in reply.body


def _with_the_board(line: Line, reply: Reply) -> bool:
    del line
    return b"w_kit" in reply.body and b"w_hidden" in reply.body


def _says(case_id: str, who: str, team: str, status: tuple[int, ...], **more: object) -> Forged:
    said = {**_SAID, **more}
    extra = f" with {', '.join(more)}" if more else ""
    return Forged(
        id=case_id, who=who, says=f"POST /v1/teams/{team}/messages{extra}", status=status, is_control=status == (201,),
        sends=lambda line: line.send("POST", f"/v1/teams/{team}/messages", who, body=said),
    )  # fmt: skip


FORGED: Final = (
    Forged(id="T00", who="kit", says="GET /v1/teams/<desk>/messages", status=(200,), holds=_without_the_board, is_control=True,
           expected="what is for kit, and no more", sends=lambda line: line.send("GET", "/v1/teams/<desk>/messages", "kit")),
    Forged(id="T01", who="zoe", says="GET /v1/teams/<desk>/messages", status=(200,), holds=_with_the_board, is_control=True,
           expected="all of it", sends=lambda line: line.send("GET", "/v1/teams/<desk>/messages", "zoe")),
    _says("T02", "kit", "<desk>", (201,)),
    Forged(id="T10", who="kit", says="GET /v1/teams/<away>/messages", status=(404,), code="record.absent",
           sends=lambda line: line.send("GET", "/v1/teams/<away>/messages", "kit")),
    Forged(id="T11", who="kit", says="GET /v1/teams/no-such-team/messages", status=(404,), code="record.absent",
           sends=lambda line: line.send("GET", "/v1/teams/no-such-team/messages", "kit")),
    Forged(id="T12", who="lee", says="GET /v1/teams/<desk>/messages", status=(404,), code="record.absent",
           sends=lambda line: line.send("GET", "/v1/teams/<desk>/messages", "lee")),
    Forged(id="T13", who="kit", says="GET /v1/teams/<away>/tasks", status=(404,), code="record.absent",
           sends=lambda line: line.send("GET", "/v1/teams/<away>/tasks", "kit")),
    Forged(id="T14", who="kit", says="POST /v1/teams/<away>/tasks", status=(404,), code="record.absent",
           sends=lambda line: line.send("POST", "/v1/teams/<away>/tasks", "kit", body={"prompt": "x", "audience": "<hall>"})),
    _says("T20", "kit", "<away>", (404,)),
    _says("T21", "lee", "<desk>", (404,)),
    _says("T22", "kit", "<desk>", (403, 404), audience="<board>"),
    _says("T23", "kit", "<desk>", (400,), author="<zoe>"),
    _says("T24", "kit", "<desk>", (400,), seq=1),
    _says("T25", "kit", "<desk>", (400,), speaker="zoe"),
    _says("T26", "kit", "<desk>", (404,), run="<absent>"),
    _says("T27", "kit", "<desk>", (404,), task="<absent>"),
    *(
        Forged(id=f"T3{number}", who="kit", says=f"GET {path}", status=(404,), code="route.absent",
               sends=lambda line, path=path: line.send("GET", path, "kit"),  # type: ignore[misc]
               why="the gateway has no address for memories")
        for number, path in enumerate(("/v1/notes", "/v1/notes/<absent>", "/v1/ledger", "/v1/ledger/head", "/v1/incidents", "/v1/segments"))
    ),
)  # fmt: skip
