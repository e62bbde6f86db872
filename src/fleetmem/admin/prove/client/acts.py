"""What single agents try through the client library: each other's records, each verb, and tokens that stand for nobody."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from fleetmem.admin.prove.client.callers import Callers, outcome_of
from fleetmem.admin.prove.stage import Stage
from fleetmem.admin.prove.verdict import Kind, Verdict, Way
from fleetmem.client import FleetClient

ALLOWED: Final = "allowed"
ABSENT: Final = "record.absent"
FORBIDDEN: Final = "action.forbidden"
NOT_WRITABLE: Final = "audience.not_writable"
MOVE_REFUSED: Final = "handoff.transition"
NO_RECIPIENT: Final = "handoff.recipient"
NOBODY: Final = "auth.invalid"


@dataclass(frozen=True, slots=True)
class Scene:
    """What an act has: its caller's client, the stage's names and ids, and any other's client."""

    as_: FleetClient
    stage: Stage
    callers: Callers

    def id(self, record: str) -> str:
        """Return a record's id."""
        return self.stage.records[record]

    def name(self, short: str) -> str:
        """Return a name in the database."""
        return self.stage.name(short)

    def asked(self, sender: str = "zoe", recipient: str = "kit", audience: str = "hall") -> str:
        """Let somebody hand something on now; return its id."""
        sent = self.callers.of(sender).send(self.name(recipient), "please", audience=self.name(audience))
        return str(sent.id)


@dataclass(frozen=True, slots=True)
class Act:
    """One try by one of the cast; `expects` is `allowed`, or the code of the refusal."""

    id: str
    who: str
    says: str
    does: Callable[[Scene], object]
    expects: str
    why: str = ""


_VERBS: Final[tuple[tuple[str, Callable[[FleetClient, str], object]], ...]] = (
    ("accept", lambda as_, id_: as_.accept(id_)),
    ("decline", lambda as_, id_: as_.decline(id_)),
    ("withdraw", lambda as_, id_: as_.withdraw(id_)),
    ("answer done", lambda as_, id_: as_.answer(id_, "done", "so it is")),
    ("answer failed", lambda as_, id_: as_.answer(id_, "failed", "it is not")),
)


def _moves() -> Iterator[Act]:
    """Every verb on a handoff of two others that one sees, of two others that one does not see, and on none."""
    for number, (verb, does) in enumerate(_VERBS, start=1):
        for suffix, record, expects, what in (
            ("s", "h_seen", FORBIDDEN, "a handoff of two others, that it may read"),
            ("h", "h_hidden", ABSENT, "a handoff of two others, that it may not read"),
            ("n", "absent", ABSENT, "a handoff that is not there"),
        ):
            yield Act(
                f"P1{number}{suffix}", "kit", f"{verb}: {what}",
                lambda on, does=does, record=record: does(on.as_, on.id(record)), expects,  # type: ignore[misc]
            )  # fmt: skip


MOVES: Final = (
    *_moves(),
    Act("P20", "kit", "accept what it was asked", lambda on: on.as_.accept(on.asked()), ALLOWED),
    Act("P21", "kit", "decline what it was asked", lambda on: on.as_.decline(on.asked()), ALLOWED),
    Act("P22", "zoe", "withdraw what it asked", lambda on: on.as_.withdraw(on.asked()), ALLOWED),
    Act("P23", "lee", "accept what it was asked, though it reads nothing",
        lambda on: on.as_.accept(on.asked(recipient="lee", audience="board")), ALLOWED),
    Act("P24", "zoe", "accept what it asked itself", lambda on: on.as_.accept(on.asked()), MOVE_REFUSED),
    Act("P25", "zoe", "decline what it asked itself", lambda on: on.as_.decline(on.asked()), MOVE_REFUSED),
    Act("P26", "zoe", "answer what it asked itself", lambda on: on.as_.answer(on.asked(), "done", "x"), MOVE_REFUSED),
    Act("P27", "kit", "withdraw what it was asked", lambda on: on.as_.withdraw(on.asked()), MOVE_REFUSED),
    Act("P28", "kit", "answer before accepting", lambda on: on.as_.answer(on.asked(), "done", "x"), MOVE_REFUSED),
    Act("P29", "kit", "accept what is done", lambda on: on.as_.accept(on.id("h_done")), MOVE_REFUSED),
    Act("P30", "kit", "answer what is done", lambda on: on.as_.answer(on.id("h_done"), "failed", "x"), MOVE_REFUSED),
    Act("P31", "max", "withdraw what was accepted", lambda on: on.as_.withdraw(on.id("h_accepted")), MOVE_REFUSED),
    Act("P32", "kit", "decline what it accepted", lambda on: on.as_.decline(on.id("h_accepted")), MOVE_REFUSED),
)  # fmt: skip

