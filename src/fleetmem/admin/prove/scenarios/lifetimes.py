"""Time and the owner's hand: claims, bearers, keys and reach that end while somebody is using them."""

import time
from collections.abc import Callable
from typing import Final, LiteralString

from fleetmem.admin.prove.case import AGENT, GATEWAY, Who
from fleetmem.admin.prove.forgery import altered
from fleetmem.admin.prove.records import SEEN_BY_KIT
from fleetmem.admin.prove.scenarios.scenario import Scenario, World, first_that_is_not
from fleetmem.admin.prove.sessions import entered
from fleetmem.admin.prove.setting import acting_as

_ROLE: Final = Who(GATEWAY, AGENT)
_COUNT: Final = "select count(*) from fleet.beat"
_LEEWAY_S: Final = 5


def _expires_while(begins: str) -> Callable[[World], str | None]:
    """Play: present a claim past its end and within the leeway, in a transaction that begins so; wait until it is over.

    How long it is still good for doubles where a busy machine did not get to read in time.
    """

    def plays(world: World) -> str | None:
        before = after = -1
        for good_for_s in (0.7, 1.4, 2.8, 5.6):
            now = world.stage.unix_s()
            dying = altered(iat=now - 60, exp=now - _LEEWAY_S + good_for_s)(world.stage)
            with world.another() as session:
                session.execute(f"{begins}; set local role fleetmem_agent".encode())
                session.execute("select set_config('fence.token', %s, true)", [dying])
                before = world.asks(session, _COUNT)
                time.sleep(max(0.0, now + good_for_s + 0.05 - world.stage.unix_s()))
                after = world.asks(session, _COUNT)
            if before:
                break
        return None if (before, after) == (5, 0) else f"{before} rows before its end, {after} after"

    return plays


def _bound_to_its_connection(world: World) -> str | None:
    with world.another() as other:
        bound = altered(bp=other.info.backend_pid)(world.stage)
        with entered(other, _ROLE, bound):
            own = world.asks(other, _COUNT)
    with entered(world.gateway, _ROLE, bound):
        elsewhere = world.asks(world.gateway, _COUNT)
    return None if (own, elsewhere) == (5, 0) else f"{own} rows on its own connection, {elsewhere} on another"


def _does(world: World, statement: str, role: LiteralString) -> None:
    """Let the owner change something, committed at once."""
    with world.admin.transaction(), acting_as(world.admin, role):
        world.admin.execute(world.stage.filled(statement).encode())


def _ends_at_once(change: str, back: str, role: LiteralString, *, left: int) -> Callable[[World], str | None]:
    """Play: kit reads, the owner changes something, kit reads again in the same transaction, the owner changes it back."""

    def plays(world: World) -> str | None:
        claim = world.stage.claim("kit")
        with entered(world.gateway, _ROLE, claim):
            before = world.asks(world.gateway, _COUNT)
            _does(world, change, role)
            after = world.asks(world.gateway, _COUNT)
            _does(world, back, role)
            again = world.asks(world.gateway, _COUNT)
        return first_that_is_not(
            {
                f"{before} rows before": before == SEEN_BY_KIT["beat"],
                f"{after} rows after": after == left,
                f"{again} rows when it is taken back: the control fails": again == 5,  # noqa: PLR2004
            }
        )

    return plays


_BEARER: Final = "update vault.bearer set revoked_at = {} where id = <token_kit>"
_KEY: Final = "update vault.signing_key set revoked = {} where kid = <agent>"
_PRINCIPAL: Final = "update fleet.principal set {} where name = <kit>"

SCENARIOS: Final = (
    Scenario(
        id="X43", who="gateway → agent, a claim about to end", plays=_expires_while("begin"),
        attempt="read, wait until the claim has ended, read again in the same transaction", expected="5 rows, then none",
        why="A58: the clock, not the transaction's start",
    ),
    Scenario(
        id="X48", who="gateway → agent, a claim bound to a connection", plays=_bound_to_its_connection,
        attempt="present a claim with `bp` on its own connection and on another", expected="5 rows, then none",
        why="A59: a claim that was read somewhere is useless elsewhere",
    ),
    Scenario(
        id="X44", who="gateway → agent, claim of kit",
        plays=_ends_at_once(_BEARER.format("clock_timestamp()"), _BEARER.format("null"), "fleetmem_verifier", left=0),
        attempt="revoke kit's bearer while kit is in a transaction", expected="5 rows, none, 5 when it is taken back",
        why="a revocation counts from the next statement",
    ),
    Scenario(
        id="X45", who="gateway → agent, claim of kit",
        plays=_ends_at_once(_PRINCIPAL.format("suspended_at = now()"), _PRINCIPAL.format("suspended_at = null"),
                            "fleetmem_owner", left=0),
        attempt="suspend kit while kit is in a transaction", expected="5 rows, none, 5 when it is taken back",
        why="a suspension counts from the next statement",
    ),
    Scenario(
        id="X46", who="gateway → agent, claim of kit",
        plays=_ends_at_once(_PRINCIPAL.format("reads = '{}'"), _PRINCIPAL.format("reads = array[<hall>, <ops>]"),
                            "fleetmem_owner", left=3),
        attempt="take kit's reads away while kit is in a transaction", expected="5 rows, its own 3, 5 when it is taken back",
        why="a narrower reach counts from the next statement",
    ),
    Scenario(
        id="X46w", who="gateway → agent, claim of kit",
        plays=_ends_at_once(_PRINCIPAL.format("writes = '{}', reads = '{}'"),
                            _PRINCIPAL.format("writes = array[<hall>, <drop>], reads = array[<hall>, <ops>]"),
                            "fleetmem_owner", left=0),
        attempt="take kit's whole reach away while kit is in a transaction", expected="5 rows, none, 5 when it is taken back",
        why="what one wrote is readable only where one may still write or read",
    ),
    Scenario(
        id="X46d", who="gateway → agent, claim of kit",
        plays=_ends_at_once(_PRINCIPAL.format("active = false"), _PRINCIPAL.format("active = true"), "fleetmem_owner", left=0),
        attempt="deactivate kit while kit is in a transaction", expected="5 rows, none, 5 when it is taken back",
        why="leaving the roster counts from the next statement",
    ),
    Scenario(
        id="X47", who="gateway → agent, claim of kit",
        plays=_ends_at_once(_KEY.format("true"), _KEY.format("false"), "fleetmem_verifier", left=0),
        attempt="revoke the signing key while kit is in a transaction", expected="5 rows, none, 5 when it is taken back",
        why="a key's revocation counts from the next statement",
    ),
    Scenario(
        id="X49", who="gateway → agent, repeatable read", plays=_expires_while("begin isolation level repeatable read"), is_limit=True,
        attempt="hold a snapshot from before a revocation, and read until the claim ends",
        expected="5 rows, then none",
        why="a snapshot sees the past, also past bearers: the claim's own end, 60 s, bounds it",
    ),
)  # fmt: skip
