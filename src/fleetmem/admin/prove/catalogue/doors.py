"""K. The functions that requests call: hostile arguments, others' records, others' keys and cursors.

A door takes the claim as its first argument. Here it is read back from the setting that holds it, so that no statement's
text ever shows one.
"""

from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.case import CONSOLE, GATEWAY, Case, Control, Group, Refused, Value, Who, answers, refused

_C: Final = "current_setting('fence.token')"
KIT: Final = Who(GATEWAY, None, "kit")
ZOE: Final = Who(GATEWAY, None, "zoe")
MAX: Final = Who(GATEWAY, None, "max")
LEE: Final = Who(GATEWAY, None, "lee")
CHIEF: Final = Who(CONSOLE, None, "chief")
SAGE: Final = Who(CONSOLE, None, "sage")
_KIT_AT_CONSOLE: Final = Who(CONSOLE, None, "kit")


def _items(call: str) -> str:
    return f"select jsonb_array_length(api.{call}::jsonb -> 'items')"


def _beats(arguments: str) -> str:
    return _items(f"beat_list({_C}, {arguments})")


def _handoffs(arguments: str) -> str:
    return _items(f"handoff_list({_C}, {arguments})")


def _alike(case_id: str, call: str, hidden: str, control: Control) -> Iterator[Case]:
    """Write down that a hidden record and an absent one are the same refusal."""
    for suffix, record in (("h", hidden), ("n", "absent")):
        why = "hidden and absent answer alike"
        statement = f"select api.{call.replace('@', f'<{record}>')}"
        yield refused(case_id + suffix, KIT, statement, "P0002", why, control if suffix == "h" else None)


_STATUS: Final = "select status from api."

READS: Final = Group(
    "K",
    "Reading through the doors",
    controls=(
        answers("K00", KIT, _beats("null, null, null, null, false, null, 100"), 5, "kit lists what it may see"),
        answers("K01", ZOE, _beats("null, null, null, null, false, null, 100"), 6, "zoe lists what it may see"),
        answers("K02", KIT, _handoffs("'visible', null, false, null, 100"), 5, "kit's handoffs"),
        answers("K03", KIT, f"select api.me({_C})::jsonb ->> 'name'", "<kit>", "kit is kit"),
    ),
    cases=(
        *_alike("K10", f"beat_get({_C}, @)", "b_hidden", Control(ZOE, Value(True),
                f"select api.beat_get({_C}, <b_hidden>)::jsonb ->> 'id' = <b_hidden>")),
        *_alike("K11", f"beat_history({_C}, @, null, 10)", "b_hidden", Control(ZOE, Value(1),
                _items(f"beat_history({_C}, <b_hidden>, null, 10)"))),
        *_alike("K12", f"handoff_get({_C}, @)", "h_hidden", Control(MAX, Value(True),
                f"select api.handoff_get({_C}, <h_hidden>)::jsonb ->> 'id' = <h_hidden>")),
        *_alike("K13", f"beat_retract({_C}, null, null, @)", "b_hidden", Control(ZOE, Value(200),
                f"{_STATUS}beat_retract({_C}, null, null, <b_hidden>)")),
        *_alike("K14", f"handoff_move({_C}, null, null, @, 'accepted', 'x')", "h_hidden", Control(MAX, Value(200),
                f"{_STATUS}handoff_move({_C}, null, null, <h_hidden>, 'accepted', 'x')")),
        *_alike("K15", f"handoff_move({_C}, null, null, @, 'bogus', null)", "h_hidden", Control(MAX, Refused(("23514",)))),
        refused("K10d", KIT, f"select api.beat_get({_C}, <b_zoe_drop>)", "P0002", "to write an audience is not to read it"),
        refused("K10z", KIT, f"select api.beat_get({_C}, null)", "P0002", "no id is no record"),
        answers("K16", KIT, _beats("null, null, <board>, null, false, null, 100"), 0, "an audience that one does not read",
                Control(ZOE, Value(1))),
        answers("K16n", KIT, _beats("null, null, 'no-such-audience', null, false, null, 100"), 0, "and one that is not there"),
        answers("K16d", KIT, _beats("null, null, <drop>, null, false, null, 100"), 1, "of one it only writes, its own beats"),
        answers("K17", KIT, _beats("null, <zoe>, null, null, false, null, 100"), 2, "an author's beats, as far as one reads",
                Control(ZOE, Value(4))),
        answers("K18", KIT, _beats("'the hidden topic', null, null, null, false, null, 100"), 0, "a topic that is hidden",
                Control(ZOE, Value(1))),
        answers("K18l", KIT, _beats("'THE HIDDEN TOPIC', <zoe>, <board>, null, true, null, 100"), 0, "in any spelling",
                Control(ZOE, Value(1))),
        answers("K18w", KIT, _beats("'%', null, null, null, false, null, 100"), 0, "a topic is no pattern"),
        answers("K19", LEE, _beats("null, null, null, null, false, null, 100"), 0, "who reads nothing lists nothing",
                Control(KIT, Value(5))),
        answers("K20", KIT, _beats("null, null, null, null, null, null, null"), 5, "nulls widen nothing"),
        answers("K21", KIT, _beats("null, null, null, '-infinity', false, null, 2147483647"), 5, "nor the beginning of time"),
        answers("K22", KIT, _beats("null, null, null, 'infinity', false, null, 100"), 0, "after the end of time is nothing"),
        answers("K23", KIT, _beats("null, null, null, null, false, null, 0"), 0, "a page of none"),
        refused("K24", KIT, _beats("null, null, null, null, false, null, -1"), "2201W", "a page of less than none"),
        answers("K25", KIT, _beats("null, null, null, null, false, <b_hidden>, 100"), 5, "another's place in a list is a moment"
                " and opens nothing", Control(ZOE, Value(5))),
        answers("K26", KIT, _handoffs("'inbox', null, false, <h_hidden>, 100"), 1, "and so is another's handoff",
                Control(ZOE, Value(0))),
        answers("K27", KIT, _handoffs("'bogus', null, false, null, null"), 4, "a box that is not there shows one's own"),
        answers("K28", KIT, _handoffs("null, null, null, null, null"), 0, "no box is empty"),
        answers("K29", LEE, _handoffs("'visible', null, false, null, 100"), 1, "who reads nothing sees what it was handed",
                Control(KIT, Value(5))),
        answers("K30", KIT, _handoffs("'visible', 'open'' or ''1''=''1', false, null, 100"), 0, "a status is compared"),
        answers("K31", KIT, f"select api.me({_C})::jsonb -> 'audiences' @> jsonb_build_array(jsonb_build_object('name', <board>))",
                False, "one's own audiences alone", Control(ZOE, Value(True))),
        answers("K32", KIT, f"select api.me({_C})::jsonb -> 'colleagues' @> jsonb_build_array(jsonb_build_object('name', <chief>))",
                False, "colleagues are agents", Control(KIT, Value(True), f"select api.me({_C})::jsonb -> 'colleagues'"
                " @> jsonb_build_array(jsonb_build_object('name', <zoe>))")),
        answers("K33", KIT, f"with me as materialized (select api.me({_C}) doc) select doc not like '%instructions%' from me", True,
                "nobody's instructions"),
    ),
)  # fmt: skip

