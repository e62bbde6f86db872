"""A. Forged identity: claims that stand for nobody, and what somebody with the login and no claim can find out."""

from typing import Final

from fleetmem.admin.prove.case import (
    AGENT,
    CONSOLE,
    GATEWAY,
    OPERATOR,
    Case,
    Control,
    Group,
    Nobody,
    Refused,
    Rows,
    Value,
    Who,
    answers,
    blind,
    open_to_all,
    refused,
)
from fleetmem.admin.prove.catalogue.people import BARE, KIT, READER, UNCLAIMED, ZOE
from fleetmem.admin.prove.forgery import FORGERIES
from fleetmem.admin.prove.nobody import READS

_EVERYTHING: Final = "(read every table, ask every identity, knock at every door)"


def _nobody(case_id: str, who: Who, why: str) -> Case:
    return Case(id=case_id, who=who, statement=_EVERYTHING, expects=Nobody(), why=why)


def _sees(number: int, table: str, count: int) -> Case:
    why = f"kit's claim, made by hand, opens {table}"
    return answers(f"A0.{number}", Who(GATEWAY, AGENT, "by hand"), READS[table], count, why)


_IDENTITY: Final = "select fence.current_agent()"
_NUMBER: Final = "select count(*) from fleet.beat where "

FORGED: Final = Group(
    "A",
    "Forged identity",
    controls=(
        _sees(1, "fleet.audience", 2),
        _sees(2, "fleet.principal", 3),
        _sees(3, "fleet.beat", 5),
        _sees(4, "fleet.handoff", 5),
        _sees(5, "fleet.handoff_transition", 5),
        _sees(6, "fleet.idempotency", 1),
        answers("A0.7", Who(GATEWAY, AGENT, "by hand"), _IDENTITY, "<kit>", "and names kit"),
        answers("A0.8", KIT, "select fence.require('agent')::text like '%kit%'", True, "and the loud door opens"),
    ),
    cases=(
        *(
            _nobody(f"AF{number:02}", Who(GATEWAY, AGENT, forgery.name), forgery.why)
            for number, forgery in enumerate(FORGERIES, start=1)
        ),
        _nobody("A90", Who(GATEWAY, AGENT, "chief"), "an operator's good claim on the gateway's login"),
        _nobody("A91", Who(GATEWAY, AGENT, "sage"), "an auditor's good claim on the gateway's login"),
    ),
)

_OPERATOR: Final = "select fence.current_operator()"
_ON_CONSOLE: Final = "select fence.on_console()"
_PEOPLE: Final = "select name from fleet.principal where name = <kit>"


def _stranger(number: int, claim: str | None, why: str) -> tuple[Case, ...]:
    who = Who(CONSOLE, OPERATOR, claim)
    return (
        answers(f"A{number}a", who, _ON_CONSOLE, None, why),
        blind(f"A{number}b", who, _PEOPLE, why),
        refused(f"A{number}c", who, "select fence.require('operator')", "28000", why),
        refused(f"A{number}d", who, "select fence.require('auditor')", "28000", why),
        blind(f"A{number}e", who, "select id from fence.tokens()", why),
    )


CONSOLE_FORGED: Final = Group(
    "A",
    "Forged identity at the console",
    controls=(
        answers(
            "A100", Who(CONSOLE, OPERATOR, "chief"), _OPERATOR, "<chief>", "an operator's claim names the operator"
        ),
        answers("A101", Who(CONSOLE, OPERATOR, "sage"), _ON_CONSOLE, "<sage>", "an auditor's claim names the auditor"),
        blind("A102", Who(CONSOLE, OPERATOR, "chief"), _PEOPLE, "and opens the roster", rows=1),
    ),
    cases=(
        *_stranger(103, None, "the console's login and role, without a claim"),
        *_stranger(104, "an empty claim", "an empty claim"),
        *_stranger(105, "kit", "an agent's good claim on the console's login"),
        *_stranger(106, "a wrong key", "the agents' header and a wrong key"),
        *_stranger(107, "rol operator", "an operator's claim that the agents' key signed"),
        *_stranger(108, "retired", "an operator who was deactivated"),
        answers("A109", Who(CONSOLE, OPERATOR, "sage"), _OPERATOR, None, "an auditor is no operator"),
        refused(
            "A111",
            Who(CONSOLE, OPERATOR, "kit"),
            "select fence.require('agent')",
            "28000",
            "an agent's good claim, as an agent's, on the console's login",
            Control(KIT, Rows(1)),
        ),
        refused(
            "A112",
            Who(GATEWAY, AGENT, "chief"),
            "select fence.require('operator')",
            "28000",
            "an operator's good claim, as an operator's, on the gateway's login",
            Control(Who(CONSOLE, OPERATOR, "chief"), Rows(1)),
        ),
        refused(
            "A113",
            Who(GATEWAY, AGENT, "sage"),
            "select fence.require('auditor')",
            "28000",
            "an auditor's good claim, as an auditor's, on the gateway's login",
            Control(Who(CONSOLE, OPERATOR, "sage"), Rows(1)),
        ),
        refused(
            "A110", Who(CONSOLE, OPERATOR, "sage"), "select fence.require('operator')", "28000", "nor at the loud door"
        ),
    ),
)

