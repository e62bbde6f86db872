"""The judge of the faults, judged: what it would say if a promise had been broken."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
import pytest

from fleetmem_gateway import app
from tests.clusters import Cluster
from tests.databases import Databases
from tests.faults.load import Notes, Write, text_of
from tests.faults.verdict import judge
from tests.http.fleet import Fleet, Voice, make_fleet, running

TAMPERING = {
    "an acknowledged beat is lost": "delete from fleet.beat where id = %(beat)s",
    "a beat is there twice": """
        insert into fleet.beat select gen_random_uuid(), author, topic || '!', topic_key || '!', body, audience, created_at,
               expires_at, ended_at, ended_as from fleet.beat where id = %(beat)s""",
    "a text is cut short": "update fleet.beat set body = left(body, 100) where id = %(beat)s",
    "a beat is another agent's": "update fleet.beat set author = 'finance' where id = %(beat)s",
    "a beat is for another audience": "update fleet.beat set audience = 'finance' where id = %(beat)s",
    "an answer is forgotten": "delete from fleet.idempotency where answer::json ->> 'id' = %(beat)s",
    "a topic has no live beat": "update fleet.beat set ended_at = now(), ended_as = 'superseded' where id = %(beat)s",
    "a handoff is lost": "delete from fleet.handoff where id = %(handoff)s",
    "a handoff went to somebody else": "update fleet.handoff set recipient = 'health' where id = %(handoff)s",
    "a move left no history": "delete from fleet.handoff_transition where handoff = %(handoff)s and to_status = 'done'",
    "a promised move did not happen": "update fleet.handoff set status = 'accepted' where id = %(handoff)s",
    "nobody asked for it": """
        insert into fleet.beat select gen_random_uuid(), author, 'x', 'x', 'x', audience, created_at, expires_at
          from fleet.beat where id = %(beat)s""",
}


@dataclass(frozen=True, slots=True)
class Kept:
    """A few kept promises, as a storm would have left them."""

    owner: psycopg.Connection[Any]
    notes: Notes
    records: dict[str, str]


@pytest.fixture(scope="module")
async def kept(
    postgres_cluster: Cluster, databases: Databases, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Kept]:
    fleet = make_fleet(postgres_cluster, databases.fresh(postgres_cluster), tmp_path_factory.mktemp("home"))
    async with running(app.agents(fleet.settings)) as client:
        notes, records = await _promises(fleet, client)
    with psycopg.connect(**fleet.database.psycopg()) as owner:
        # As nothing but a broken server could: past every trigger.
        for table in ("beat", "handoff", "handoff_transition", "idempotency"):
            owner.execute(f"alter table fleet.{table} disable trigger all")
        owner.commit()
        yield Kept(owner, notes, records)


async def _promises(fleet: Fleet, client: Any) -> tuple[Notes, dict[str, str]]:
    facilities, finance = (Voice(client, fleet.tokens[name]) for name in ("facilities", "finance"))
    notes, name = Notes(), "facilities"
    text = text_of(name, "open", 1)
    beat = (await facilities.post("/v1/beats", {"topic": "one", "body": text, "audience": "open"}, key="b")).json()
    notes.beats[text] = Write(name, "b", text, "open", id=UUID(beat["id"]))
    asked = {"recipient": "finance", "request": text, "audience": "open"}
    handoff = (await facilities.post("/v1/handoffs", asked, key="h")).json()["id"]
    notes.handoffs[text] = Write(name, "h", text, "open", to="finance", id=UUID(handoff))
    await finance.post(f"/v1/handoffs/{handoff}/accept", {}, key=f"a-{handoff}")
    done = {"outcome": "done", "reply": "It is done."}
    await finance.post(f"/v1/handoffs/{handoff}/answer", done, key=f"d-{handoff}")
    for status in ("accepted", "done"):
        notes.moves[UUID(handoff), status] = "finance"
    return notes, {"beat": beat["id"], "handoff": handoff}


def test_kept_promises_are_found_kept(kept: Kept) -> None:
    verdict = judge(kept.owner, kept.notes)
    assert verdict.wrong == ()
    assert (verdict.asked, verdict.acknowledged, verdict.present) == (4, 4, 4)


@pytest.mark.parametrize("tampering", TAMPERING)
def test_a_broken_promise_is_found_broken(kept: Kept, tampering: str) -> None:
    touched = kept.owner.execute(TAMPERING[tampering], kept.records).rowcount
    wrong = judge(kept.owner, kept.notes).wrong
    kept.owner.rollback()
    assert touched == 1
    assert wrong
