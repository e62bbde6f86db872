"""What one bearer leaves in a session for the next, and what a role leaves in the database."""

import json
from contextlib import suppress
from typing import Final

import psycopg

from fleetmem.admin.prove.case import AGENT, GATEWAY, Who
from fleetmem.admin.prove.records import SEEN_BY_KIT
from fleetmem.admin.prove.scenarios.scenario import Scenario, World, first_that_is_not

_KIT: Final = Who(GATEWAY, AGENT, "kit")
_ZOE: Final = Who(GATEWAY, AGENT, "zoe")
_LIST: Final = "select api.beat_list(%s, null, null, null, null, false, null, 100)"
_COUNT: Final = "select count(*) from fleet.beat"


def _a_request_leaves_nothing(world: World) -> str | None:
    with world.another() as session:
        world.asks(session, _LIST, world.stage.claim("zoe"))
        after_success = _traces(world, session)
        for claim in ("not a claim", world.stage.claim("gone")):
            with suppress(psycopg.errors.InvalidAuthorizationSpecification):
                world.asks(session, _LIST, claim)
        after_failure = _traces(world, session)
        next_one = json.loads(world.asks(session, _LIST, world.stage.claim("kit")))
    hidden = world.stage.records["b_hidden"]
    return first_that_is_not(
        {
            "something is left after an answer": after_success is None,
            "something is left after a refusal": after_failure is None,
            "the next bearer read the last one's rows": hidden not in json.dumps(next_one),
            "the next bearer does not read its own": len(next_one["items"]) == SEEN_BY_KIT["beat"],
        }
    )


def _traces(world: World, session: psycopg.Connection[tuple[object, ...]]) -> str | None:
    left = world.asks(
        session,
        "select concat_ws(', ', case when current_user <> session_user then 'a role' end,"
        " case when current_setting('fence.token', true) <> '' then 'a claim' end,"
        " case when current_setting('transaction_read_only') <> 'off' then 'read only' end,"
        " (select 'a cursor' from pg_cursors limit 1))",
    )
    return str(left) or None


def _two_bearers_in_one_transaction(world: World) -> str | None:
    with world.another() as session, session.transaction(force_rollback=True):
        session.execute("set local lock_timeout = '3s'")
        zoe = json.loads(world.asks(session, _LIST, world.stage.claim("zoe")))
        session.execute("savepoint s")
        behind = _heard(world, session, world.stage.claim("kit"))
        session.execute("rollback to s")
        session.execute("set local role none")
        kit = json.loads(world.asks(session, _LIST, world.stage.claim("kit")))
        session.execute("savepoint s")
        opened = world.tries(session, "set transaction read write").state
        session.execute("rollback to s")
    hidden = world.stage.records["b_hidden"]
    return first_that_is_not(
        {
            "zoe does not read its own": hidden in json.dumps(zoe),
            "kit reads zoe's rows behind her door": hidden not in behind,
            "kit reads zoe's rows": hidden not in json.dumps(kit),
            f"a reading transaction became a writing one: {opened}": opened == "25001",
        }
    )


def _heard(world: World, session: psycopg.Connection[tuple[object, ...]], claim: str) -> str:
    """Knock behind another's door: refused, since the role has changed, or let in as oneself."""
    try:
        return str(world.asks(session, _LIST, claim))
    except psycopg.errors.InsufficientPrivilege:
        return ""


def _both_in_one_statement(world: World) -> str | None:
    """The second door may be refused, since the role has changed by then, or open: for its own bearer alone."""
    claims = {"zoe": world.stage.claim("zoe"), "kit": world.stage.claim("kit")}
    both = ("", "")
    with suppress(psycopg.errors.InsufficientPrivilege):
        row = world.gateway.execute(
            "select api.beat_list(%(zoe)s, null, null, null, null, false, null, 100),"
            " api.beat_list(%(kit)s, null, null, null, null, false, null, 100)",
            claims,
        ).fetchone()
        both = (str(row[0]), str(row[1])) if row else both
    hidden, own = world.stage.records["b_hidden"], world.stage.records["b_drop"]
    return first_that_is_not(
        {
            "kit reads zoe's rows": hidden not in both[1],
            "zoe reads kit's rows": own not in both[0],
            "a door that opened showed nothing": both == ("", "") or (hidden in both[0] and own in both[1]),
        }
    )


def _plans_ask_again(world: World) -> str | None:
    for mode in ("auto", "force_generic_plan"):
        with world.another() as session:
            session.execute(f"set plan_cache_mode = {mode}".encode())
            session.execute("begin; set local role fleetmem_agent")
            session.execute("select set_config('fence.token', %s, true)", [world.stage.claim("zoe")])
            session.execute(f"prepare p as {_COUNT}".encode())
            zoe = [world.asks(session, "execute p") for _ in range(7)]
            session.execute("commit")
            with world.standing(session, _KIT):
                kit = world.asks(session, "execute p")
            bare = world.tries(session, "execute p").state
        if (set(zoe), kit, bare) != ({6}, 5, "42501"):
            return f"with {mode}: zoe counts {set(zoe)}, kit {kit}, the bare login {bare}"
    return None


