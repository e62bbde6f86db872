"""The allow / deny tables: every kind of reader, every audience, every verb, as the roster has them.

For each audience a keeper of it publishes a beat and sends a handoff to another keeper; then every reader tries every
verb on them. What must come of it follows from the reader's own reads and writes, and from nothing else.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from fleetmem.admin.prove.cast import Player
from fleetmem.admin.prove.client.callers import Callers, outcome_of
from fleetmem.admin.prove.shapes import Like, Shape
from fleetmem.admin.prove.stage import Stage
from fleetmem.admin.prove.verdict import Kind, Verdict, Way
from fleetmem.client import FleetClient
from fleetmem.errors import FleetmemError

ALLOWED: Final = "allowed"
ABSENT: Final = "record.absent"
FORBIDDEN: Final = "action.forbidden"
NOT_WRITABLE: Final = "audience.not_writable"
EMPTY: Final = "nothing listed"

SECTION: Final = "R"


@dataclass(frozen=True, slots=True)
class Kept:
    """What a keeper put into its audience: the ids of a beat and of a handoff to another keeper."""

    audience: str
    beat: str
    handoff: str
    another_keeper: str


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing a reader tries: its name in the tables, the try, and what comes of it with and without the reach."""

    name: str
    tries: Callable[[FleetClient, Kept], object]
    needs: str  # "reads" or "writes"
    granted: str
    denied: str


def _listed(items: Iterator[object]) -> object:
    """Say whether a list that is narrowed to one audience holds anything."""
    return next(items, EMPTY)


def _seen(as_: FleetClient, kept: Kept) -> object:
    return next((handoff for handoff in as_.handoffs() if handoff.audience == kept.audience), EMPTY)


VERBS: Final = (
    Verb("read a beat", lambda as_, kept: as_.beat(kept.beat), "reads", ALLOWED, ABSENT),
    Verb("list beats", lambda as_, kept: _listed(as_.beats(audience=kept.audience)), "reads", ALLOWED, EMPTY),
    Verb("read a history", lambda as_, kept: _listed(as_.history(kept.beat)), "reads", ALLOWED, ABSENT),
    Verb("retract another's beat", lambda as_, kept: as_.retract(kept.beat), "reads", FORBIDDEN, ABSENT),
    Verb("read a handoff", lambda as_, kept: as_.handoff(kept.handoff), "reads", ALLOWED, ABSENT),
    Verb("list handoffs", _seen, "reads", ALLOWED, EMPTY),
    Verb("accept another's handoff", lambda as_, kept: as_.accept(kept.handoff), "reads", FORBIDDEN, ABSENT),
    Verb("decline another's handoff", lambda as_, kept: as_.decline(kept.handoff), "reads", FORBIDDEN, ABSENT),
    Verb("answer another's handoff", lambda as_, kept: as_.answer(kept.handoff, "done", "x"), "reads", FORBIDDEN, ABSENT),
    Verb("withdraw another's handoff", lambda as_, kept: as_.withdraw(kept.handoff), "reads", FORBIDDEN, ABSENT),
    Verb(
        "publish a beat",
        lambda as_, kept: as_.publish(f"mine in {kept.audience}", "x", audience=kept.audience),
        "writes", ALLOWED, NOT_WRITABLE,
    ),
    Verb(
        "send a handoff",
        lambda as_, kept: as_.send(kept.another_keeper, "please", audience=kept.audience),
        "writes", ALLOWED, NOT_WRITABLE,
    ),
)  # fmt: skip


def play(callers: Callers, stage: Stage, shape: Shape) -> Iterator[Verdict]:
    """Fill every audience, then let every reader try every verb on each."""
    filled: dict[str, Kept] = {}
    for like in shape.audiences:
        try:
            filled[like.name] = _keep(callers, stage, shape, like)
            refusal = ALLOWED
        except FleetmemError as error:
            refusal = error.code
        yield _verdict(f"R0:{like.of}", "its keeper", f"fill an audience like {like.of}", ALLOWED, refusal)
    for verb in VERBS:
        for reader in shape.readers:
            for audience in shape.audiences:
                if audience.name in filled:
                    yield _tried(callers, shape.player(reader.name), reader, audience, verb, filled[audience.name])


def _keep(callers: Callers, stage: Stage, shape: Shape, audience: Like) -> Kept:
    keepers = [shape.keeper(like.name) for like in shape.audiences]
    mine = shape.keeper(audience.name)
    another = stage.name(next((keeper for keeper in keepers if keeper != mine), "lee"))
    name = stage.name(audience.name)
    as_ = callers.of(mine)
    beat = as_.publish("what is kept", "only for those who read it", audience=name)
    return Kept(name, str(beat.id), str(as_.send(another, "a request between keepers", audience=name).id), another)


def _tried(  # noqa: PLR0917 -- one cell of a table of five dimensions
    callers: Callers, player: Player, reader: Like, audience: Like, verb: Verb, kept: Kept
) -> Verdict:
    may = audience.name in (player.reads if verb.needs == "reads" else player.writes)
    expected = verb.granted if may else verb.denied
    got = outcome_of(lambda: verb.tries(callers.of(reader.name), kept))
    return _verdict(
        f"R:{verb.name}:{reader.of}:{audience.of}",
        f"an agent like {reader.of}",
        f"{verb.name} of an audience like {audience.of}",
        expected,
        got,
        why=f"the audience is {'' if may else 'not '}in what it {verb.needs}",
    )


def _verdict(  # noqa: PLR0917 -- fields of a verdict
    case_id: str, who: str, attempt: str, expected: str, got: str, why: str = ""
) -> Verdict:
    return Verdict(
        way=Way.CLIENT,
        section=SECTION,
        id=case_id,
        kind=Kind.CONTROL if expected == ALLOWED else Kind.REFUSAL,
        who=who,
        attempt=attempt,
        expected=expected,
        got=got,
        held=got == expected,
        why=why,
    )
