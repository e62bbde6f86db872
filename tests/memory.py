"""Rows of the memory half for tests: what agents said is laid down by a superuser, what the worker does is done as the worker."""

import json
import secrets
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from fleetmem.admin.postgres import ConnInfo
from tests.clusters import Cluster

_Connection = psycopg.Connection[Any]


@dataclass(frozen=True, slots=True)
class Told:
    """A closed segment and what it was made of."""

    team: str
    segment: str
    task: str
    messages: tuple[str, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """One database's memory half."""

    cluster: Cluster
    database: ConnInfo

    @contextmanager
    def past(self) -> Iterator[_Connection]:
        """Open a superuser's connection whose rows no trigger stamps: what has long been said."""
        with psycopg.connect(**self.database.psycopg(), autocommit=True) as connection:
            connection.execute("set session_replication_role = replica")
            yield connection

    @contextmanager
    def worker(self) -> Iterator[_Connection]:
        """Open a connection with the worker's own login and rights."""
        way = self.cluster.login("fleetmem_worker", self.database.dbname)
        with psycopg.connect(**way.psycopg(), autocommit=True) as connection:
            yield connection

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Read what there is, past row security: for looking only."""
        with psycopg.connect(**self.database.psycopg(), autocommit=True) as connection:
            return connection.execute(statement, values).fetchall()

    def team(self, name: str, members: Sequence[str], audiences: Sequence[str], *, two_person: bool = False) -> None:
        """Found a team."""
        with self.past() as past:
            past.execute(
                "insert into fleet.team (name, audiences, two_person) values (%s, %s, %s)",
                [name, list(audiences), two_person],
            )
            for position, member in enumerate(members):
                past.execute(
                    "insert into fleet.team_member (team, agent, position) values (%s, %s, %s)",
                    [name, member, position],
                )

    def told(self, team: str, said: Sequence[tuple[str, str]], *, audience: str = "open") -> Told:
        """Lay down a settled task with one settled run and one message for each (agent, text), as a closed segment."""
        task, segment = str(uuid.uuid4()), str(uuid.uuid4())
        messages, runs = [], []
        with self.past() as past:
            row = past.execute(
                "select coalesce(max(ordinal), 0), coalesce(max(to_seq), 0) from fleet.segment where team = %s", [team]
            ).fetchone()
            assert row is not None
            ordinal, start = row[0] + 1, row[1]
            past.execute(
                "insert into fleet.task (id, team, opened_by, prompt, audience, status, opened_seq, created_at, settled_at)"
                " values (%s, %s, %s, 'What holds?', %s, 'done', %s, clock_timestamp(), clock_timestamp())",
                [task, team, said[0][0], audience, start],
            )
            past.execute(
                "insert into fleet.segment (id, team, ordinal, status, boundary, from_seq, to_seq, opened_at, active_at, closed_at)"
                " values (%s, %s, %s, 'closed', 'idle', %s, %s, clock_timestamp(), clock_timestamp(), clock_timestamp())",
                [segment, team, ordinal, start, start + len(said)],
            )
            past.execute("insert into fleet.segment_task (segment, task) values (%s, %s)", [segment, task])
            for place, (agent, text) in enumerate(said, start=1):
                run, message = str(uuid.uuid4()), str(uuid.uuid4())
                past.execute(
                    "insert into fleet.run (id, task, team, agent, audience, attempt, node, instruction, status, output, started_at,"
                    " settled_at) values (%s, %s, %s, %s, %s, 1, %s, 'Answer.', 'succeeded', %s, clock_timestamp(), clock_timestamp())",
                    [run, task, team, agent, audience, f"n{place}", f"Done: {text}"],
                )
                past.execute("insert into fleet.segment_run (run, segment) values (%s, %s)", [run, segment])
                past.execute(
                    "insert into fleet.message (id, team, seq, task, run, author, speaker, body, audience, created_at)"
                    " values (%s, %s, %s, %s, %s, %s, 'agent', %s, %s, clock_timestamp())",
                    [message, team, start + place, task, run, agent, text, audience],
                )
                messages.append(message)
                runs.append(run)
        return Told(team, segment, task, tuple(messages), tuple(runs))

    def propose(
        self,
        told: Told,
        *,
        recipients: Sequence[str] = (),
        denials: Mapping[str, str] | None = None,
        preview: bool = True,
        **fields: Any,
    ) -> str:
        """Propose a note from a segment, as the worker does, and preview it."""
        row = {
            "segment": told.segment,
            "ordinal": 1,
            "severity": "normal",
            "content": "The frontend needs the public API contract alone.",
            "description": "What the frontend may see of the backend.",
            "skill_key": "api-contract",
            "reasons": ["review_first"],
            "policy_version": "test",
            "extractor": "rules",
        } | fields
        names = ", ".join(row)
        with self.worker() as worker, worker.transaction():
            made = worker.execute(
                f"insert into fleet.note ({names}) values ({', '.join(['%s'] * len(row))}) returning id",
                list(row.values()),
            ).fetchone()
            assert made is not None
            note = str(made[0])
            worker.execute(
                "insert into fleet.note_citation (note, ordinal, message) values (%s, 1, %s)", [note, told.messages[0]]
            )
            worker.execute(
                "insert into fleet.note_citation (note, ordinal, run) values (%s, 2, %s)", [note, told.runs[-1]]
            )
            for agent in recipients:
                worker.execute(
                    "insert into fleet.note_recipient (note, agent, score, match, skill, new_skill, nonce)"
                    " values (%s, %s, 0.91, 'match', %s, true, %s)",
                    [note, agent, row["skill_key"], secrets.token_hex(16)],
                )
            for agent, reason in (denials or {}).items():
                worker.execute(
                    "insert into fleet.note_denial (note, agent, reason, score) values (%s, %s, %s, 0.12)",
                    [note, agent, reason],
                )
        if preview:
            self.preview(note)
        return note

    def preview(self, note: str, *, refused: Mapping[str, str] | None = None) -> None:
        """Say what would be written for each recipient of the note's current revision; `refused` says for whom it would not."""
        with self.worker() as worker:
            found = worker.execute(
                "select r.agent, n.revision, n.content from fleet.note n join fleet.note_recipient r on r.note = n.id and r.active"
                " where n.id = %s",
                [note],
            ).fetchall()
            for agent, revision, content in found:
                why = (refused or {}).get(agent)
                given = (
                    [None, None, why]
                    if why
                    else [".agents/skills/api-contract/SKILL.md", f"---\n---\n{content}\n", None]
                )
                worker.execute(
                    "insert into fleet.landing_preview (note, revision, agent, path, after, refused) values (%s, %s, %s, %s, %s, %s)"
                    " on conflict (note, revision, agent) do update"
                    " set path = excluded.path, after = excluded.after, refused = excluded.refused",
                    [note, revision, agent, *given],
                )

    def land(self, note: str) -> None:
        """Write every file that is asked for, as far as the database knows."""
        with self.worker() as worker:
            worker.execute(
                "update fleet.landing set status = 'landed', path = 'AGENTS.md', sha256 = %s where note = %s and status = 'pending'",
                ["0" * 64, note],
            )

    def remove(self, note: str) -> None:
        """Take every file away that is to go, as far as the database knows."""
        with self.worker() as worker:
            worker.execute(
                "update fleet.landing set status = 'removed' where note = %s and status = 'removing'", [note]
            )

    def flush(self, told: Told) -> None:
        """Mark a segment as distilled."""
        with self.worker() as worker:
            worker.execute(
                "update fleet.segment set status = 'flushed', outcome = 'notes' where id = %s", [told.segment]
            )

    def ledger(self) -> list[dict[str, Any]]:
        """Read the whole ledger in order, with its `detail` as the text that is hashed and its hashes in hexadecimal."""
        found = self.rows(
            "select json_build_object('seq', seq, 'at', at, 'event', event, 'note', note, 'agent', agent, 'actor', actor,"
            " 'reason', reason, 'detail', detail::text, 'prev', encode(prev, 'hex'), 'hash', encode(hash, 'hex'))::text"
            " from fleet.ledger order by seq"
        )
        return [json.loads(text) for (text,) in found]
