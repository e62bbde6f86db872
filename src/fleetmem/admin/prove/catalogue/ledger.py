"""L. The ledger: nobody writes it but the database, in the transaction of the act, with its own reasons and names."""

from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.case import Case, Control, Group, Refused, Rows, Value, answers, blind, refused
from fleetmem.admin.prove.catalogue.notes import AGENT_ON_CONSOLE, CLAIMLESS, signed_and_approved
from fleetmem.admin.prove.catalogue.people import (
    BACKER,
    BARE,
    CHIEF,
    HERE,
    KIT,
    OWNER,
    READER,
    SAGE,
    SCRIBE,
    VERIFIER,
    WORKS,
)

_ROW: Final = (
    "insert into fleet.ledger (seq, at, event, actor, detail, prev, hash)"
    " values (9223372036854775807, now(), 'proposed', 'x', '{}', sha256('x'), sha256('x'))"
)
_STORY: Final = "from fleet.ledger where note = <{note}> and event = '{event}' order by seq desc limit 1"
_TELL: Final = "select fence.tell('landed', <n_wait>, <kit>, null, null)"


def _writes() -> Iterator[Case]:
    people = {
        "k": KIT,
        "b": BARE,
        "c": CHIEF,
        "s": SAGE,
        "w": WORKS,
        "r": READER,
        "o": OWNER,
        "v": VERIFIER,
        "y": BACKER,
    }
    for short, who in people.items():
        yield refused(f"L1{short}", who, _ROW, "42501", "no row is written by hand", Control(SCRIBE, Rows(1)))
        yield refused(f"L2{short}", who, "update fleet.ledger set reason = 'x'", "42501", "none is changed")
        yield refused(f"L3{short}", who, "delete from fleet.ledger", "42501", "none deleted")
        yield refused(f"L4{short}", who, "truncate fleet.ledger", "42501", "none of them all")
    for short, who in {"k": KIT, "c": CHIEF, "w": WORKS, "r": READER}.items():
        yield refused(f"L5{short}", who, _TELL, "42501", "and nothing is told for the asking", Control(SCRIBE, Rows(1)))


WRITING: Final = Group(
    "L",
    "Writing, changing and cutting the ledger",
    in_scene=True,
    controls=(
        blind("L00", CHIEF, "select 1 from fleet.ledger where note = <n_wait> and event = 'proposed'", "an operator reads it", rows=1),
        blind("L01", WORKS, "select 1 from fleet.ledger where note = <n_wait> and event = 'proposed'", "and the worker", rows=1),
        answers("L02", HERE, "select bool_and(l.hash = sha256(fence.ledger_bytes(l))) from fleet.ledger l where l.note in (<n_wait>, <n_landed>)", True,
                "each row's hash covers what it says"),
        answers("L03", HERE, "select bool_and(p.hash = l.prev) from fleet.ledger l join fleet.ledger p on p.seq = l.seq - 1 where l.note = <n_landed>",
                True, "and the row before it"),
        answers("L04", HERE, f"select actor {_STORY.format(note='n_landed', event='approved')}", "<chief>", "who decided is told"),
        answers("L05", HERE, f"select actor {_STORY.format(note='n_landed', event='landed')}", "worker", "and who landed it"),
    ),
    cases=(
        *_writes(),
        refused("L60", SCRIBE, "update fleet.ledger set reason = 'x'", "42501", "who appends changes nothing", Control(SCRIBE, Rows(1), _TELL)),
        refused("L61", SCRIBE, "delete from fleet.ledger", "42501", "nor deletes"),
        refused("L62", SCRIBE, "truncate fleet.ledger", "42501", "nor empties"),
        refused("L63", HERE, "update fleet.ledger set reason = 'x' where note = <n_wait>", "42501", "whoever asks"),
        refused("L64", HERE, "delete from fleet.ledger where note = <n_wait>", "42501", "whoever asks"),
        refused("L65", HERE, "truncate fleet.ledger", "42501", "whoever asks"),
        refused("L66", HERE, "set local session_replication_role = replica; delete from fleet.ledger where note = <n_wait>", "42501",
                "and no setting lets it be"),
        refused("L67", HERE, "set local session_replication_role = replica; truncate fleet.ledger", "42501", "nor all of it"),
        refused("L68", HERE, "insert into fleet.ledger select * from fleet.ledger where note = <n_wait> and event = 'proposed'", "23505",
                "a number is told once"),
        answers("L70", AGENT_ON_CONSOLE, "select count(*) from fleet.ledger", 0, "an agent's claim reads nothing of it",
                Control(CHIEF, Value(True), "select count(*) > 9 from fleet.ledger")),
        answers("L71", CLAIMLESS, "select count(*) from fleet.ledger", 0, "nor does a console without a claim",
                Control(SAGE, Value(True), "select count(*) > 9 from fleet.ledger")),
    ),
)  # fmt: skip