UNVERIFIED: Final = Group(
    "A",
    "What a login without a claim can find out",
    controls=(answers("A120", ZOE, _NUMBER + "id = <b_hidden>", 1, "the row these aim at is there"),),
    cases=(
        answers(
            "A48", KIT,
            "select set_config('fence.agent', <zoe>, true), set_config('fence.sub', <zoe>, true),"
            " set_config('request.jwt.claims', '{\"sub\":\"zoe\"}', true), set_config('role.claim', <zoe>, true);"
            " select fence.current_agent()", "<kit>", "plain settings are nobody's word",
        ),
        answers("A69", UNCLAIMED, _NUMBER + "id = <b_hidden> and body >= 'board secret'", 0,
                "error oracle: a true leakproof condition on a hidden row gives no row and no error",
                Control(ZOE, Value(1))),
        answers("A70", UNCLAIMED, _NUMBER + "id = <b_hidden> and body >= 'c'", 0, "and a false one gives the same",
                Control(ZOE, Value(0))),
        answers("A71", UNCLAIMED, _NUMBER + "author = <zoe>", 0, "an indexed condition that hidden rows meet",
                Control(ZOE, Value(4))),
        answers("A72", Who(GATEWAY, AGENT, "zoe, a wrong key"), _NUMBER + "id = <b_hidden> and body = 'board secret 12345'", 0,
                "a guess at the whole content", Control(ZOE, Value(1))),
        answers("A73", Who(GATEWAY, AGENT, "zoe, a wrong key"), _NUMBER + "id = <b_hidden> and 1 / (length(body) - 18) = 1", 0,
                "a condition that would raise on the hidden row", Control(ZOE, Refused(("22012",)))),
        blind("A74", UNCLAIMED, "update fleet.beat set ended_as = 'retracted' where id = <b_kit>",
              "an update of everything touches nothing", Control(KIT, Rows(1))),
        blind("A74h", UNCLAIMED, "update fleet.handoff set status = 'accepted' where id = <h_in>",
              "nor a handoff", Control(KIT, Rows(1))),
        refused("A75", UNCLAIMED, "insert into fleet.beat (topic, body, audience) values ('t', 'x', <hall>)", "28000",
                "the stamp refuses", Control(KIT, Rows(1))),
        refused("A76", Who(GATEWAY, AGENT, "a wrong key"),
                "insert into fleet.handoff (recipient, request, audience) values (<max>, 'x', <hall>)", "28000",
                "a forged claim", Control(KIT, Rows(1))),
        refused("A77", UNCLAIMED,
                "insert into fleet.idempotency (key, request_sha256, status, answer) values ('k', sha256('x'), 200, '{}')",
                "28000", "the stamp refuses", Control(KIT, Rows(1))),
        Case(id="A78", who=UNCLAIMED,
             statement="select count(*) from pg_proc where proleakproof and proname in ('text_lt', 'text_le', 'text_gt',"
             " 'text_ge', 'starts_with', 'text_pattern_lt', 'text_pattern_le', 'text_pattern_gt', 'text_pattern_ge',"
             " 'bttextcmp', 'text_larger', 'text_smaller')",
             expects=Value(0), why="ordering and prefix operators run after the row policy", catalogue_right=True),
        refused("A49", READER, _IDENTITY, "42501", "the auditors' login may not even ask"),
        refused("A50", BARE, _IDENTITY, "42501", "nor the gateway's before it takes its role", Control(KIT, Value("<kit>"))),
        open_to_all("A79", UNCLAIMED, "explain select 1 from fleet.beat where author = <zoe>",
                    "EXPLAIN needs no claim; no statistics are kept of names and texts, so its estimates are equal (X15)"),
    ),
)  # fmt: skip

GROUPS: Final = (FORGED, CONSOLE_FORGED, UNVERIFIED)
