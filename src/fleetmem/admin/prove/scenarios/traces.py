"""What a session leaves where others look: other sessions, logs, plans, error messages, notifications."""

import re
from typing import Final

import psycopg
from psycopg import errors

from fleetmem.admin.prove.case import AGENT, GATEWAY, Who
from fleetmem.admin.prove.scenarios.scenario import Scenario, World, first_that_is_not

_KIT: Final = Who(GATEWAY, AGENT, "kit")
_UNCLAIMED: Final = Who(GATEWAY, AGENT)
_CLAIM_BEGINS: Final = "eyJ"  # the base64url of {" : every JOSE header
_A_PLAN_IS_LONG: Final = 1_000
_LIST: Final = "select api.beat_list(%s, null, null, null, null, false, null, 10)"


def _bound_claims_are_not_shown(world: World) -> str | None:
    with world.another() as other:
        other.execute("begin")
        other.execute(_LIST.encode(), [world.stage.claim("kit")])
        seen = world.asks(world.gateway, "select query from pg_stat_activity where pid = %s", other.info.backend_pid)
        other.execute("rollback")
    shown = {"the statement cannot be seen at all": bool(seen), "a claim is in it": _CLAIM_BEGINS not in str(seen)}
    return first_that_is_not(shown)


def _debug_settings_print_no_key(world: World) -> str | None:
    with world.another() as session:
        printed: list[str] = []

        def note(diagnostic: errors.Diagnostic) -> None:
            printed.append(f"{diagnostic.message_primary} {diagnostic.message_detail} {diagnostic.context}")

        session.add_notice_handler(note)
        session.execute(
            "set debug_print_parse = on; set debug_print_rewritten = on; set debug_print_plan = on;"
            "set debug_pretty_print = off; set client_min_messages = debug5; set plpgsql.print_strict_params = on;"
        )
        with world.standing(session, _KIT):
            name = world.asks(session, "select fence.current_agent()")
            for call in ("select fence.require('agent')", "select fence.require('operator')"):
                world.tries(session, call)
    text = " ".join(printed)
    shown = {
        "kit is nobody": name == world.stage.name("kit"),
        "nothing was printed, so nothing was looked at": len(text) > _A_PLAN_IS_LONG,
        "key bytes were printed": not _holds_key(world, text),
    }
    return first_that_is_not(shown)


def _holds_key(world: World, text: str) -> bool:
    """Look for the pads, the pepper and the key, as hexadecimal digits and as the numbers that plan trees print."""
    rows = world.admin.execute(
        "select ipad, opad, pepper from vault.signing_key where kid = %s", [world.stage.keys["agent"].kid]
    ).fetchall()
    secrets = [
        bytes(value)[:16] for row in rows for value in row if isinstance(value, bytes)
    ]  # 16 bytes are no accident
    secrets.append(world.stage.keys["agent"].key[:16])
    spaced = re.sub(r"\s+", " ", text)
    return any(
        secret.hex() in text
        or " ".join(str(byte) for byte in secret) in spaced
        or " ".join(str(byte - 256 if byte > 127 else byte) for byte in secret) in spaced  # noqa: PLR2004 -- signed bytes
        for secret in secrets
    )