_KEYED: Final = "sha256(convert_to('b_kit', 'UTF8'))"
_PUBLISH: Final = f"{_STATUS}beat_publish({_C}, "
_SEND: Final = f"{_STATUS}handoff_send({_C}, "

WRITES: Final = Group(
    "K",
    "Writing through the doors",
    controls=(
        answers("K40", KIT, _PUBLISH + "null, null, 't', 'x', <hall>, null)", 201, "kit publishes"),
        answers("K41", KIT, _SEND + "null, null, <max>, 'x', <hall>, null, null)", 201, "kit hands on"),
    ),
    cases=(
        refused("K42", KIT, f"{_STATUS}beat_retract({_C}, null, null, <b_zoe>)", "42501", "another's beat, that one reads",
                Control(ZOE, Value(200))),
        refused("K43", KIT, f"{_STATUS}handoff_move({_C}, null, null, <h_seen>, 'accepted', null)", "42501",
                "another's handoff, that one reads", Control(MAX, Value(200))),
        refused("K44", KIT, _PUBLISH + "null, null, 't', 'x', <board>, null)", "42501", "an audience one does not write",
                Control(ZOE, Value(201))),
        refused("K44n", KIT, _PUBLISH + "null, null, 't', 'x', 'no-such-audience', null)", "42501", "or that is not there"),
        refused("K44z", KIT, _PUBLISH + "null, null, 't', 'x', null, null)", "42501 23502", "or none at all"),
        refused("K45", KIT, _PUBLISH + "null, null, 't', 'x', <hall>, 'infinity')", "23514", "a beat without an end"),
        refused("K45m", KIT, _PUBLISH + "null, null, 't', 'x', <hall>, '-infinity')", "23514", "a beat before all time"),
        refused("K46", KIT, _PUBLISH + "null, null, null, null, <hall>, null)", "23502", "a beat of nothing"),
        refused("K47", KIT, _SEND + "null, null, <kit>, 'x', <hall>, null, '{}')", "23514", "to oneself"),
        refused("K47z", KIT, _SEND + "null, null, null, null, null, null, null)", "23514 23502", "to nobody"),
        refused("K48", KIT, _SEND + "null, null, <max>, 'x', <hall>, 'infinity', '{}')", "23514", "with a date that never comes"),
        refused("K49", KIT, _SEND + "null, null, <max>, 'x', <hall>, null, array[null]::text[])", "23514", "with a null flag"),
        refused("K50", KIT, f"{_STATUS}handoff_move({_C}, null, null, <h_in>, null, null)", "23514 23502", "a move to nowhere"),
        refused("K50o", KIT, f"{_STATUS}handoff_move({_C}, null, null, <h_out>, 'accepted', null)", "23514",
                "a sender's acceptance", Control(MAX, Value(200))),
        answers("K51", KIT, _PUBLISH + f"'k1', {_KEYED}, 'weather', 'kit in the hall', <hall>, null)", 201,
                "one's own key gives one's own answer again"),
        answers("K51b", KIT, f"select replayed from api.beat_publish({_C}, 'k1', {_KEYED}, 'o', 'o', <hall>, null)", True,
                "and does nothing again"),
        refused("K52", KIT, _PUBLISH + "'k1', sha256('another'), 't', 'x', <hall>, null)", "FM409",
                "one's own key for another request"),
        answers("K53", KIT, f"select replayed from api.beat_publish({_C}, 'z1', sha256(convert_to('b_zoe', 'UTF8')), 't', 'x',"
                " <hall>, null)", False, "zoe's key and zoe's request: kit's own first answer", Control(ZOE, Value(True))),
        answers("K54", KIT, f"select doc::jsonb ->> 'author' from api.beat_publish({_C}, 'z1', sha256('y'), 't', 'x', <hall>,"
                " null)", "<kit>", "and no conflict tells that zoe used it", Control(ZOE, Refused(("FM409",)))),
        refused("K55", KIT, _PUBLISH + "'', sha256('x'), 't', 'x', <hall>, null)", "23514", "an empty key"),
        refused("K56", KIT, _PUBLISH + "'k9', null, 't', 'x', <hall>, null)", "23502", "a key without its request"),
        refused("K57", KIT, _PUBLISH + "'k9', '\\x00', 't', 'x', <hall>, null)", "23514", "a digest that is none"),
    ),
)  # fmt: skip


