"""Tokens: none, somebody else's, ended, malformed, and in the wrong place."""

import hashlib
from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.setting import acting_as
from fleetmem.admin.prove.wire.forged import Forged, is_kit
from fleetmem.admin.prove.wire.line import Line, Reply

ENDPOINTS: Final = (
    ("GET", "/v1/me"),
    ("GET", "/v1/beats"),
    ("POST", "/v1/beats"),
    ("GET", "/v1/beats/<b_kit>"),
    ("GET", "/v1/beats/<b_kit>/history"),
    ("POST", "/v1/beats/<b_kit>/retract"),
    ("GET", "/v1/handoffs"),
    ("POST", "/v1/handoffs"),
    ("GET", "/v1/handoffs/<h_in>"),
    ("POST", "/v1/handoffs/<h_in>/accept"),
    ("POST", "/v1/handoffs/<h_in>/decline"),
    ("POST", "/v1/handoffs/<h_in>/withdraw"),
    ("POST", "/v1/handoffs/<h_in>/answer"),
    ("GET", "/v1/teams"),
    ("GET", "/v1/teams/<desk>/tasks"),
    ("POST", "/v1/teams/<desk>/tasks"),
    ("GET", "/v1/teams/<desk>/messages"),
    ("POST", "/v1/teams/<desk>/messages"),
    ("GET", "/v1/tasks/<absent>"),
    ("POST", "/v1/tasks/<absent>/settle"),
    ("POST", "/v1/runs"),
    ("GET", "/v1/runs/<absent>"),
    ("GET", "/v1/runs/<absent>/spans"),
    ("POST", "/v1/runs/<absent>/spans"),
    ("POST", "/v1/runs/<absent>/settle"),
)
_ME: Final = "/v1/me"
_OK: Final = 200


def _everywhere() -> Iterator[Forged]:
    for number, (method, path) in enumerate(ENDPOINTS, start=1):
        yield Forged(
            id=f"W1{number:02}", who="nobody", says=f"{method} {path} without a token", status=(401,), code="auth.required",
            sends=lambda line, method=method, path=path: line.send(method, path, None),  # type: ignore[misc]
        )  # fmt: skip
        yield Forged(
            id=f"W2{number:02}", who="a stranger", says=f"{method} {path} with a token that was never issued",
            status=(401,), code="auth.invalid",
            sends=lambda line, method=method, path=path: line.send(  # type: ignore[misc]
                method, path, None, headers={"Authorization": "Bearer fm_" + "A" * 43}),
        )  # fmt: skip


def _ended() -> Iterator[Forged]:
    for number, (name, what) in enumerate(
        (
            ("revoked", "a revoked token"),
            ("expired", "a token past its time"),
            ("stale", "a token older than tokens_from"),
            ("gone", "the token of a deactivated agent"),
            ("held", "the token of a suspended agent"),
            ("chief", "an operator's token"),
            ("sage", "an auditor's token"),
        ),
        start=1,
    ):
        for suffix, method, path in (("g", "GET", _ME), ("p", "POST", "/v1/beats")):
            yield Forged(
                id=f"W3{number}{suffix}", who=name, says=f"{method} {path} with {what}", status=(401,), code="auth.invalid",
                sends=lambda line, name=name, method=method, path=path: line.send(  # type: ignore[misc]
                    method, path, name, body={"topic": "t", "body": "x", "audience": "<hall>"} if method == "POST" else None),
            )  # fmt: skip


def _given(line: Line, value: str) -> Reply:
    return line.send("GET", _ME, None, headers={"Authorization": value})


