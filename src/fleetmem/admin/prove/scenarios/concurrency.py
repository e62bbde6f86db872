"""Two hands at once: one handoff, one topic, two locks."""

import threading
from collections.abc import Callable
from typing import Final

import psycopg

from fleetmem.admin.prove.case import AGENT, GATEWAY, Who
from fleetmem.admin.prove.scenarios.scenario import Scenario, World, first_that_is_not
from fleetmem.admin.prove.setting import Connection

_MOVE: Final = "select status from api.handoff_move(%s, null, null, %s, %s, 'so it is')"
_SEND: Final = "select doc::json ->> 'id' from api.handoff_send(%s, null, null, %s, 'a race', %s, null, '{{}}')"
_PATIENCE_S: Final = 10


def _handed_on(world: World) -> str:
    """Make a handoff from zoe to kit for one race."""
    stage = world.stage
    values = [stage.claim("zoe"), stage.name("kit"), stage.name("hall")]
    return str(world.asks(world.gateway, _SEND.replace("{{}}", "{}"), *values))


def _against(first: tuple[str, str], second: tuple[str, str], *, wins: bool) -> Callable[[World], str | None]:
    """Play: one mover holds its move uncommitted, another tries its own; then the first commits, or gives up."""

    def plays(world: World) -> str | None:
        record = _handed_on(world)
        with world.another() as one, world.another() as other:
            one.execute("begin")
            one.execute(_MOVE.encode(), [world.stage.claim(first[0]), record, first[1]])
            heard: list[str | None] = []
            waiting = threading.Thread(target=lambda: heard.append(_moved(world, other, second, record)), daemon=True)
            waiting.start()
            waiting.join(0.3)
            was_waiting = waiting.is_alive()
            one.execute("commit" if not wins else "rollback")
            waiting.join(_PATIENCE_S)
        got = heard[0] if heard else "still waiting"
        return first_that_is_not(
            {
                "the second mover did not wait for the first": was_waiting,
                f"the second mover heard {got}": got == (None if wins else "23514"),
            }
        )

    return plays


def _moved(world: World, session: Connection, mover: tuple[str, str], record: str) -> str | None:
    try:
        session.execute(_MOVE.encode(), [world.stage.claim(mover[0]), record, mover[1]])
    except psycopg.Error as error:
        return error.sqlstate
    return None


def _deadlock(world: World) -> str | None:
    """Each takes one handoff and then the other's, in opposite order: Postgres ends one of them, and only one."""
    records = [_handed_on(world), _handed_on(world)]
    heard: list[str | None] = []
    with world.another() as one, world.another() as other:
        for session, record in ((one, records[0]), (other, records[1])):
            session.execute("begin")
            session.execute(_MOVE.encode(), [world.stage.claim("kit"), record, "accepted"])
            session.execute("set local role none")
        waiting = threading.Thread(
            target=lambda: heard.append(_moved(world, one, ("kit", "accepted"), records[1])), daemon=True
        )
        waiting.start()
        heard.append(_moved(world, other, ("kit", "accepted"), records[0]))
        for session in (other, one):
            session.execute("rollback")
        waiting.join(_PATIENCE_S)
    ended = [
        state for state in heard if state in {"40P01", "55P03"}
    ]  # found as a deadlock, or after the patience of a lock
    return None if len(ended) == 1 else f"heard {heard}"


def _one_live_topic(world: World) -> str | None:
    """Two sessions of one author publish one topic at once; the second waits, and exactly one beat stays live."""
    publish = "select status from api.beat_publish(%s, null, null, 'one topic', 'x', %s, null)"
    with world.another() as one, world.another() as other:
        one.execute("begin")
        one.execute(publish.encode(), [world.stage.claim("kit"), world.stage.name("hall")])
        waiting = threading.Thread(
            target=lambda: other.execute(publish.encode(), [world.stage.claim("kit"), world.stage.name("hall")]),
            daemon=True,
        )
        waiting.start()
        waiting.join(0.3)
        was_waiting = waiting.is_alive()
        one.execute("commit")
        waiting.join(_PATIENCE_S)
    with world.standing(world.gateway, Who(GATEWAY, AGENT, "kit")):
        kept = world.gateway.execute(
            "select count(*) filter (where ended_at is null), count(*) from fleet.beat where topic_key = 'one topic'"
        ).fetchone()
    return first_that_is_not(
        {"the second publisher did not wait": was_waiting, f"{kept} live and in all": kept == (1, 2)}
    )


SCENARIOS: Final = (
    Scenario(
        id="X21", who="gateway, two sessions", plays=_against(("kit", "accepted"), ("zoe", "withdrawn"), wins=False),
        attempt="the sender withdraws while the recipient's acceptance is not committed yet",
        expected="it waits, then 23514", why="of two moves one wins, and the other meets its status",
    ),
    Scenario(
        id="X21c", who="gateway, two sessions", plays=_against(("kit", "accepted"), ("zoe", "withdrawn"), wins=True),
        attempt="the same, and the recipient gives up", expected="it waits, then withdraws",
        why="control of X21: it was the other's move that refused it",
    ),
    Scenario(
        id="X21a", who="gateway, two sessions", plays=_against(("kit", "accepted"), ("kit", "accepted"), wins=False),
        attempt="the recipient accepts twice at once", expected="one acceptance, one 23514", why="compare and set",
    ),
    Scenario(
        id="X22", who="gateway, two sessions", plays=_one_live_topic,
        attempt="one author publishes one topic twice at once", expected="the second waits; one live, one superseded",
        why="one live beat an author and topic",
    ),
    Scenario(
        id="X42", who="gateway, two sessions", plays=_deadlock,
        attempt="two sessions take each other's handoff in opposite order", expected="one 40P01, and only one",
        why="a deadlock ends by itself, and nothing of the loser stays",
    ),
)  # fmt: skip