_SET: Final = "select set_config('fence.reason', '{}', true); "
_REVOKE: Final = "update fleet.note set status = 'revoked' where id = <n_landed>; "
_AUTOMATIC: Final = (
    "set local session_replication_role = replica; update fleet.memory_rule set auto_grant = true;"
    " set local session_replication_role = origin; set local session authorization fleetmem_worker; "
)

REASONS: Final = Group(
    "L",
    "Lying to the ledger",
    in_scene=True,
    controls=(
        answers("L80", HERE, f"select fence.note_revoke(<n_landed>, 'superseded'); select reason {_STORY.format(note='n_landed', event='revoked')}",
                "superseded", "the database's own reason is told"),
    ),
    cases=(
        answers("L81", CHIEF, _SET.format("superseded") + _REVOKE
                + "select reason from fleet.ledger where note = <n_landed> and event = 'revoked' and agent is null", None,
                "a reason that an operator sets is not", Control(CHIEF, Value("<chief>"), _REVOKE
                + "select actor from fleet.ledger where note = <n_landed> and event = 'revoked' and agent is null")),
        answers("L82", CHIEF, _SET.format("made up") + _REVOKE
                + "select reason from fleet.ledger where note = <n_landed> and event = 'revoked' and agent = <kit>", "note_revoked",
                "nor for the file"),
        answers("L83", CHIEF, _SET.format("audience") + "update fleet.note_recipient set active = false where note = <n_wait> and agent = <kit>; "
                + f"select reason {_STORY.format(note='n_wait', event='denied')}", "reviewer", "who takes a recipient away is told as who did"),
        answers("L84", CHIEF, _SET.format("segment_reset") + signed_and_approved("n_wait")
                + f"; select reason {_STORY.format(note='n_wait', event='approved')}", None, "nor is a reason added to an approval"),
        answers("L85", HERE, _AUTOMATIC + _SET.format("reviewed") + "update fleet.note set status = 'approved' where id = <n_plain>; "
                + f"select reason {_STORY.format(note='n_plain', event='approved')}", None, "nor by the worker"),
        answers("L86", HERE, _AUTOMATIC + "update fleet.note set status = 'approved' where id = <n_plain>; "
                + f"select actor {_STORY.format(note='n_plain', event='approved')}", "worker", "whose grant is told as its own"),
        refused("L87", WORKS, "insert into fleet.note_denial (note, agent, reason) values (<n_wait>, <zoe>, 'reviewer')", "42501",
                "the worker speaks for no reviewer", Control(WORKS, Rows(1),
                "insert into fleet.note_denial (note, agent, reason) values (<n_wait>, <zoe>, 'took_no_part')")),
        refused("L88", WORKS, "insert into fleet.note_denial (note, agent, reason) values (<n_wait>, <zoe>, 'narrowed')", "42501", "nor for the roster"),
        refused("L89", WORKS, "insert into fleet.note_recipient (note, agent, match, nonce) values (<n_wait>, <max>, 'reviewer', md5('x'))", "42501",
                "nor does it choose as one", Control(WORKS, Rows(1),
                "insert into fleet.note_recipient (note, agent, match, nonce) values (<n_wait>, <max>, 'match', md5('x'))")),
        refused("L90", CLAIMLESS, "select fence.actor()", "28000", "who has no claim any more is not told as the owner",
                Control(CHIEF, Value("<chief>"))),
        refused("L91", AGENT_ON_CONSOLE, "select fence.actor()", "28000", "nor is an agent an operator"),
        answers("L92", WORKS, "select set_config('fence.token', 'x', true); select fence.actor()", "worker", "and the worker is the worker"),
        blind("L93", CHIEF, "select set_config('fence.token', '', true); update fleet.note set status = 'rejected' where id = <n_wait>",
              "without its claim an operator decides nothing", Control(CHIEF, Rows(1), "update fleet.note set status = 'rejected' where id = <n_wait>")),
        refused("L94", KIT, "select fence.actor()", "42501", "an agent asks nothing of it", Control(CHIEF, Value("<chief>"))),
        refused("L95", WORKS, "select fence.note_activate(<n_wait>)", "23514", "what a person must see is not activated by asking",
                Control(HERE, Refused(("23514",)))),
    ),
)  # fmt: skip

GROUPS: Final = (WRITING, REASONS)