# A condition on a value that is there, and the same on one that is not.
_NOT_THERE: Final = "'there is no such thing'"
_PAIRS: Final = (
    ("fleet.beat where author =", "<zoe>", _NOT_THERE),
    ("fleet.beat where audience =", "<board>", _NOT_THERE),
    ("fleet.beat where topic_key =", "'the hidden topic'", _NOT_THERE),
    ("fleet.beat where topic =", "'the hidden topic'", _NOT_THERE),
    ("fleet.beat where body =", "'board secret 12345'", _NOT_THERE),
    ("fleet.beat where ended_as =", "'retracted'", _NOT_THERE),
    ("fleet.beat where created_at >", "now() - interval '1 hour'", "now() + interval '1 year'"),
    ("fleet.beat where id >", "<b_kit>", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"),
    ("fleet.handoff where sender =", "<zoe>", _NOT_THERE),
    ("fleet.handoff where recipient =", "<lee>", _NOT_THERE),
    ("fleet.handoff where audience =", "<board>", _NOT_THERE),
    ("fleet.handoff where request =", "'please, lee'", _NOT_THERE),
    ("fleet.handoff where status =", "'open'", _NOT_THERE),
    ("fleet.handoff where due_at <", "now() + interval '2 hours'", "now() - interval '1 year'"),
    ("fleet.handoff_transition where made_by =", "<zoe>", _NOT_THERE),
    ("fleet.handoff_transition where made_at >", "now() - interval '1 hour'", "now() + interval '1 year'"),
    ("fleet.idempotency where principal =", "<zoe>", _NOT_THERE),
    ("fleet.idempotency where key =", "'z1'", _NOT_THERE),
    ("fleet.audience where name =", "<shut>", _NOT_THERE),
    ("fleet.audience where description =", "''", _NOT_THERE),
    ("fleet.principal where name =", "<chief>", _NOT_THERE),
    ("fleet.principal where rol =", "'operator'", _NOT_THERE),
)


def _estimates_are_equal(world: World) -> str | None:
    with world.standing(world.gateway, _UNCLAIMED):
        for condition, there, not_there in _PAIRS:
            plans = [
                world.asks(world.gateway, f"explain (format json) select 1 from {condition} {value}")[0]["Plan"]
                for value in (there, not_there)
            ]
            if plans[0]["Plan Rows"] != plans[1]["Plan Rows"]:
                return f"the plan of {condition} tells a value that is there from one that is not"
    return None


def _failures_print_no_row(world: World) -> str | None:
    for statement in (
        "insert into fleet.beat (topic, body, audience) values ('t', repeat('x', 9000), <hall>)",
        "insert into fleet.beat (topic, body, audience) values ('t', null, <hall>)",
        "insert into fleet.idempotency (key, request_sha256, status, answer) values ('k1', sha256('x'), 200, '{}')",
        "insert into fleet.handoff (recipient, request, audience) values (<max>, repeat('x', 9000), <hall>)",
        "update fleet.handoff set status = 'accepted', reply = repeat('x', 9000) where id = <h_in>",
    ):
        with world.standing(world.gateway, _KIT):
            try:
                world.asks(world.gateway, statement)
            except psycopg.Error as error:
                if error.diag.message_detail:
                    return f"{statement}: its refusal has a detail"
            else:
                return f"{statement}: allowed"
    return None


def _hidden_and_absent_alike(world: World) -> str | None:
    for call in (
        "select api.beat_get(%s, {})", "select api.beat_history(%s, {}, null, 10)", "select api.handoff_get(%s, {})",
        "select api.beat_retract(%s, null, null, {})", "select api.handoff_move(%s, null, null, {}, 'accepted', null)",
    ):  # fmt: skip
        heard = {_refusal(world, call.format(record)) for record in ("<b_hidden>", "<h_hidden>", "<absent>")}
        if len(heard) != 1:
            return f"{call}: hidden and absent differ"
    return None


def _refusal(world: World, call: str) -> tuple[object, ...]:
    try:
        world.asks(world.gateway, call, world.stage.claim("kit"))
    except psycopg.Error as error:
        said = error.diag
        return (error.sqlstate, said.message_primary, said.message_detail, said.message_hint, said.constraint_name)
    return ("allowed",)


def _nothing_is_notified(world: World) -> str | None:
    sources = world.asks(
        world.admin,
        "select count(*) from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
        " where n.nspname in ('api', 'fence', 'fleet', 'vault') and p.prosrc ~* '\\mnotify\\M|pg_notify'",
    )
    return None if sources == 0 else f"{sources} functions notify"


SCENARIOS: Final = (
    Scenario(
        id="X01", who="gateway, two sessions", plays=_bound_claims_are_not_shown,
        attempt="read the statement of a session that has just presented a claim, in pg_stat_activity",
        expected="the statement, with $1 for the claim",
        why="a claim is a bound value: whoever shares the login could present it again",
    ),
    Scenario(
        id="X05", who="gateway → agent, claim of kit", plays=_debug_settings_print_no_key,
        attempt="debug_print_parse, _rewritten, _plan; plpgsql.print_strict_params; client_min_messages = debug5; verify",
        expected="printed plans, and no byte of a key in them",
        why="X05-X07: a key is only ever a column inside one statement",
    ),
    Scenario(
        id="X15", who="gateway → agent, no claim", plays=_estimates_are_equal,
        attempt="explain select 1 from each table where a column has a value that is there, and one that is not",
        expected="equal estimates",
        why="EXPLAIN needs no claim; without statistics its estimates depend on no hidden value",
    ),
    Scenario(
        id="X26", who="gateway → agent, claim of kit", plays=_failures_print_no_row,
        attempt="break a check, a NOT NULL and a unique key", expected="a refusal without DETAIL",
        why="a failing row is not printed where row security is on",
    ),
    Scenario(
        id="X14", who="gateway, claim of kit", plays=_hidden_and_absent_alike,
        attempt="every door by id: a hidden beat, a hidden handoff, and nothing at all",
        expected="one refusal: SQLSTATE, message, detail, hint and constraint alike",
        why="an answer must not tell hidden from absent",
    ),
    Scenario(
        id="X25", who="the catalogue", plays=_nothing_is_notified,
        attempt="look for NOTIFY in every function of ours", expected="none",
        why="LISTEN cannot be refused, so nothing is sent that way",
    ),
)  # fmt: skip
