"""B. A login by itself: with a good claim, and before it has taken its role."""

from collections.abc import Iterator
from typing import Final

from fleetmem.admin.prove.case import Case, Control, Group, Rows, Value, Who, answers, blind, refused
from fleetmem.admin.prove.catalogue.people import BARE, BARE_CONSOLE, CHIEF, KIT, READER, ZOE
from fleetmem.admin.prove.nobody import READS

_TABLES: Final = tuple(READS)[:6]
_CLOSED: Final = ("vault.signing_key", "vault.bearer", "fence.casefold", "fence.migration")
_INHERITS_NOTHING: Final = "a login inherits nothing of its role, whatever claim it holds"


def _closed(letter: str, who: Who) -> Iterator[Case]:
    for number, table in enumerate((*_TABLES, *_CLOSED), start=1):
        yield refused(f"B{letter}{number:02}", who, f"select 1 from {table}", "42501", _INHERITS_NOTHING)


_PUBLISH: Final = "insert into fleet.beat (topic, body, audience) values ('t', 'x', <hall>)"
_SUSPEND: Final = "update fleet.principal set suspended_at = now() where name = <kit>"

GROUPS: Final = (
    Group(
        "B",
        "The gateway's login without its role",
        controls=(
            answers("B0", KIT, READS["fleet.beat"], 5, "with the role and the same claim it reads"),
            blind("B1", BARE, "select 1 from fence.applied limit 1", "and it may read which policies apply", rows=1),
        ),
        cases=(
            *_closed("g", BARE),
            refused("B20", BARE, "select fence.current_agent()", "42501", _INHERITS_NOTHING, Control(KIT, Value("<kit>"))),
            refused("B21", BARE, "select fence.require('agent')", "42501", _INHERITS_NOTHING, Control(KIT, Rows(1))),
            refused("B22", BARE, _PUBLISH, "42501", "no write either", Control(KIT, Rows(1))),
            refused("B23", BARE, "select fence._who('agent')", "42501", "the verifier's own function is nobody's"),
            refused("B24", BARE, "update fleet.beat set ended_as = 'retracted'", "42501", "no write either"),
            refused("B25", BARE, "copy fleet.beat to stdout", "42501", "no copy either"),
        ),
    ),
    Group(
        "B",
        "The console's login without its role",
        controls=(blind("B30", CHIEF, "select 1 from fleet.principal where name = <kit>", "with the role it reads", rows=1),),
        cases=(
            *_closed("c", BARE_CONSOLE),
            refused("B50", BARE_CONSOLE, "select fence.on_console()", "42501", _INHERITS_NOTHING,
                    Control(CHIEF, Value("<chief>"))),
            refused("B51", BARE_CONSOLE, _SUSPEND, "42501", "no write either", Control(CHIEF, Rows(1))),
            refused("B52", BARE_CONSOLE, "select fence.token_revoke('x')", "42501", _INHERITS_NOTHING,
                    Control(CHIEF, Value(False))),
        ),
    ),
    Group(
        "B",
        "The gateway's login and another service's functions",
        controls=(),
        cases=(
            refused("B60", BARE, "select api.console_agents(null, 'operator')", "42501", "the console's function"),
            refused("B61", BARE, "select fence.tokens()", "42501", "the operators' function"),
            refused("B62", KIT, "select fence.tokens()", "42501", "nor in the agents' role", Control(CHIEF, Rows(0),
                    "select id from fence.tokens() where id = 'nobody''s'")),
            refused("B63", KIT, "select fence.token_revoke('x')", "42501", "nor revoke a token", Control(CHIEF, Value(False))),
            refused("B64", BARE_CONSOLE, "select api.me(null)", "42501", "the gateway's function"),
            refused("B65", BARE_CONSOLE, "select api.beat_get(null, null)", "42501", "the gateway's function"),
            refused("B66", CHIEF, "select id from fleet.beat", "42501", "an operator reads no beat",
                    Control(ZOE, Rows(1), "select id from fleet.beat where id = <b_hidden>")),
            refused("B67", READER, "select api.me(null)", "42501", "an auditor's login calls nothing"),
            refused("B68", READER, "select fence.on_console()", "42501", "an auditor's login calls nothing"),
        ),
    ),
)  # fmt: skip