BEATS: Final = (
    Act("P40", "kit", "read another's hidden beat", lambda on: on.as_.beat(on.id("b_hidden")), ABSENT),
    Act("P41", "kit", "read a beat that is not there", lambda on: on.as_.beat(on.id("absent")), ABSENT),
    Act("P42", "zoe", "read its own", lambda on: on.as_.beat(on.id("b_hidden")), ALLOWED),
    Act("P43", "kit", "read another's in an audience that it only writes", lambda on: on.as_.beat(on.id("b_zoe_drop")), ABSENT),
    Act("P44", "kit", "read its own there", lambda on: on.as_.beat(on.id("b_drop")), ALLOWED),
    Act("P45", "kit", "history of another's hidden beat", lambda on: list(on.as_.history(on.id("b_hidden"))), ABSENT),
    Act("P46", "kit", "retract another's beat, that it may read", lambda on: on.as_.retract(on.id("b_zoe")), FORBIDDEN),
    Act("P47", "kit", "retract another's hidden beat", lambda on: on.as_.retract(on.id("b_hidden")), ABSENT),
    Act("P48", "kit", "retract a beat that is not there", lambda on: on.as_.retract(on.id("absent")), ABSENT),
    Act("P49", "kit", "retract its own twice", lambda on: on.as_.retract(on.id("b_ended")), "beat.ended"),
    Act("P50", "kit", "publish where it only reads", lambda on: on.as_.publish("t", "x", audience=on.name("ops")), NOT_WRITABLE),
    Act("P51", "kit", "publish where it does neither", lambda on: on.as_.publish("t", "x", audience=on.name("board")), NOT_WRITABLE),
    Act("P52", "kit", "publish where nobody does", lambda on: on.as_.publish("t", "x", audience=on.name("shut")), NOT_WRITABLE),
    Act("P53", "kit", "publish in an audience that is not there",
        lambda on: on.as_.publish("t", "x", audience=on.name("nowhere")), NOT_WRITABLE),
    Act("P54", "kit", "find a hidden beat by its topic", lambda on: _any(on.as_.beats(topic="the hidden topic", live=False)), "none"),
    Act("P55", "zoe", "find it", lambda on: _any(on.as_.beats(topic="the hidden topic", live=False)), ALLOWED),
    Act("P56", "kit", "find a hidden beat by its author", lambda on: _any(
        beat for beat in on.as_.beats(author=on.name("zoe"), live=False) if str(beat.id) == on.id("b_hidden")), "none"),
    Act("P57", "kit", "find a hidden beat by its audience", lambda on: _any(on.as_.beats(audience=on.name("board"), live=False)),
        "none"),
    Act("P58", "lee", "list beats, though it reads nothing", lambda on: _any(on.as_.beats(live=False)), "none"),
    Act("P59", "lee", "list handoffs: those it was handed", lambda on: sum(1 for _ in on.as_.handoffs()) >= 1 or "none", ALLOWED),
)  # fmt: skip