def _held_cursor(world: World) -> str | None:
    with world.another() as session:
        session.execute("begin; set local role fleetmem_agent")
        session.execute("select set_config('fence.token', %s, true)", [world.stage.claim("zoe")])
        session.execute("declare c cursor with hold for select id from fleet.beat")
        session.execute("commit")
        session.execute("discard all")
        return None if world.tries(session, "fetch c").state == "34000" else "the cursor is still there"


def _role_by_hand(world: World) -> str | None:
    by_door = json.loads(world.asks(world.gateway, _LIST, world.stage.claim("kit")))
    with world.standing(world.gateway, _KIT):
        by_hand = world.gateway.execute("select id::text from fleet.beat").fetchall()
    same = {item["id"] for item in by_door["items"]} == {row[0] for row in by_hand}
    return None if same else "the door and the table show different rows"


def _savepoints(world: World) -> str | None:
    with world.standing(world.gateway, _KIT):
        world.gateway.execute("savepoint s")
        world.gateway.execute("select set_config('fence.token', %s, true)", [world.stage.claim("zoe")])
        zoe = world.asks(world.gateway, "select fence.current_agent()")
        world.gateway.execute("rollback to s")
        kit = world.asks(world.gateway, "select fence.current_agent()")
    as_named = (zoe, kit) == (world.stage.name("zoe"), world.stage.name("kit"))
    return None if as_named else "a claim outlived its savepoint"


def _vacuum(world: World) -> str | None:
    with world.another() as session:
        session.execute("set role fleetmem_agent")
        for statement in ("vacuum fleet.beat", "analyze fleet.beat"):
            got = world.tries(session, statement)
            if "01000" not in got.warnings:
                return f"{statement}: {got.state or 'done without a warning'}"
    return None


def _new_objects(world: World) -> str | None:
    roles = "unnest(array['fleetmem_agent', 'fleetmem_operator', 'fleetmem_gateway', 'fleetmem_console', 'public']) r (role)"
    table = f"select bool_or(has_any_column_privilege(r.role, 'fence.prove_new', 'select,insert,update')) from {roles}"
    routine = f"select bool_or(has_function_privilege(r.role, 'fence.prove_new()', 'execute')) from {roles}"
    with world.admin.transaction(force_rollback=True):
        for maker in ("none", "fleetmem_verifier", "fleetmem_scribe", "fleetmem_owner"):
            world.admin.execute(f"savepoint s; set local role {maker}".encode())
            world.admin.execute("create table fence.prove_new (a int); create function fence.prove_new() returns int"
                                " language sql security definer as 'select 1'")  # fmt: skip
            if world.asks(world.admin, table) or world.asks(world.admin, routine):
                return f"what {maker} makes is somebody's at once"
            world.admin.execute("rollback to s")
    return None


SCENARIOS: Final = (
    Scenario(
        id="X11", who="gateway, one session", plays=_a_request_leaves_nothing,
        attempt="a request of zoe's, two that are refused, and one of kit's, over one connection",
        expected="no role, claim or cursor is left; kit reads its own five beats",
        why="a pool gives one bearer's connection to the next",
    ),
    Scenario(
        id="X12", who="gateway, one transaction", plays=_two_bearers_in_one_transaction,
        attempt="zoe's door, kit's door behind it, then kit's from the login; then a read-write transaction",
        expected="kit's own rows, or none; 25001",
        why="a door binds for its transaction, and a reading one stays reading",
    ),
    Scenario(
        id="X12b", who="gateway, one statement", plays=_both_in_one_statement,
        attempt="select api.beat_list(claim of zoe), api.beat_list(claim of kit)", expected="each its own rows, or 42501",
        why="no identity is kept within a statement",
    ),
    Scenario(
        id="X13", who="gateway, one session", plays=_plans_ask_again,
        attempt="prepare under zoe, execute as zoe seven times, as kit, and as the bare login; custom and generic plans",
        expected="6, 5, 42501", why="a plan holds no identity",
    ),
    Scenario(
        id="X10", who="gateway, one session", plays=_held_cursor,
        attempt="declare a cursor with hold under zoe's claim, commit, discard all, fetch",
        expected="34000; without DISCARD it would still be there",
        why="Postgres keeps a held cursor's rows for the session: the gateway declares none, and its pool discards",
        is_limit=True,
    ),
    Scenario(
        id="X50", who="gateway → agent, claim of kit", plays=_role_by_hand,
        attempt="set the role and the claim by hand, and read the table", expected="the same rows as through the door",
        why="row security decides, not the door",
    ),
    Scenario(
        id="X51", who="gateway → agent, claim of kit", plays=_savepoints,
        attempt="present zoe's claim inside a savepoint and roll back to it", expected="zoe, then kit again",
        why="a claim ends with the transaction that it was set in",
    ),
    Scenario(
        id="X52", who="gateway → agent", plays=_vacuum, attempt="vacuum fleet.beat; analyze fleet.beat",
        expected="warning 01000, nothing done", why="D25: maintenance is the owner's",
    ),
    Scenario(
        id="X23", who="each owner", plays=_new_objects,
        attempt="create a table and a definer function without granting them to anyone; undone",
        expected="nobody's", why="defaults give nothing away",
    ),
)  # fmt: skip
