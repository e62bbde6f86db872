"""What the cast publishes and hands over before the attempts begin: through the product's own functions, as each author."""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Final

import psycopg

from fleetmem.admin.prove.stage import Stage
from fleetmem.admin.prove.verdict import Kind, Verdict, Way

Connection = psycopg.Connection[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class BeatWritten:
    """A beat of the stage: the placeholder of its id, who published it, what, for whom, and whether it was retracted."""

    id: str
    author: str
    topic: str
    body: str
    audience: str
    key: str | None = None
    is_retracted: bool = False


@dataclass(frozen=True, slots=True)
class HandoffWritten:
    """A handoff of the stage: the placeholder of its id, from whom to whom, for whom, and the recipient's moves."""

    id: str
    sender: str
    recipient: str
    audience: str
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MessageWritten:
    """A message of the stage: the placeholder of its id, who says it, in which team, for whom."""

    id: str
    author: str
    team: str
    audience: str


MESSAGES: Final = (
    MessageWritten("w_kit", "kit", "desk", "hall"),
    MessageWritten("w_hidden", "zoe", "desk", "board"),
    MessageWritten("w_away", "zoe", "away", "hall"),
)
BEATS: Final = (
    BeatWritten("b_kit", "kit", "weather", "kit in the hall", "hall", key="k1"),
    BeatWritten("b_drop", "kit", "dropped", "kit in the drop", "drop"),
    BeatWritten("b_ended", "kit", "retracted", "kit took it back", "hall", is_retracted=True),
    BeatWritten("b_zoe", "zoe", "tides", "zoe in the hall", "hall", key="z1"),
    BeatWritten("b_ops", "zoe", "pager", "zoe to ops", "ops"),
    BeatWritten("b_zoe_drop", "zoe", "other drop", "zoe in the drop", "drop"),
    BeatWritten("b_hidden", "zoe", "the hidden topic", "board secret 12345", "board"),
)
HANDOFFS: Final = (
    HandoffWritten("h_in", "zoe", "kit", "board"),
    HandoffWritten("h_out", "kit", "max", "hall"),
    HandoffWritten("h_seen", "zoe", "max", "ops"),
    HandoffWritten("h_hidden", "zoe", "max", "board"),
    HandoffWritten("h_lee", "zoe", "lee", "board"),
    HandoffWritten("h_accepted", "max", "kit", "hall", ("accepted",)),
    HandoffWritten("h_done", "zoe", "kit", "hall", ("accepted", "done")),
)
Written = BeatWritten | HandoffWritten | MessageWritten
_ABSENT: Final = "01890000-0000-7000-8000-000000000000"
# What kit may see of them: its own, those in what it reads, and handoffs it is a party of.
SEEN_BY_KIT: Final = {"beat": 5, "handoff": 5, "transition": 8}


def write(gateway: Connection, stage: Stage) -> tuple[Stage, list[Verdict]]:
    """Write every record, over the gateway's login and under each author's claim.

    Returns the stage that knows their ids, and a control for each: what agents may do has to work. One that does not is
    told, and stands as a record that is not there, so that the rest can still be tried.
    """
    made: dict[str, str] = {"absent": _ABSENT}
    verdicts = []
    for record in (*BEATS, *HANDOFFS, *MESSAGES):
        try:
            made[record.id] = _made(gateway, stage, record)
            refusal = None
        except psycopg.Error as error:
            made[record.id] = _ABSENT
            refusal = error.sqlstate or type(error).__name__
        verdicts.append(_verdict(record, refusal))
    return replace(stage, records=made), verdicts


def _made(gateway: Connection, stage: Stage, record: Written) -> str:
    match record:
        case BeatWritten():
            return _publish(gateway, stage, record)
        case HandoffWritten():
            return _send(gateway, stage, record)
        case MessageWritten():
            return _post(gateway, stage, record)


def _verdict(record: Written, refusal: str | None) -> Verdict:
    if isinstance(record, BeatWritten):
        who, does = record.author, f"publish {record.id} in <{record.audience}>"
    elif isinstance(record, MessageWritten):
        who, does = record.author, f"say {record.id} in <{record.team}> for <{record.audience}>"
    else:
        who, does = record.sender, f"hand {record.id} on to <{record.recipient}> in <{record.audience}>"
    return Verdict(
        way=Way.DATABASE,
        section="S",
        id=f"S:{record.id}",
        kind=Kind.CONTROL,
        who=f"gateway, claim of {who}",
        attempt=does,
        expected="allowed",
        got=refusal or "allowed",
        held=refusal is None,
        why="what the rest aims at",
    )


def _publish(gateway: Connection, stage: Stage, beat: BeatWritten) -> str:
    record = _written(
        gateway,
        "select doc from api.beat_publish(%s, %s, %s, %s, %s, %s, null)",
        [stage.claim(beat.author), beat.key, digest(beat.id), beat.topic, beat.body, stage.name(beat.audience)],
    )
    if beat.is_retracted:
        claim = stage.claim(beat.author)
        _written(gateway, "select doc from api.beat_retract(%s, null, null, %s)", [claim, record])
    return record


def _send(gateway: Connection, stage: Stage, handoff: HandoffWritten) -> str:
    record = _written(
        gateway,
        "select doc from api.handoff_send(%s, null, null, %s, %s, %s, clock_timestamp() + interval '1 hour', '{}')",
        [
            stage.claim(handoff.sender),
            stage.name(handoff.recipient),
            f"please, {handoff.recipient}",
            stage.name(handoff.audience),
        ],
    )
    for move in handoff.moves:
        claim = stage.claim(handoff.recipient)
        _written(gateway, "select doc from api.handoff_move(%s, null, null, %s, %s, 'so it is')", [claim, record, move])
    return record


def _post(gateway: Connection, stage: Stage, message: MessageWritten) -> str:
    return _written(
        gateway,
        "select doc from api.message_post(%s, null, null, %s, %s, %s, 'agent', null, null, '{}')",
        [
            stage.claim(message.author),
            stage.name(message.team),
            f"said in the {message.team}: {message.id}",
            stage.name(message.audience),
        ],
    )


def digest(text: str) -> bytes:
    """Return what stands for a request where an idempotency key is used."""
    return hashlib.sha256(text.encode()).digest()


def _written(gateway: Connection, statement: str, values: list[object]) -> str:
    row = gateway.execute(statement.encode(), values).fetchone()
    return str(json.loads(str(row[0]))["id"]) if row else _ABSENT