PEOPLE: Final = (
    Act("P60", "kit", "hand something to itself", lambda on: on.as_.send(on.name("kit"), "x", audience=on.name("hall")), NO_RECIPIENT),
    Act("P61", "kit", "hand something to a deactivated agent",
        lambda on: on.as_.send(on.name("gone"), "x", audience=on.name("hall")), NO_RECIPIENT),
    Act("P62", "kit", "hand something to an operator",
        lambda on: on.as_.send(on.name("chief"), "x", audience=on.name("hall")), NO_RECIPIENT),
    Act("P63", "kit", "hand something to nobody", lambda on: on.as_.send(on.name("noone"), "x", audience=on.name("hall")), NO_RECIPIENT),
    Act("P64", "kit", "hand something on where it does not write",
        lambda on: on.as_.send(on.name("max"), "x", audience=on.name("board")), NOT_WRITABLE),
    Act("P65", "kit", "hand something on", lambda on: on.as_.send(on.name("max"), "x", audience=on.name("hall")), ALLOWED),
    Act("P66", "kit", "ask who it is", lambda on: on.as_.me().name == on.name("kit") or "another", ALLOWED),
    Act("P67", "kit", "find operators and auditors among its colleagues", lambda on: _any(
        each for each in on.as_.me().colleagues if each.name in {on.name("chief"), on.name("sage"), on.name("gone")}), "none"),
    Act("P68", "kit", "find audiences that it has no part in", lambda on: _any(
        each for each in on.as_.me().audiences if each.name in {on.name("board"), on.name("shut")}), "none"),
    Act("P69", "gone", "come in after it was deactivated", lambda on: on.as_.me(), NOBODY),
    Act("P70", "held", "come in while it is suspended", lambda on: on.as_.me(), NOBODY),
    Act("P71", "stale", "come in with a token older than tokens_from", lambda on: on.as_.me(), NOBODY),
    Act("P72", "revoked", "come in with a revoked token", lambda on: on.as_.me(), NOBODY),
    Act("P73", "expired", "come in with a token past its time", lambda on: on.as_.me(), NOBODY),
    Act("P74", "chief", "come to the agents' gateway as an operator", lambda on: on.as_.me(), NOBODY),
    Act("P75", "sage", "come to the agents' gateway as an auditor", lambda on: on.as_.me(), NOBODY),
    Act("P76", "spare", "come in with another good token", lambda on: on.as_.me(), ALLOWED),
)  # fmt: skip

KEYS: Final = (
    Act("P80", "kit", "use zoe's idempotency key: its own first answer", lambda on: _own(on, "z1"), ALLOWED),
    Act("P81", "kit", "use it again for the same: the same answer", lambda on: _own(on, "z1"), ALLOWED),
    Act("P82", "kit", "use it again for something else",
        lambda on: on.as_.publish("keyed", "other", audience=on.name("hall"), idempotency_key="z1"), "idempotency.conflict"),
)  # fmt: skip

ACTS: Final = (*MOVES, *BEATS, *PEOPLE, *KEYS)


def play(callers: Callers, stage: Stage) -> Iterator[Verdict]:
    """Let each of the cast try what it is down for."""
    for act in ACTS:
        got = outcome_of(lambda act=act: act.does(Scene(callers.of(act.who), stage, callers)))  # type: ignore[misc]
        yield Verdict(
            way=Way.CLIENT,
            section="P",
            id=act.id,
            kind=Kind.CONTROL if act.expects == ALLOWED else Kind.REFUSAL,
            who=act.who,
            attempt=act.says,
            expected=act.expects,
            got=got,
            held=got == act.expects,
            why=act.why,
        )


def _any(items: Iterator[object]) -> object:
    return next(items, "none")


def _own(on: Scene, key: str) -> object:
    beat = on.as_.publish("keyed", "mine", audience=on.name("hall"), idempotency_key=key)
    return beat.author == on.name("kit") or "another's answer"
