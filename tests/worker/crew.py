"""A team whose members speak through the gateway's own functions, and a worker that works off what follows from it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import psycopg

from fleetmem.admin import keys, roster_sync, tokens
from fleetmem.admin.postgres import ConnInfo
from fleetmem.config import Settings, child_environment
from fleetmem.fleet import claims
from fleetmem.fleet.agent import Agent, Person, Rol
from fleetmem.fleet.audience import Audience
from fleetmem.fleet.claims import SigningKey
from fleetmem.fleet.roster import Roster
from fleetmem.fleet.team import Team
from fleetmem.worker import serve
from tests.clusters import Cluster

TEAM: Final = "shop"
_READY_S: Final = 30.0
_TOLD: Final = {"worker_stalled_s": 2.0, "log_level": "warning", "recognizer": "fake", "extractor": "rules"}

AGENTS: Final = {
    "backend": (
        "Builds the API and its storage.",
        "You write the API's endpoints, migrations and the contract that others build against.",
        {"open", "code"},
    ),
    "frontend": (
        "Builds the web pages.",
        "You write pages and components in the browser, against the public contract.",
        {"open"},
    ),
    "security": (
        "Watches over secrets and access.",
        "You review what may be seen by whom, secrets, tokens and environment values.",
        {"open", "code"},
    ),
}
ROSTER: Final = Roster(
    audiences=(Audience("open"), Audience("code")),
    agents=tuple(
        Agent(
            name=name,
            description=description,
            instructions=instructions,
            reads=frozenset(reads),
            writes=frozenset(reads),
            workspace=name,
        )
        for name, (description, instructions, reads) in AGENTS.items()
    ),
    operators=(Person("olga"),),
    teams=(
        Team(
            name=TEAM,
            description="Builds the shop.",
            members=tuple(AGENTS),
            audiences=frozenset({"open", "code"}),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Crew:
    """One database, its team, and one data directory for its workers."""

    cluster: Cluster
    database: ConnInfo
    folder: Path
    keys: dict[Rol, SigningKey] = field(repr=False)
    bearers: dict[str, str]
    told: dict[str, Any]

    @property
    def settings(self) -> Settings:
        """What its workers are told."""
        way, password = self.database, self.folder / "password"
        password.write_text(self.cluster.password_of("fleetmem_worker"), encoding="utf-8")
        url = f"postgresql://x@localhost:{way.port}/{way.dbname}?host={way.host}"
        told: dict[str, Any] = _TOLD | self.told
        return Settings(
            home=self.folder / "home",
            workspaces=self.folder / "workspaces",
            service_database_url=url,
            service_password_file=password,
            **told,
        )

    def told_environment(self) -> dict[str, str]:
        """What its workers are told beside where things are, as the environment says it."""
        return {f"FLEETMEM_{name.upper()}": str(value) for name, value in (_TOLD | self.told).items()}

    def rows(self, text: str, *values: object) -> list[tuple[Any, ...]]:
        """Read what there is, past row security."""
        with psycopg.connect(**self.database.psycopg(), autocommit=True) as connection:
            return connection.execute(text, values).fetchall()

    def value(self, text: str, *values: object) -> Any:
        """Read one value."""
        return self.rows(text, *values)[0][0]

    def owner(self, text: str, *values: object) -> None:
        """Change something as the owner of the server, with every trigger in force."""
        with psycopg.connect(**self.database.psycopg(), autocommit=True) as connection:
            connection.execute(text, values)

    def claim(self, name: str) -> str:
        rol = Rol.OPERATOR if name == "olga" else Rol.AGENT
        return claims.mint(self.keys[rol], name, self.bearers[name], time.time())  # noqa: TID251 -- a claim is minted now

    @contextmanager
    def login(self, login: str) -> Iterator[psycopg.Connection[Any]]:
        """Open a connection as one of the product's logins."""
        with psycopg.connect(
            **self.cluster.login(login, self.database.dbname).psycopg(), autocommit=True
        ) as connection:
            yield connection

    def call(self, name: str, *values: object, login: str = "fleetmem_gateway") -> dict[str, Any]:
        """Call one of the functions that a service may call, and return the document it answers with."""
        places = ", ".join(f"${number}" for number, _ in enumerate(values, start=1))
        with self.login(login) as connection, psycopg.RawCursor(connection) as cursor:
            row = cursor.execute(f"select doc from api.{name}({places})", values).fetchone()
        assert row is not None
        doc: dict[str, Any] = json.loads(row[0])
        return doc

    def ask(self, by: str, prompt: str, *, audience: str = "open") -> str:
        return str(self.call("task_open", self.claim(by), None, None, TEAM, prompt, audience, [])["id"])

    def say(self, by: str, body: str, *, task: str | None = None, audience: str = "open") -> str:
        doc = self.call("message_post", self.claim(by), None, None, TEAM, body, audience, "agent", task, None, [])
        return str(doc["id"])

    def start(self, by: str, task: str, instruction: str = "Do it.") -> str:
        return str(self.call("run_open", self.claim(by), None, None, task, None, instruction, None, [])["id"])

    def finish(self, by: str, run: str, output: str = "Done.") -> None:
        self.call("run_settle", self.claim(by), None, None, run, "succeeded", output, None, [])

    def settle(self, by: str, task: str) -> None:
        self.call("task_settle", self.claim(by), None, None, task, "done")

    def talk(self, said: Sequence[tuple[str, str]], *, prompt: str = "How do we ship?", audience: str = "open") -> str:
        """Let a task be asked, worked on and settled; each of `said` is an agent, and what it says as it runs."""
        task = self.ask(said[0][0], prompt, audience=audience)
        for agent, body in said:
            run = self.start(agent, task)
            self.say(agent, body, task=task, audience=audience)
            self.finish(agent, run)
        self.settle(said[0][0], task)
        return task

    def approve(self, note: object) -> None:
        """Let the operator sign and approve a note, as the console does."""
        self._decide(
            "insert into fleet.note_review (note, revision, decision) select id, revision, 'approve' from fleet.note where id = $1",
            "update fleet.note set status = 'approved' where id = $1",
            note,
        )

    def revoke(self, note: object) -> None:
        """Let the operator take an approved note back."""
        self._decide("update fleet.note set status = 'revoked' where id = $1", note)

    def reject(self, note: object) -> None:
        """Let the operator turn a candidate down."""
        self._decide(
            "insert into fleet.note_review (note, revision, decision) select id, revision, 'reject' from fleet.note where id = $1",
            "update fleet.note set status = 'rejected' where id = $1",
            note,
        )

    def reset(self, segment: object) -> None:
        """Let the operator send a segment through the pipeline again."""
        self.call("console_segment_reset", self.claim("olga"), None, None, segment, login="fleetmem_console")

    def _decide(self, *acts: object) -> None:
        *texts, note = acts
        with self.login("fleetmem_console") as connection, connection.transaction():
            connection.execute("select fence.enter(%s, 'operator', true)", [self.claim("olga")])
            for text in texts:
                assert psycopg.RawCursor(connection).execute(str(text), [note]).rowcount == 1

    def jobs(self) -> list[tuple[str, str, dict[str, str]]]:
        """Every job there is: its kind, how it stands, and its ids."""
        return self.rows("select task_name, status::text, args from queue.procrastinate_jobs order by id")

    def drain(self) -> None:
        """Work off what can be begun now and what follows from it, in this process."""
        serve.run(self.settings, drain=True)

    def spawn(self, *arguments: str, **extra: Any) -> "subprocess.Popen[bytes]":
        """Start a worker as a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", *(arguments or ("fleetmem.worker",))],
            env=child_environment(self.settings) | {"PYTHONPATH": str(Path.cwd())},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **extra,
        )

    @contextmanager
    def working(self, count: int = 1) -> Iterator[list["subprocess.Popen[bytes]"]]:
        """Keep workers running until the block ends."""
        # One that was killed is forgotten meanwhile, so only those that came since are counted.
        last = self.value("select coalesce(max(id), 0) from queue.procrastinate_workers")
        come = "select count(*) >= %s from queue.procrastinate_workers where id > %s"
        workers = [self.spawn() for _ in range(count)]
        try:
            self.until(lambda: self.value(come, count, last))
            yield workers
        finally:
            for worker in workers:
                if worker.poll() is None:
                    worker.send_signal(signal.SIGTERM)
            for worker in workers:
                worker.communicate(timeout=_READY_S)

    def until(self, holds: Any, *, within_s: float = _READY_S) -> float:
        """Wait until something holds, and return how long that took in seconds."""
        started = time.monotonic()
        while not holds():
            assert time.monotonic() - started < within_s, f"not so within {within_s:g} s"
            time.sleep(0.01)
        return time.monotonic() - started

    def file(self, agent: str, path: str) -> str | None:
        """What a file of an agent's workspace holds; None where there is none."""
        found = self.folder / "workspaces" / agent / path
        return found.read_text(encoding="utf-8") if found.exists() else None

    def everything(self, agent: str) -> str:
        """Every byte below an agent's workspace that a runtime could read, as text."""
        root = self.folder / "workspaces" / agent
        return "\n".join(
            path.read_text(encoding="utf-8", errors="replace")
            for path in sorted(root.rglob("*"))
            if path.is_file() and ".git" not in path.parts
        )


def make(cluster: Cluster, database: ConnInfo, folder: Path, **told: Any) -> Crew:
    with psycopg.connect(**database.psycopg(), autocommit=True) as owner:
        roster_sync.sync(owner, ROSTER)
        signing = {rol: keys.register(owner, rol) for rol in (Rol.AGENT, Rol.OPERATOR)}
        bearers = {name: tokens.issue(owner, name)[0] for name in (*AGENTS, "olga")}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "home").mkdir(exist_ok=True)
    return Crew(cluster, database, folder, signing, bearers, told)


def uuid(text: object) -> UUID:
    return UUID(str(text))


def kill(worker: "subprocess.Popen[bytes]") -> None:
    os.kill(worker.pid, signal.SIGKILL)
    worker.communicate()
