"""Fenced work over HTTP against the same work by pgbench, which has nothing between its clients and the database."""

import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import median
from typing import Final

from bench import cpu, ground, load, scripts
from bench.contender import Contender
from bench.peers import separate
from bench.pgbench import Pgbench, beside
from bench.report import Goal, Row
from bench.rounds import in_turns, ratio
from bench.sample import Sample
from bench.sizes import Sizes
from fleetmem.admin import database, deployment, tokens
from fleetmem.admin.services import Service
from fleetmem.admin.up import Fleet
from fleetmem.fleet import claims
from fleetmem.fleet.agent import Rol

YARDSTICK: Final = "pgbench, one function a request"
SEPARATELY: Final = "pgbench, five statements"
GATEWAY: Final = "gateway, fenced"
UNFENCED: Final = "gateway, unfenced"
PEER: Final = "FastAPI and uvicorn, five statements"
_TOPICS: Final = 4_096
_SPEAKERS: Final = 8  # as many bodies that may be wide as the gateway receives from one agent at once

_Taken = dict[str, list[Sample]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bearer:
    """Whom the load comes from: a token for HTTP, and claims made for it for whoever goes past the gateway."""

    token: str
    key: claims.SigningKey
    id: str

    def claim(self) -> str:
        now = time.time()  # noqa: TID251 -- a claim says when it was made
        return claims.mint(self.key, ground.READER, self.id, now, claims.LONGEST_LIFETIME_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stage:
    """What every contender needs."""

    fleet: Fleet
    bearer: _Bearer
    sizes: Sizes
    folder: Path


def measure(fleet: Fleet, sizes: Sizes, say: Callable[[str], None]) -> tuple[list[Row], list[Goal]]:
    """Read and publish, every contender in turns."""
    bearer = _bearer(fleet)
    with ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="fleetmem-bench-")))
        stage = _Stage(fleet=fleet, bearer=bearer, sizes=sizes, folder=folder)
        unfenced = undo.enter_context(ground.unfenced(fleet))
        peer = undo.enter_context(separate.running(fleet, bearer.key, may_install=sizes.peers, say=say))
        read_section, write_section = f"read {sizes.page} beats", "publish a beat, durably"
        read = _compete(read_section, _readers(stage, unfenced, peer), sizes, say)
        write = _compete(write_section, _writers(stage, peer), sizes, say)
    rows = [
        row
        for what, taken in ((read_section, read), (write_section, write))
        for row in _rows(f"{what} ({sizes.clients} clients)", taken)
    ]
    return rows, _goals(read, write)


def measure_messages(fleet: Fleet, sizes: Sizes, say: Callable[[str], None]) -> tuple[list[Row], list[Goal]]:
    """Say something within one team, by every client at once. Messages are numbered in order, so each waits for the one before."""
    section, bearer = "say something in one team", _bearer(fleet)
    asked = [load.post(f"/v1/teams/{scripts.TEAM}/messages", bearer.token, scripts.MESSAGE)]
    sizes = replace(sizes, clients=_SPEAKERS)
    with tempfile.TemporaryDirectory(prefix="fleetmem-bench-") as folder:
        stage = _Stage(fleet=fleet, bearer=bearer, sizes=sizes, folder=Path(folder))
        contenders = [
            _pgbench(YARDSTICK, scripts.SAY, stage),
            _http(GATEWAY, stage, fleet.agents, lambda: asked),
        ]
        taken = _compete(section, contenders, sizes, say)
    return _rows(f"{section} ({sizes.clients} clients)", taken), []


def _compete(what: str, contenders: list[Contender], sizes: Sizes, say: Callable[[str], None]) -> _Taken:
    say(f"{what}: {len(contenders)} contenders, {sizes.rounds} rounds of {sizes.round_s:g} s …")
    for each in contenders if sizes.warm_s else ():
        each.run(sizes.warm_s)
    return in_turns({each.what: _turn(each, sizes.round_s) for each in contenders}, rounds=sizes.rounds)


def _turn(contender: Contender, seconds: float) -> Callable[[], Sample]:
    return lambda: contender.measured(seconds)


def _readers(stage: _Stage, unfenced: Service, peer: separate.Peer | None) -> list[Contender]:
    bearer = stage.bearer
    asked = [load.get(f"/v1/beats?limit={stage.sizes.page}", bearer.token)]
    found = [
        _pgbench(YARDSTICK, scripts.READ, stage),
        _http(GATEWAY, stage, stage.fleet.agents, lambda: asked),
        _http(UNFENCED, stage, unfenced, lambda: asked),
        _pgbench(SEPARATELY, scripts.READ_SEPARATELY, stage),
    ]
    if peer is not None:
        found.append(_http(PEER, stage, peer, lambda: [load.get("/beats", bearer.claim())]))
    return found