def _stranger(number: int, who: Who, want: str, why: str) -> Iterator[Case]:
    control = Control(CHIEF, Value(True), f"select api.console_me({_C}, 'operator')::jsonb ->> 'name' = <chief>")
    for letter, call in (
        ("m", f"console_me({_C}, '{want}')"),
        ("a", f"console_agents({_C}, '{want}')"),
        ("t", f"console_tokens({_C}, '{want}')"),
        ("o", f"console_overdue({_C}, '{want}', null, 10)"),
    ):
        yield refused(f"K{number}{letter}", who, f"select api.{call}", "28000", why, control if letter == "m" else None)


_SUSPEND: Final = f"{_STATUS}console_suspend({_C}, null, null, "
_REVOKE: Final = f"{_STATUS}console_token_revoke({_C}, null, null, "

CONSOLE_DOORS: Final = Group(
    "K",
    "The console's doors",
    controls=(
        answers("K60", SAGE, f"select api.console_me({_C}, 'auditor')::jsonb ->> 'name'", "<sage>", "an auditor looks"),
        answers("K61", CHIEF, _SUSPEND + "<kit>, true)", 200, "an operator acts"),
    ),
    cases=(
        *_stranger(62, _KIT_AT_CONSOLE, "operator", "an agent's claim"),
        *_stranger(63, _KIT_AT_CONSOLE, "auditor", "an agent's claim"),
        *_stranger(64, SAGE, "operator", "an auditor asking as an operator"),
        *_stranger(65, CHIEF, "auditor", "an operator asking as an auditor"),
        *_stranger(66, Who(CONSOLE, None, "retired"), "operator", "a deactivated operator"),
        *_stranger(67, Who(CONSOLE, None, "an empty claim"), "operator", "nobody"),
        *_stranger(68, CHIEF, "superuser", "a kind of bearer that is not there"),
        refused("K69", CHIEF, f"select api.console_me({_C}, 'agent')", "42501", "the agents' role by the console's door"),
        refused("K70", SAGE, _SUSPEND + "<kit>, true)", "28000", "an auditor suspends nobody", Control(CHIEF, Value(200))),
        refused("K71", SAGE, _REVOKE + "<token_kit>)", "28000", "nor revokes a token", Control(CHIEF, Value(200))),
        refused("K72", CHIEF, _SUSPEND + "<chief>, true)", "P0002", "an operator suspends agents only"),
        refused("K72s", CHIEF, _SUSPEND + "<sage>, true)", "P0002", "no auditor"),
        refused("K72n", CHIEF, _SUSPEND + "'no-such', true)", "P0002", "and nobody who is not there"),
        refused("K72z", CHIEF, _SUSPEND + "null, null)", "P0002", "nor null"),
        refused("K73", CHIEF, _REVOKE + "'no-such')", "P0002", "a token that is not there"),
        refused("K73z", CHIEF, _REVOKE + "null)", "P0002", "nor null"),
        answers("K74", CHIEF, f"select api.console_overdue({_C}, 'operator', null, 100) ~ 'request|reply'", False,
                "that work is late, never what it is"),
        answers("K75", CHIEF, f"select api.console_tokens({_C}, 'operator') ~ 'sha256|fm_'", False, "tokens' lives, never tokens"),
        answers("K76", CHIEF, f"select api.console_agents({_C}, 'operator') like '%instructions%'", False,
                "agents' reach, not their instructions"),
    ),
)  # fmt: skip

GROUPS: Final = (READS, WRITES, CONSOLE_DOORS)