def _malformed() -> Iterator[Forged]:
    bends = (
        ("nothing after the scheme", lambda line: _given(line, "Bearer fm_")),
        ("the scheme alone", lambda line: _given(line, "Bearer")),
        ("Basic", lambda line: _given(line, f"Basic {line.token('kit')}")),
        ("no scheme", lambda line: _given(line, line.token("kit"))),
        ("two spaces", lambda line: _given(line, f"Bearer  {line.token('kit')}")),
        ("a letter more", lambda line: _given(line, f"Bearer {line.token('kit')}A")),
        ("a letter less", lambda line: _given(line, f"Bearer {line.token('kit')[:-1]}")),
        ("another case", lambda line: _given(line, f"Bearer {line.token('kit').swapcase()}")),
        ("no prefix", lambda line: _given(line, f"Bearer {line.token('kit')[3:]}")),
        ("padding", lambda line: _given(line, f"Bearer {line.token('kit')}=")),
        ("the token's id", lambda line: _given(line, f"Bearer {line.stage.bearers['kit'].id}")),
        ("the token's digest", lambda line: _given(line, f"Bearer {hashlib.sha256(line.token('kit').encode()).hexdigest()}")),
        ("a signed claim", lambda line: _given(line, f"Bearer {line.stage.claim('kit')}")),
        ("two tokens with a comma", lambda line: _given(line, f"Bearer {line.token('kit')}, Bearer {line.token('zoe')}")),
        ("two tokens with a space", lambda line: _given(line, f"Bearer {line.token('kit')} {line.token('zoe')}")),
        ("SQL", lambda line: _given(line, "Bearer ' or '1'='1")),
        ("60 kB", lambda line: _given(line, "Bearer fm_" + "A" * 60_000)),
        ("in the query", lambda line: line.send("GET", f"{_ME}?token={line.token('kit')}", None)),
        ("as access_token in the query", lambda line: line.send("GET", f"{_ME}?access_token={line.token('kit')}", None)),
        ("in a cookie", lambda line: line.send("GET", _ME, None, headers={"Cookie": f"token={line.token('kit')}"})),
        ("in X-Auth-Token", lambda line: line.send("GET", _ME, None, headers={"X-Auth-Token": line.token("kit")})),
        ("in X-Api-Key", lambda line: line.send("GET", _ME, None, headers={"X-Api-Key": line.token("kit")})),
        ("in Proxy-Authorization", lambda line: line.send(
            "GET", _ME, None, headers={"Proxy-Authorization": f"Bearer {line.token('kit')}"})),
        ("in the address", lambda line: line.send("GET", f"/v1/me/{line.token('kit')}", None)),
    )  # fmt: skip
    for number, (what, sends) in enumerate(bends, start=1):
        yield Forged(
            id=f"W4{number:02}", who="a forger", says=f"kit's token, {what}", sends=sends,
            status=(400, 401, 404, 413, 431, 0), holds=lambda line, reply: not is_kit(line, reply), expected="and not kit",
        )  # fmt: skip


def _control(line: Line) -> Reply:
    return line.send("GET", _ME)


def _revoked_now(line: Line) -> Reply:
    """The token works, is revoked in the database, and is tried again at once: the gateway's own caches do not count."""
    before = line.send("GET", _ME, "spare")
    admin = line.sessions.of("admin")
    with admin.transaction(), acting_as(admin, "fleetmem_verifier"):
        admin.execute(
            "update vault.bearer set revoked_at = clock_timestamp() where id = %s", [line.stage.bearers["spare"].id]
        )
    after = line.send("GET", _ME, "spare")
    return after if before.status == _OK else Reply(before.status, body=b"the token did not work before")


def _changed(line: Line, who: str, change: str) -> Reply:
    """Ask for a beat that somebody reads, change what the roster says of them, and ask again."""
    before = line.send("GET", "/v1/beats/<b_zoe>", who)
    admin = line.sessions.of("admin")
    with admin.transaction(), acting_as(admin, "fleetmem_owner"):
        admin.execute(line.stage.filled(f"update fleet.principal set {change} where name = <{who}>").encode())
    after = line.send("GET", "/v1/beats/<b_zoe>", who)
    return after if before.status == _OK else Reply(before.status, body=b"it could not be read before")


_AT_ONCE: Final = tuple(
    Forged(
        id=case_id, who=who, says=f"{what} between two requests for a beat that it reads", status=(status,), code=code,
        sends=lambda line, who=who, change=change: _changed(line, who, change),  # type: ignore[misc]
        why="what the owner says counts from the next request, whatever the gateway remembers",
    )
    for case_id, who, what, change, status, code in (
        ("W52", "ann", "suspended", "suspended_at = now()", 401, "auth.invalid"),
        ("W53", "ben", "deactivated", "active = false", 401, "auth.invalid"),
        ("W54", "cal", "narrowed", "reads = '{}'", 404, "record.absent"),
    )
)  # fmt: skip


FORGED: Final = (
    Forged(id="W00", who="kit", says="GET /v1/me with kit's token", sends=_control, status=(200,), holds=is_kit,
           expected="kit", is_control=True),
    *_everywhere(),
    *_ended(),
    *_malformed(),
    Forged(id="W50", who="spare", says="revoked in the database between two requests", sends=_revoked_now, status=(401,),
           code="auth.invalid", why="the database refuses it at the next statement, whatever the gateway remembers"),
    *_AT_ONCE,
    Forged(id="W55", who="kit", says="GET /v1/beats/<b_zoe>", sends=lambda line: line.send("GET", "/v1/beats/<b_zoe>"),
           status=(200,), is_control=True),
)  # fmt: skip