def _writers(stage: _Stage, peer: separate.Peer | None) -> list[Contender]:
    bearer = stage.bearer
    asked = _drafts("/v1/beats", bearer.token)
    found = [
        _pgbench(YARDSTICK, scripts.WRITE, stage),
        _http(GATEWAY, stage, stage.fleet.agents, lambda: asked),
        _pgbench(SEPARATELY, scripts.WRITE_SEPARATELY, stage),
    ]
    if peer is not None:
        found.append(_http(PEER, stage, peer, lambda: _drafts("/beats", bearer.claim())))
    return found


def _drafts(path: str, token: str) -> list[bytes]:
    """Every topic once, in an order that keeps two clients from waiting for one topic's lock."""
    topics = Random(42).sample(range(_TOPICS), _TOPICS)  # noqa: S311 -- an order, no secret
    draft = {"body": scripts.BODY, "audience": scripts.AUDIENCE}
    return [load.post(path, token, {**draft, "topic": f"topic {topic}"}) for topic in topics]


def _pgbench(what: str, script: str, stage: _Stage) -> Contender:
    path = stage.folder / f"{len(list(stage.folder.iterdir()))}.sql"
    path.write_text(script, encoding="utf-8")
    pid = ground.postgres_pid(stage.fleet)
    program = Pgbench(program=beside(pid), way=ground.as_login(stage.fleet), script=path, clients=stage.sizes.clients)
    claim = stage.bearer.claim
    before = cpu.seconds(pid)
    program.connect(claim=claim())
    return Contender(
        what=what,
        run=lambda seconds: program.run(seconds, claim=claim()),
        postgres_pid=pid,
        opening_s=cpu.seconds(pid) - before,
    )


def _http(
    what: str, stage: _Stage, service: Service | separate.Peer, requests: Callable[[], Sequence[bytes]]
) -> Contender:
    clients = stage.sizes.clients
    return Contender(
        what=what,
        run=lambda seconds: load.send(service.host, service.port, requests(), clients=clients, seconds=seconds),
        postgres_pid=ground.postgres_pid(stage.fleet),
        service_pid=None if service.process is None else service.process.pid,
    )


def _rows(section: str, taken: _Taken) -> list[Row]:
    yardstick = [sample.per_s for sample in taken[YARDSTICK]]
    return [
        Row(
            section,
            what,
            {
                "a second": _median(samples, "per_s"),
                "of pgbench": ratio([sample.per_s for sample in samples], yardstick),
                "mean ms": _median(samples, "mean_ms"),
                "p50 ms": _median(samples, "p50_ms"),
                "p99 ms": _median(samples, "p99_ms"),
                "service CPU us": _median(samples, "service_us"),
                "Postgres CPU us": _median(samples, "postgres_us"),
            },
        )
        for what, samples in taken.items()
    ]


def _goals(read: _Taken, write: _Taken) -> list[Goal]:
    p50, p99 = _median(read[GATEWAY], "p50_ms"), _median(read[GATEWAY], "p99_ms")
    return [
        _above("1", "fenced read over HTTP, of pgbench", 0.45, _of(read, GATEWAY, YARDSTICK)),
        _above("1", "durable publish over HTTP, of pgbench", 0.35, _of(write, GATEWAY, YARDSTICK)),
        _above("1", "fenced read, times FastAPI with separate statements", 4, _of(read, GATEWAY, PEER)),
        _above("1b", "same gateway, fenced of unfenced", 0.90, _of(read, GATEWAY, UNFENCED)),
        _below("1b", "gateway CPU a read, us", 125, _median(read[GATEWAY], "service_us")),
        _below("1b", "Postgres CPU a read, us", 85, _median(read[GATEWAY], "postgres_us")),
        _below("2", "p99 of a fenced read over its p50", 10, p99 / p50 if p99 and p50 else None),
    ]


def _above(number: str, says: str, bound: float, measured: float | None) -> Goal:
    return Goal(number=number, says=says, bound=bound, at_least=True, measured=measured)


def _below(number: str, says: str, bound: float, measured: float | None) -> Goal:
    return Goal(number=number, says=says, bound=bound, at_least=False, measured=measured)


def _of(taken: _Taken, one: str, other: str) -> float | None:
    if other not in taken:
        return None
    return ratio([sample.per_s for sample in taken[one]], [sample.per_s for sample in taken[other]])


def _median(samples: Sequence[Sample], figure: str) -> float | None:
    found = [value for sample in samples if (value := getattr(sample, figure)) is not None]
    return median(found) if found else None


def _bearer(fleet: Fleet) -> _Bearer:
    home = fleet.settings.home
    with database.owner(fleet.owner) as connection:
        token = tokens.listed(connection, ground.READER)[0]
    key = claims.read_key((home / deployment.KEY_FILES[Rol.AGENT]).read_bytes())
    return _Bearer(token=fleet.token(ground.READER), key=key, id=token.id)
